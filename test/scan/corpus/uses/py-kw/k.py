import requests
s = requests.Session()
api = "https://code.example.com/api/v4/projects/5"
s.patch(f"{api}/managed_licenses/{i}", json=dict(approval_status="blacklisted"))
