import requests
BASE = "https://marathon.example.com/v2"
runners = requests.get(f"{BASE}/runners", params={"status": "active"}).json()
print([r for r in runners if r["status"] == "paused"])
