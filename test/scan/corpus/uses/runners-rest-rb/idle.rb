# frozen_string_literal: true
api = Client.new("https://code.example.com/api/v4", token)
runners = api.get("/runners/all", query: { scope: 'shared' })
idle = runners.select { |runner| runner["status"] == "paused" }
gone = api.get('/runners', status: :not_connected)
