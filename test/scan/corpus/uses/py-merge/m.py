import requests
API = "https://code.example.com/api/v4"
DEFAULTS = {"status": "active"}
requests.get(API + "/runners", params={**DEFAULTS, "page": 1})
