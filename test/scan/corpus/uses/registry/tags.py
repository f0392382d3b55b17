import requests

base = "https://code.example.com/api/v4"
first = requests.get(f"{base}/groups/{group}/registry/repositories?tags=1&tags_count=true")
second = requests.get(
    f"{base}/groups/{group}/registry/repositories",
    params={"tags": True, "per_page": 100},
)
for repository in second.json():
    print(repository["tags"])
