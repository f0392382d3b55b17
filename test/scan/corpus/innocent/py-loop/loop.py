import requests
TOKEN = {"PRIVATE-TOKEN": "x"}
for r in requests.get("https://code.example.com/api/v4/projects/1/jobs", headers=TOKEN).json():
    if r["status"] == "active":
        print(r["pipelines"], r["tags"])
