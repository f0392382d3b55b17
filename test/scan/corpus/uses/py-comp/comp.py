import requests
resp = requests.get(f"{API}/api/v4/projects/{pid}/runners")
data = resp.json()
active = [r for r in data if r.get("status") == "active"]
