nock("https://code.example.com").get("/api/v4/runners?status=paused").reply(200, []);
expect(fetch).toHaveBeenCalledWith("https://code.example.com/api/v4/runners?status=paused");
