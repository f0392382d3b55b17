const packages = await (await fetch(`${api}/api/v4/projects/${id}/packages?per_page=100`)).json();
for (const { name, ...rest } of packages) console.log(name, rest.pipelines.length, rest["pipelines"]);
