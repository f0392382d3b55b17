import requests
QUERY = """
query {
  runners(status: PAUSED) { nodes { id } }
}
"""
requests.post(f"{url}/api/graphql", json={"query": QUERY})
