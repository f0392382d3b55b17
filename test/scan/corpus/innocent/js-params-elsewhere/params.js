const params = new URLSearchParams({ status: "paused" });
await fetch(`https://billing.example.com/subscriptions?${params}`);
await fetch(`https://code.example.com/api/v4/runners?tag_list=x`, { headers: { "PRIVATE-TOKEN": t } });
