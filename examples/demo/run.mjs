// npm run demo, npm run demo -- --team, and npm run demo -- --console.
const demos = { "--team": "./team.mjs", "--console": "./console.mjs" };
const asked = Object.keys(demos).find((name) => process.argv.includes(name));
await import(demos[asked] ?? "./demo.mjs");
