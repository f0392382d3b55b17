/** Days of a watcher in a minute: looks one after another against the embedded server, whose fleet drifts and recovers meanwhile. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer as listen } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createServer } from "../../dist/index.js";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const probe = new URL("heap-probe.mjs", import.meta.url).href;
const token = "token-of-the-soak";
const projects = 10;
const wiki = (url) => ({ "external-wiki": { external_wiki_url: url } });

/** Bytes by which the heap may grow from the first tenth of the looks to the last one. */
const mostGrowth = 4 * 1024 * 1024;

async function chatRoom() {
  let heard = 0;
  const server = listen((request, response) => {
    request.resume().once("end", () => response.end("ok"));
    heard++;
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, heard: () => heard, close: () => server.close() };
}

function layOut(workspace, url) {
  mkdirSync(workspace, { recursive: true });
  const settings = { apiVersion: "evenkeel/v1", kind: "Workspace", server: { url }, ledger: "state" };
  const notify = [{ url: { secret: "env:CHAT" } }];
  const policy = { apiVersion: "evenkeel/v1", kind: "Policy", name: "all", projects: ["soak/*"] };
  writeFileSync(join(workspace, "evenkeel.yaml"), JSON.stringify({ ...settings, notify }));
  writeFileSync(join(workspace, "all.yaml"), JSON.stringify({ ...policy, integrations: wiki("https://a") }));
}

/** Resolves to what was wrong, and the figures. */
export async function soakLooks({ folder, looks, say }) {
  const seed = Array.from({ length: projects }, (_, index) => ({
    ...{ id: index + 1, path: `soak/p${index}`, integrations: wiki("https://a") },
  }));
  const server = await createServer({ seed: { projects: seed }, token, keepRequests: 0 });
  const chat = await chatRoom();
  const workspace = join(folder, "watched");
  layOut(workspace, server.url);
  const every = Math.max(1, Math.round(looks / 10));
  const args = ["--expose-gc", "--import", probe, program, "watch", "--max-checks", String(looks), "--every", "1ms"];
  const env = { PATH: process.env.PATH, EVENKEEL_TOKEN: token, CHAT: chat.url, PROBE_EVERY: String(every) };
  const child = spawn(process.execPath, [...args, "--apply", "drift"], { cwd: workspace, env });
  const measured = [];
  let seen = 0;
  let other = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    for (const line of text.split("\n").filter(Boolean)) {
      if (!line.startsWith("probe ")) other += `${line}\n`;
      else measured.push(JSON.parse(line.slice(6)));
    }
  });
  const edit = (url) =>
    fetch(`${server.url}/api/v4/projects/soak%2Fp1/integrations/external-wiki`, {
      method: "PUT",
      headers: { "PRIVATE-TOKEN": token, "content-type": "application/json" },
      body: JSON.stringify({ external_wiki_url: url }),
    });
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const before = seen;
    seen += text.split("\n").length - 1;
    if (Math.floor(before / 20) < Math.floor(seen / 20)) edit(`https://by-hand/${seen}`);
    if (Math.floor(before / 500) < Math.floor(seen / 500)) say(`${seen} looks`);
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  chat.close();
  await server.close();
  const wrongs = [];
  if (![0, 2].includes(code) || seen !== looks)
    wrongs.push(`ended with ${code} after ${seen} looks: ${other.slice(-1000)}`);
  const [first] = measured;
  const last = measured.at(-1);
  if (!first || !last || last.heapUsed - first.heapUsed > mostGrowth) wrongs.push("the heap grew");
  if (last && last.handles > first.handles + 3) wrongs.push("handles were left open");
  if (chat.heard() === 0) wrongs.push("nobody was told anything");
  return { wrongs, measured, told: chat.heard() };
}
