import json
import sys

import gitlab

url, token = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token)
project = gl.projects.get(1)


def tell(what, ask):
    try:
        answer = ask()
    except Exception as error:
        answer = "error: " + str(error)
    print(json.dumps([what, answer]))


def failure(ask):
    try:
        return ask()
    except gitlab.GitlabError as error:
        return error


def edit(slug):
    required, _ = project.integrations._service_attrs[slug]
    project.integrations.update(slug, {name: "https://example.com/:id" for name in required})


# calls
