uri = URI("https://code.example.com/api/v4/projects/5/managed_licenses")
req = Net::HTTP::Post.new(uri)
req["PRIVATE-TOKEN"] = token
req.set_form_data("name" => "GPL", "approval_status" => "blacklisted")
