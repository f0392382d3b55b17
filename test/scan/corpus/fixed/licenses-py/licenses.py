def allow(project, name):
    """approval_status is approved in the old days"""
    return client.post(f"/projects/{project}/managed_licenses", json={"name": name, "approval_status": "allowed"})

def denied(project):
    for entry in client.get(f"/projects/{project}/managed_licenses"):
        if entry["approval_status"] == 'denied':
            yield entry
