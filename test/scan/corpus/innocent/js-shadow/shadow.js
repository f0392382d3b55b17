const r = await fetch("https://code.example.com/api/v4/runners", { headers: { "PRIVATE-TOKEN": t } });
const list = await r.json();
subscriptions.filter((r) => r.status === "paused");
const f = function (list) { return list.status === "active"; };
console.log(list.length);
