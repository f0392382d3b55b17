import requests
GITLAB_URL = "https://code.example.com"
state = "paused"
requests.get(f"{GITLAB_URL}/api/v4/runners?status={state}", headers={"PRIVATE-TOKEN": T})
