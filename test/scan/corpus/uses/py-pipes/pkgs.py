import requests
packages = requests.get("https://code.example.com/api/v4/projects/7/packages").json()
for p in packages:
    print(p["pipelines"][0]["id"])
