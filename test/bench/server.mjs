// The embedded server in a process of its own: node server.mjs COUNT [LATENCY]; prints its address.
import { createServer } from "../../dist/index.js";
import { seedOf } from "./fleet.mjs";

const [count, latency = 0] = process.argv.slice(2).map(Number);
const server = await createServer({ seed: seedOf(count), token: "bench", latency });
console.log(server.url);
