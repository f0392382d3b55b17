import requests

url = f"https://code.example.com/api/v4/projects/{pid}/managed_licenses"
status = "approved"
requests.post(url, headers={"PRIVATE-TOKEN": t}, data={"name": "MIT", "approval_status": status})
