uri = URI.parse("https://code.example.com/api/v4/runners")
http = Net::HTTP.new(uri.host, uri.port)
uri.query = URI.encode_www_form("status" => "paused", "per_page" => 100)
request = Net::HTTP::Get.new(uri)
