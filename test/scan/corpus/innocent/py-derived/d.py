import requests
runners = requests.get("https://code.example.com/api/v4/runners", headers={"PRIVATE-TOKEN": "x"}).json()
names = [r["description"] for r in runners]
users = lookup(runners)
for user in users:
    if user["status"] == "active":
        print(user, names)
