// The embedded server in a process of its own: node server.mjs COUNT FOLDER PORT CHAOS TOKEN. Prints its address, and
// keeps its figures in FOLDER/figures-PID.json.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "../../dist/index.js";
import { seedOf } from "./fleet.mjs";

const [count, folder, port, chaos, token] = process.argv.slice(2);
const faults = {};

/** A rule that counts: each request that it hits asks it once whether the server acts first. */
function counting({ name, acted = false, ...rule }) {
  faults[name] = 0;
  return Object.defineProperty(rule, "acted", {
    get: () => {
      faults[name]++;
      return acted;
    },
  });
}

const server = await createServer({
  data: join(folder, "server.db"),
  seed: seedOf(Number(count)),
  port: Number(port),
  token,
  chaos: JSON.parse(chaos).map(counting),
  keepRequests: 0,
});
const file = join(folder, `figures-${process.pid}.json`);
setInterval(() => {
  const { total, writes } = server.requests;
  writeFileSync(`${file}.new`, JSON.stringify({ total, writes, faults }));
  renameSync(`${file}.new`, file);
}, 50);
console.log(server.url);
