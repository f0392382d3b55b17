import requests
runner = requests.get(f"https://code.example.com/api/v4/runners/{i}", headers={"PRIVATE-TOKEN": t}).json()
status = runner["status"]
print(status)
if status == "paused":
    resume(i)
