params = { per_page: 50, tags: true }
url = "https://code.example.com/api/v4/groups/#{gid}/registry/repositories"
res = Faraday.get(url, { tags: true, per_page: 5 }, headers)
