import requests
H = {"PRIVATE-TOKEN": "x"}
package = requests.get("https://code.example.com/api/v4/projects/7/packages/3", headers=H).json()
print(package["pipelines"])
project = requests.get("https://code.example.com/api/v4/projects/7", headers=H).json()
print(project["tags"], project["pipelines"])
