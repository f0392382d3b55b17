const a = new URLSearchParams();
a.set("status", "paused");
const b = new URLSearchParams({ tag_list: "x" });
await fetch(`https://billing.example.com/v1/plans?${a}`);
await fetch(`https://code.example.com/api/v4/runners?${b}`, { headers });
