fetch("https://code.example.com/api/v4/runners", { headers: { "PRIVATE-TOKEN": t } })
  .then((res) => res.json())
  .then((runners) => loadUsers(runners))
  .then((users) => users.filter((u) => u.status === "active"));
