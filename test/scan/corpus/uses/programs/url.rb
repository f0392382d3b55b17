base = "https://code.example.com/api/v4"
url = "#{base}/runners?status=active"
