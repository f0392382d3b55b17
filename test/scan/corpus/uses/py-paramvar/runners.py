import requests

def idle(session, base):
    url = f"{base}/api/v4/runners"
    params = {"status": "not_connected", "per_page": 100}
    return session.get(url, params=params).json()
