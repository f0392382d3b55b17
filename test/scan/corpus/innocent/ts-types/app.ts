interface Runner { status: "active" | "paused"; tags: string[] }
type Query = { status?: "paused" };
const isPaused = (r: Runner) => r.status === "paused";
const res = await fetch("https://code.example.com/api/v4/runners");
