r = requests.post(f"{url}/api/graphql", json={"query": "mutation { apiFuzzingCiConfigurationCreate(input: {}) { errors } }"})
q = f"""query {{ package(id: "{pid}") {{ pipelines {{ count }} }} }}"""
