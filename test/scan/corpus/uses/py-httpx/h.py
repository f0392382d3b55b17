import httpx
async def go(client, g):
    r = await client.get(
        f"https://code.example.com/api/v4/groups/{g}/registry/repositories", params={"tags_count": "true"})
    repos = r.json()
    return sum(repo["tags_count"] for repo in repos)
