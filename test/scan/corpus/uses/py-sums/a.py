import requests
s = requests.Session()
r = s.get(f"https://code.example.com/api/v4/groups/{g}/registry/repositories", timeout=5)
r.raise_for_status()
total = sum(x["tags_count"] for x in r.json())
names = [t["name"] for x in r.json() for t in x["tags"]]
