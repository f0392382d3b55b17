const res = await fetch("https://code.example.com/api/v4/runners", { headers });
const runners = await res.json();
for (const runner of runners) {
  if (runner.status === "not_connected") stale.push(runner);
}
