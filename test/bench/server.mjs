// The embedded server in a process of its own: node server.mjs COUNT [LATENCY [UNMANAGED]]; prints its address. UNMANAGED:
// licenses of each project that no policy declares.
import { createServer } from "../../dist/index.js";
import { seedOf } from "./fleet.mjs";

const [count, latency = 0, unmanaged = 0] = process.argv.slice(2).map(Number);
const { url } = await createServer({ seed: seedOf(count, unmanaged), token: "bench", latency });
console.log(url);
