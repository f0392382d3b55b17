import requests
url = f"https://code.example.com/api/v4/groups/{gid}/registry/repositories"
repos = requests.get(url, params={"tags": True}).json()
for repo in repos:
    for tag in repo["tags"]:
        print(tag)
