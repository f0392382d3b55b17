import requests
for r in requests.get("https://code.example.com/api/v4/runners", headers={"PRIVATE-TOKEN": t}).json():
    owner = users[r["id"]]
    if owner["status"] == "active":
        print(owner["tags"])
