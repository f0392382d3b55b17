import json, requests

cfg = json.load(open("config.json"))
packages = requests.get("https://code.example.com/api/v4/projects/7/packages").json()
for name in cfg["pipelines"]:
    print(name, len(packages))
