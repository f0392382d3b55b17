import requests

package = requests.get("https://code.example.com/api/v4/projects/7/packages/9").json()
pipelines = requests.get("https://code.example.com/api/v4/projects/7/pipelines").json()
print(package["name"], project.pipelines.list())
