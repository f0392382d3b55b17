import requests

runners = requests.get("https://code.example.com/api/v4/runners/all", headers={"PRIVATE-TOKEN": T}).json()
vpn = client.status()
if vpn["status"] == "not_connected":
    vpn.connect()
for runner in runners:
    print(runner["id"])
