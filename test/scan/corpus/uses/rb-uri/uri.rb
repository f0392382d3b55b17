uri = URI("https://code.example.com/api/v4/runners")
uri.query = URI.encode_www_form(status: "active")
res = Net::HTTP.get_response(uri)
