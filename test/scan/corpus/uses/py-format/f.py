import requests
url = "{}/api/v4/projects/{}/runners".format(host, pid)
for r in requests.get(url, params=[("status", "active")]).json(): print(r)
