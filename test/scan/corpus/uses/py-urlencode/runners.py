from urllib.parse import urlencode
from urllib.request import urlopen
print(urlopen("https://code.example.com/api/v4/runners?" + urlencode({"status": "paused"})).read())
