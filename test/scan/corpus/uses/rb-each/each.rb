licenses = JSON.parse(RestClient.get("https://code.example.com/api/v4/projects/5/managed_licenses", headers).body)
licenses.each do |license|
  puts license["name"] if license["approval_status"] == "approved"
end
