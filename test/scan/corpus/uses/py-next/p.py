import requests
resp = requests.request("GET", f"{HOST}/api/v4/runners/{rid}", headers={"PRIVATE-TOKEN": T})
runner = resp.json()
def main():
    assert runner["status"] == "active", "no"
