import requests
runners = requests.get("https://code.example.com/api/v4/runners", headers={"PRIVATE-TOKEN": "x"}).json()
vpns = list(filter(lambda runners: runners["status"] == "not_connected", all_vpns))
by_id = {r["id"]: r for r in runners}
state = [s for s in subscriptions if s["status"] == "paused"]
