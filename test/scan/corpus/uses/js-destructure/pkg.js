const { data } = await axios.get(`https://code.example.com/api/v4/projects/${id}/packages`);
for (const p of data) {
  console.log(p.name, p.pipelines.length);
}
