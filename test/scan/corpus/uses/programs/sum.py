url = "https://code.example.com/api/v4"
print(requests.get(url + "/projects/" + str(id) + "/packages").json()[0]["pipelines"])
