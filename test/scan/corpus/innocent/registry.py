import requests

base = "https://code.example.com/api/v4"
one = requests.get(f"{base}/registry/repositories/9?tags=true&tag_count=true").json()
project = requests.get(f"{base}/projects/3/registry/repositories?tags=true").json()
group = requests.get(f"{base}/groups/3/registry/repositories").json()
instances = ec2.describe(tags=True)
