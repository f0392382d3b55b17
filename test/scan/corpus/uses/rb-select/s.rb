runners = JSON.parse(HTTP.get("https://code.example.com/api/v4/runners/all").to_s)
paused = runners.select { |r| r["status"] == "paused" }
