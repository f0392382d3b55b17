fetch("https://code.example.com/api/v4/runners", { headers: { "PRIVATE-TOKEN": token } })
  .then((res) => res.json())
  .then((runners) => runners.filter((r) => r.status === "paused"))
  .then(console.log);
