import requests
url = f"{GITLAB}/api/v4/runners"
params = {"per_page": 100}
params["status"] = "not_connected"
requests.get(url, params=params)
