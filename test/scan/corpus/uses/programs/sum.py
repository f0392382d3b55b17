print(requests.get(url + "/projects/" + str(id) + "/packages").json()[0]["pipelines"])
