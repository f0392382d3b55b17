const u = new URL("/api/v4/runners", "https://code.example.com");
u.searchParams.append("status", "paused");
const r = await fetch(u);
