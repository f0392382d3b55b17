begin
  runners = HTTParty.get("https://code.example.com/api/v4/runners", headers: h)
rescue => e
  logger.error("https://code.example.com/api/v4/runners?status=paused #{e}")
  notify(status: "paused", approval_status: "approved")
end
