response = HTTParty.get("https://code.example.com/api/v4/runners/#{id}", headers: headers)
runner = response.parsed_response
status = runner.fetch("status")
exit 1 if status == "not_connected"
