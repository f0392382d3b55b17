import requests
HEADERS = {"PRIVATE-TOKEN": "x"}
r = requests.get("https://code.example.com/api/v4/runners/all", headers=HEADERS, params={"status": "paused"})
