url = "#{base}/runners?status=active"
