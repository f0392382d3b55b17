import requests
requests.get("https://code.example.com/api/v4/runners", headers={"status": "paused", "PRIVATE-TOKEN": t})
requests.post("https://hooks.example.com/x", json={"status": "paused", "runners": 3})
