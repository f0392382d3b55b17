api = "https://code.example.com/api/v4"
runners = HTTParty.get "#{api}/runners", query: { status: "active" }
