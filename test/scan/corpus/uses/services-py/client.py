def slack(url, id):
    return requests.get(f"{url}/projects/{id}/services/slack", headers={"PRIVATE-TOKEN": TOKEN})
