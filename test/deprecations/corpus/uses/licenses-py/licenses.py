def allow(project, name):
    """approval_status is approved in the old days"""
    return client.post(f"/projects/{project}/managed_licenses", json={"name": name, "approval_status": "approved"})

def denied(entry):
    return entry["approval_status"] == 'blacklisted'
