runners = JSON.parse(RestClient.get("https://code.example.com/api/v4/runners", { "PRIVATE-TOKEN" => t }))
owners = runners.map { |r| r["owner"] }
owners.each { |o| puts o["status"] == "active" }
subscriptions.each { |r| puts r["status"] == "paused" }
