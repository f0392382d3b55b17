import requests

r = requests.get("https://api.github.com/repos/o/r/actions/runners", params={"status": "offline"})
for runner in r.json()["runners"]:
    if runner["status"] == "active":
        print(runner["name"])
