import requests

def runners():
    r = requests.get("https://code.example.com/api/v4/runners/all", headers={"PRIVATE-TOKEN": "x"})
    return r.json()

def subscription(r):
    return r["status"] == "paused"

def job(row):
    r = row.get("job")
    return r["status"] == "active"
