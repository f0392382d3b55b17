import requests

session = requests.Session()
session.headers["PRIVATE-TOKEN"] = token
base = "https://code.example.com/api/v4"
resp = session.get(base + "/runners/all", params=dict(status="paused", per_page=100))
