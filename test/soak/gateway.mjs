/** What stands between the program and the server: it hands requests on, and lets faults hit them. */
import { once } from "node:events";
import { Agent, request as ask, createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A gateway to whatever `target.url` says when a request comes. It knows each run by the token that it was given, and
 * puts `token` in its place. `onWrite(run, moment)` is called as a write arrives, has landed, and was answered; where it
 * says false, the run is gone and nobody is answered.
 */
export async function openGateway({ target, token, random, onWrite }) {
  const figures = { requests: 0, writes: 0, duplicates: 0, faults: {} };
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const pending = new Set();
  const created = new Set();
  let drawing = { share: 0, faults: [] };

  const send = async ({ method, url, headers, body }) => {
    const own = { ...headers, host: new URL(target.url).host, "private-token": token };
    const outgoing = ask(target.url + url, { method, headers: own, agent });
    outgoing.end(body);
    const [answer] = await once(outgoing, "response");
    return { status: answer.statusCode, headers: answer.headers, body: await bytesOf(answer) };
  };

  /** A server without a unique index would now have two of them: the embedded one has one, and so does not tell. */
  const countDuplicate = ({ method, url, body }, { status }) => {
    if (method !== "POST") return;
    const key = `${url} ${new URLSearchParams(body.toString()).get("name")}`;
    if (created.has(key)) figures.duplicates++;
    if (status === 201) created.add(key);
  };

  const forward = async (asked) => {
    const answer = await send(asked);
    countDuplicate(asked, answer);
    return answer;
  };

  const draw = (kind) => {
    const fit = drawing.faults.filter(({ on, times = Number.POSITIVE_INFINITY, name }) => {
      return (!on || on.includes(kind)) && (figures.faults[name] ?? 0) < times;
    });
    if (fit.length === 0 || random() >= drawing.share) return undefined;
    const fault = fit[Math.floor(random() * fit.length)];
    figures.faults[fault.name] = (figures.faults[fault.name] ?? 0) + 1;
    return fault;
  };

  const follow = (landed) => {
    const settled = landed.catch(() => {}).finally(() => pending.delete(settled));
    pending.add(settled);
    return landed;
  };

  /** What is said in the end; undefined where nobody is left to hear it. */
  const landing = async (asked, fault) => {
    if (fault?.late !== undefined) void follow(sleep(fault.late).then(() => forward(asked)));
    return !fault || fault.acted ? follow(forward(asked)) : undefined;
  };

  const respond = async (request, response) => {
    const { method, url, headers } = request;
    const asked = { method, url, headers, body: await bytesOf(request) };
    const isWrite = method !== "GET";
    figures.requests++;
    if (isWrite) figures.writes++;
    const tell = (moment) => !isWrite || onWrite(headers["private-token"], moment);
    const fault = draw(kindOf(method, url));
    if (!tell("arrives")) return response.destroy();
    const answer = await landing(asked, fault);
    if (!tell("landed")) return response.destroy();
    await say(response, answer, fault);
    return tell("answered");
  };

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    figures,
    /** Faults from now on; none without an argument. */
    inflict: (share = 0, faults = []) => {
      drawing = { share, faults };
    },
    /** Resolves when everything has landed that is on its way. */
    settled: () => Promise.all(pending),
    close: () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bytesOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const lists = /\/(projects|integrations|services|managed_licenses)$/;

function kindOf(method, url) {
  if (method !== "GET") return method;
  return lists.test(url.split("?")[0]) ? "list" : "one";
}

async function say(response, answer, fault) {
  if (!fault) return end(response, answer);
  if (fault.hang) return undefined;
  if (fault.reset) return response.socket?.resetAndDestroy();
  if (fault.cut) return cut(response, answer ?? { status: 200, body: "[]" });
  const { status = 200, headers, html } = fault;
  const type = html ? "text/html" : "application/json";
  return end(response, { status, headers: { "content-type": type, ...headers }, body: bodyOf(fault) });
}

function bodyOf({ html, status, ...fault }) {
  if (html) return `<html><head><title>${status ?? "Welcome"}</title></head></html>`;
  if ("body" in fault) return fault.body === undefined ? "" : JSON.stringify(fault.body);
  return JSON.stringify({ message: `${status} Injected fault` });
}

async function end(response, { status, headers, body }) {
  const { "transfer-encoding": _, connection: __, ...kept } = headers;
  response.writeHead(status, { ...kept, ...(status !== 204 && { "content-length": Buffer.byteLength(body) }) });
  response.end(body);
  if (!response.writableFinished) await Promise.race([once(response, "finish"), once(response, "close")]);
}

/** Announces the whole body, sends half of it and closes the connection. */
function cut(response, { status, body }) {
  response.writeHead(status, { "content-type": "application/json", "content-length": Math.max(2, body.length) });
  response.write(body.slice(0, Math.floor(body.length / 2)) || " ", () => response.destroy());
}
