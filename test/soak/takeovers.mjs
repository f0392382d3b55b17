/** Two watchers that share a state, of which the one whose turn it is is killed again and again while a project drifts and recovers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { request as ask, createServer as listen } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createServer } from "../../dist/index.js";
import { packagedServer, startDatabase, systemServer } from "../support/database.mjs";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const token = "token-of-the-soak";
const path = "takeovers/p";
const wiki = (url) => ({ "external-wiki": { external_wiki_url: url } });

/** Passes requests on, and remembers whose they were, in their order. */
async function gate(url, senders) {
  const server = listen((request, response) => {
    const { method, headers, url: wanted } = request;
    senders.push(headers["private-token"]);
    const onward = ask(url + wanted, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function chatRoom(heard) {
  const server = listen(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    heard.push(JSON.parse(text));
    response.end("ok");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

function layOut(workspace, url) {
  mkdirSync(workspace, { recursive: true });
  const notify = [{ url: { secret: "env:CHAT" }, on: ["drift", "recovered"] }];
  const settings = { apiVersion: "evenkeel/v1", kind: "Workspace", name: "takeovers", server: { url }, notify };
  const policy = { apiVersion: "evenkeel/v1", kind: "Policy", name: "all", projects: [path] };
  writeFileSync(join(workspace, "evenkeel.yaml"), JSON.stringify(settings));
  writeFileSync(join(workspace, "all.yaml"), JSON.stringify({ ...policy, integrations: wiki("https://a") }));
}

/** Resolves to what was wrong, and the figures. */
export async function soakTakeovers({ folder, takeovers, random, say }) {
  const names = Array.from({ length: takeovers + 2 }, (_, index) => `watcher-${index}-of-the-soak`);
  const tokens = names.map((name) => ({ token: name, role: "admin" }));
  const project = { id: 1, path, integrations: wiki("https://a") };
  const server = await createServer({ seed: { projects: [project], tokens }, token, keepRequests: 0 });
  const database = await startDatabase(folder, (await packagedServer()) ?? systemServer());
  const [senders, heard] = [[], []];
  const [way, chat] = [await gate(server.url, senders), await chatRoom(heard)];
  const workspace = join(folder, "takeovers");
  layOut(workspace, way.url);
  const env = { PATH: process.env.PATH, EVENKEEL_STATE: database.url(), EVENKEEL_LEASE: "1s", CHAT: chat.url };
  const begin = (EVENKEEL_TOKEN) => {
    const words = [program, "watch", "--every", "100ms", "--grace", "1"];
    const child = spawn(process.execPath, words, { cwd: workspace, env: { ...env, EVENKEEL_TOKEN } });
    const watcher = { child, name: EVENKEEL_TOKEN, said: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (watcher.said += text));
    return watcher;
  };
  const edit = (url) =>
    fetch(`${server.url}/api/v4/projects/${encodeURIComponent(path)}/integrations/external-wiki`, {
      method: "PUT",
      headers: { "PRIVATE-TOKEN": token, "content-type": "application/json" },
      body: JSON.stringify({ external_wiki_url: url }),
    });
  const until = async (what, happened) => {
    for (const end = performance.now() + 20_000; performance.now() < end; await pause(10)) if (happened()) return;
    throw new Error(`waited in vain for ${what}`);
  };
  const looked = ({ said }) => / {2}(?:in sync|drift): /.test(said);
  const running = [];
  const gaps = [];
  let edits = 0;
  try {
    running.push(begin(names[0]));
    await until("the first look", () => looked(running[0]));
    for (let taken = 1; taken <= takeovers; taken++) {
      running.push(begin(names[taken]));
      await until("the one that stands by", () => running[1].said.includes("Standby"));
      await edit(++edits % 2 === 1 ? `https://by-hand/${edits}` : "https://a");
      await pause(random() * 400);
      const [first, second] = running;
      const killed = performance.now();
      first.child.kill("SIGKILL");
      await once(first.child, "close");
      running.shift();
      await until("a takeover", () => looked(second));
      gaps.push(performance.now() - killed);
      if (taken % 10 === 0) say(`${taken} takeovers, ${heard.length} notifications`);
    }
    await until("the last notification", () => toldOf(heard).length >= edits);
    await pause(500);
  } finally {
    for (const { child } of running) child.kill("SIGKILL");
    for (const each of [way, chat]) each.close();
    await server.close();
    await database.stop();
  }
  return { wrongs: wrongsIn(senders, heard, names, edits), figures: figuresOf(gaps, heard) };
}

/** Notifications without those that say again, word for word, what was on its way while a watcher was killed. */
function toldOf(heard) {
  return heard.filter(({ text }, index) => heard.findIndex((each) => each.text === text) === index);
}

function wrongsIn(senders, heard, names, edits) {
  const turns = senders.map((sender) => names.indexOf(sender));
  const wrongs = [];
  if (turns.some((turn, index) => index > 0 && turn < turns[index - 1])) wrongs.push("two watchers looked at once");
  const events = toldOf(heard).map(({ event }) => event);
  if (events.some((event, index) => event !== (index % 2 === 0 ? "drift" : "recovered")))
    wrongs.push(`told twice, or not at all: ${events.join(", ")}`);
  if (events.length !== edits) wrongs.push(`${events.length} of ${edits} changes were told`);
  return wrongs;
}

function figuresOf(gaps, heard) {
  const sorted = [...gaps].sort((a, b) => a - b);
  const seconds = (gap) => (gap / 1000).toFixed(2);
  const again = heard.length - toldOf(heard).length;
  return {
    median: seconds(sorted[Math.floor(sorted.length / 2)]),
    longest: seconds(sorted.at(-1)),
    told: heard.length,
    again,
  };
}
