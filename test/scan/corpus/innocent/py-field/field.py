import requests
data = requests.get("https://code.example.com/api/v4/runners/5", headers={"PRIVATE-TOKEN": t}).json()
for project in data["projects"]:
    if project["status"] == "active":
        print(project)
