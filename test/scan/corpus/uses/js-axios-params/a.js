const { data: runners } = await axios.get("https://code.example.com/api/v4/runners/all", {
  headers: { "PRIVATE-TOKEN": token },
  params: { status: "paused", per_page: 100 },
});
