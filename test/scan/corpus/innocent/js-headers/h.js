const res = await fetch("https://code.example.com/api/v4/runners", { headers: { "PRIVATE-TOKEN": t, status: "paused" } });
if (res.status === 200) ui.set({ status: "active" });
const job = await res.json();
ui.state = { status: "paused", job };
