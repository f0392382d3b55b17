import requests
def runners(status):
    return requests.get(f"{HOST}/api/v4/runners", params={"status": status}, headers=H).json()
requests.get(f"{HOST}/api/v4/runners", {"status": "paused"}, headers=H)
