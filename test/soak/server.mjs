// The embedded server in a process of its own: node server.mjs COUNT FOLDER PORT TOKEN. Prints its address.
import { join } from "node:path";
import { createServer } from "../../dist/index.js";
import { seedOf } from "./fleet.mjs";

const [count, folder, port, token] = process.argv.slice(2);
const server = await createServer({
  data: join(folder, "server.db"),
  seed: seedOf(Number(count)),
  port: Number(port),
  token,
  keepRequests: 0,
});
console.log(server.url);
