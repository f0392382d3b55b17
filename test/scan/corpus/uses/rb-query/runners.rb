require "httparty"
url = "https://code.example.com/api/v4/runners/all"
runners = HTTParty.get(url, query: { status: "paused" }, headers: { "PRIVATE-TOKEN" => token })
