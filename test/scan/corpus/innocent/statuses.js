const labels = { paused: "paused", active: "active", not_connected: "never seen" };
if (subscription.status === "paused") resume(subscription);
