import requests
URL = "https://code.example.com/api/v4/runners"
ALL = {"status": "paused"}
def billing():
    return requests.get("https://billing.example.com", params=ALL)
def runners():
    return requests.get(URL, headers={"PRIVATE-TOKEN": "x"})
