import requests
H = {"PRIVATE-TOKEN": "x"}
repo = requests.get("https://code.example.com/api/v4/registry/repositories/9", headers=H, params={"tags": True, "tags_count": True}).json()
print(repo["tags"], repo["tags_count"])
for r in requests.get("https://code.example.com/api/v4/projects/9/registry/repositories", headers=H, params={"tags": True}).json():
    print(r["tags"])
