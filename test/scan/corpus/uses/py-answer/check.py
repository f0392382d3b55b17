import requests

runners = requests.get("https://code.example.com/api/v4/runners/all", headers={"PRIVATE-TOKEN": "x"}).json()
for runner in runners:
    if runner["status"] == "paused":
        print(runner["id"])
