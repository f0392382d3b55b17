import requests
url = f"{base}/api/v4/projects/{pid}/packages"
page = requests.get(url, params={"page": 1})
packages = page.json()
for index, package in enumerate(packages):
    latest = package.get("pipelines")
