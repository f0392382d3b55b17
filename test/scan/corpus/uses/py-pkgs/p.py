import requests
pkgs = requests.get(f"https://code.example.com/api/v4/projects/{p}/packages").json()
ids = [pkg["pipelines"][0]["id"] for pkg in pkgs]
