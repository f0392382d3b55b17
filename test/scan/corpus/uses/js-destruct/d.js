const runner = await fetch(`${CI_API_V4_URL}/runners/${id}`).then((r) => r.json());
const { status, description } = runner;
if (status === "paused") console.log(description);
