r = requests.get("https://graph.microsoft.com/v1.0/groups/1/registry/repositories", params={"tags": True})
requests.get("https://gitlab.example.com/api/v3/runners", params={"status": "x"})
