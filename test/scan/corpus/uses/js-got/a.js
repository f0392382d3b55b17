const api = got.extend({ prefixUrl: "https://code.example.com/api/v4", headers: { "PRIVATE-TOKEN": t } });
const stale = await api
  .get("runners/all", { searchParams: { status: "not_connected" } })
  .json();
