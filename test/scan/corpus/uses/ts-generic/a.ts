const packages = await client.get<Package[]>(`https://code.example.com/api/v4/projects/${id}/packages`).then((r) => r.data);
const ids = packages.flatMap((p) => p.pipelines);
