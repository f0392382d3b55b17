class Runner:
    def __init__(self, data):
        self.status = data["status"]
    def paused(self):
        return self.status == "paused"
def fetch():
    return requests.get("https://code.example.com/api/v4/runners", headers={"PRIVATE-TOKEN": "x"}).json()
