import boto3, requests

repos = requests.get(f"{API}/api/v4/groups/{gid}/registry/repositories", headers=H).json()
ec2 = boto3.client("ec2")
for instance in ec2.describe_instances()["Reservations"]:
    print(instance["tags"], instance["tags_count"])
    names = [repo["name"] for repo in repos]
