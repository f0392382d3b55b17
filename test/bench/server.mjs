// The embedded server in a process of its own: node server.mjs COUNT; prints its address.
import { createServer } from "../../dist/index.js";
import { seedOf } from "./fleet.mjs";

const server = await createServer({ seed: seedOf(Number(process.argv[2])), token: "bench" });
console.log(server.url);
