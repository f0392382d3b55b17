import requests

url = "https://code.example.com/api/v4/runners"
print(requests.get(url, headers={"PRIVATE-TOKEN": "x"}).json())
url = "https://billing.example.com/subscriptions"
print(requests.get(url, params={"status": "paused"}).json())
