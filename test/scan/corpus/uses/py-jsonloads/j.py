import json
from urllib.request import urlopen
body = urlopen("https://code.example.com/api/v4/runners").read()
for runner in json.loads(body):
    if runner["status"] in ("not_connected", "never_contacted"):
        print(runner)
