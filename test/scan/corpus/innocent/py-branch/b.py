import requests
def go(kind):
    url = "https://code.example.com/api/v4/runners"
    return requests.get(url, headers={"PRIVATE-TOKEN": "x"}).json()
def other(url):
    return requests.get(url, params={"status": "paused"}).json()
