import requests
url = f"https://code.example.com/api/v4/projects/{pid}/managed_licenses"
payload = {"name": "MIT", "approval_status": "approved"}
requests.post(url, json=payload, headers={"PRIVATE-TOKEN": t})
