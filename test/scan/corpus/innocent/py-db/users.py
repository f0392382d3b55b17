import requests

active = requests.get(f"{base}/api/v4/runners", params={"tag_list": "x"}, headers={"PRIVATE-TOKEN": t}).json()
users = db.execute("SELECT * FROM users WHERE status = 'paused'")
for u in users:
    if u["status"] == "active":
        notify(u)
print(len(active))
