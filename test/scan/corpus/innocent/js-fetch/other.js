const runners = await fetch(`${base}/api/v4/runners`, { headers: { "PRIVATE-TOKEN": token } }).then((r) => r.json());
const sub = await stripe.subscriptions.retrieve(id);
if (sub.status === "paused") await resume(sub);
console.log(runners.length);
