// npm run demo, and npm run demo -- --team.
await import(process.argv.includes("--team") ? "./team.mjs" : "./demo.mjs");
