// npm run bench:rate -- [RATE] [SECONDS] [RUNS]: several runs, each a process of its own, plan at the same time with one
// `rateLimit` against a server that refuses what is above it. Prints the share of the limit that they used, and refusals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packagedServer, startDatabase, systemServer } from "../support/database.mjs";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const [rate = "200/s", seconds = "30", runs = "3"] = process.argv.slice(2);
const [, requests, unit] = /^(\d+)\/(s|min)$/.exec(rate);
const limit = { requests: Number(requests), per: unit === "s" ? 1000 : 60_000 };
const perSecond = (limit.requests * 1000) / limit.per;

/** Counts in fixed windows; one of a minute is also held against seconds, as a bucket would be. */
function limiting() {
  const served = [];
  let [window, used, refused] = [0, 0, 0];
  const server = createServer((request, response) => {
    request.resume();
    const now = performance.now();
    if (Math.floor(now / limit.per) !== window) [window, used] = [Math.floor(now / limit.per), 0];
    if (++used > limit.requests) {
      refused++;
      return response.writeHead(429, { "retry-after": "1" }).end();
    }
    served.push(now);
    response.writeHead(200, { "content-type": "application/json" }).end(request.url.includes("/version") ? "{}" : "[]");
  });
  return { server, served, refused: () => refused };
}

function layOut(folder, number) {
  mkdirSync(folder);
  const count = Math.ceil((perSecond * Number(seconds)) / Number(runs));
  const head = { apiVersion: "evenkeel/v1" };
  const workspace = { ...head, kind: "Workspace", name: `run-${number}`, rateLimit: rate };
  const projects = Array.from({ length: count }, (_, index) => `r${number}/p${index}`);
  const policy = { ...head, kind: "Policy", name: "all", projects, licenses: { MIT: "allowed" } };
  writeFileSync(join(folder, "evenkeel.yaml"), JSON.stringify(workspace));
  writeFileSync(join(folder, "all.yaml"), JSON.stringify(policy));
}

async function plan(cwd, env) {
  const child = spawn(process.execPath, [program, "plan", "--quiet", "--report", "json"], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`a run ended with ${code}`);
  return performance.now();
}

const home = mkdtempSync(join(tmpdir(), "evenkeel-rate-"));
const database = await startDatabase(home, (await packagedServer()) ?? systemServer());
const { server, served, refused } = limiting();
server.listen(0, "127.0.0.1");
await once(server, "listening");
try {
  const env = {
    PATH: process.env.PATH,
    EVENKEEL_TOKEN: "bench",
    EVENKEEL_URL: `http://127.0.0.1:${server.address().port}`,
    EVENKEEL_STATE: database.url(),
  };
  const folders = Array.from({ length: Number(runs) }, (_, number) => join(home, `run-${number}`));
  for (const [number, folder] of folders.entries()) layOut(folder, number);
  const ended = Math.min(...(await Promise.all(folders.map((folder) => plan(folder, env)))));
  // From when all of them send, to when the first has nothing left to send.
  const from = served[0] + 2000;
  const to = ended - 500;
  const within = served.filter((at) => at >= from && at < to).length;
  const share = within / (((to - from) * perSecond) / 1000);
  console.log(`${runs} runs, ${rate}: ${within} requests in ${((to - from) / 1000).toFixed(1)} s`);
  console.log(`${(share * 100).toFixed(1)} % of the limit used, ${refused()} refused`);
} finally {
  server.close();
  server.closeAllConnections();
  await database.stop();
  rmSync(home, { recursive: true, force: true });
}
