import requests
class C:
    def __init__(self, host):
        self.url = f"https://{host}/api/v4/runners/all"
    def paused(self):
        return requests.get(self.url, params={"status": "paused"}).json()
