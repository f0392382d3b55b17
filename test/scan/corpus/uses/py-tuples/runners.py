import requests

url = "https://code.example.com/api/v4/runners"
query = [("status", "active"), ("per_page", "5")]
print(requests.get(url, params=query).json())
