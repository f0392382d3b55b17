// The embedded server in a process of its own: node server.mjs COUNT [LATENCY [KNEE]]; prints its address. With a knee, a
// gate before it takes the longer for a request the more of them are in flight: twice as long at the knee, five times
// as long at double that.
import { createServer as createGate, request as forward } from "node:http";
import { createServer } from "../../dist/index.js";
import { seedOf } from "./fleet.mjs";

const [count, latency = 0, knee = 0] = process.argv.slice(2).map(Number);
const server = await createServer({ seed: seedOf(count), token: "bench", latency: knee ? 0 : latency });
console.log(knee ? await gateBefore(server.url) : server.url);

async function gateBefore(url) {
  let inFlight = 0;
  const gate = createGate((request, response) => {
    const { method, headers } = request;
    const wait = latency * (1 + (++inFlight / knee) ** 2);
    setTimeout(() => {
      forward(`${url}${request.url}`, { method, headers }, (answer) => {
        inFlight--;
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      }).end();
    }, wait);
  });
  await new Promise((resolve) => gate.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${gate.address().port}`;
}
