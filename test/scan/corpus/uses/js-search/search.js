const params = new URLSearchParams({ per_page: "100" });
params.append("status", "paused");
const res = await fetch(`https://code.example.com/api/v4/runners/all?${params}`, { headers: { "PRIVATE-TOKEN": t } });
