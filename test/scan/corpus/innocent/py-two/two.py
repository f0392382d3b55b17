import requests

GITLAB = "https://code.example.com/api/v4"
JENKINS = "https://jenkins.example.com"

def nodes():
    return requests.get(f"{JENKINS}/runners", params={"status": "offline"}).json()

def runners():
    return requests.get(f"{GITLAB}/runners", params={"tag_list": "x"}).json()
