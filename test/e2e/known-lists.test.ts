import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type Scene, scene, told, workspaceText } from "./workspace.ts";

const ledger = "ledger.ndjson";
const site = { dialect: "gitlab", release: "17.9", reads: "trust-updated-at" };
const ownEntry = /"":\{"sent":\{"":"[^"]*"\}\},?/g;

/** What a plan finds with what the ledger knows of lists, and without that; the ledger stays as it was. */
async function found(made: Scene, env: Readonly<Record<string, string>> = {}) {
  const known = made.read(ledger);
  const plan = async () => told((await made.evenkeelWith(env, "plan", "--report", "json")).plan());
  const spared = await plan();
  made.write(ledger, known.replace(ownEntry, ""));
  const whole = await plan();
  made.write(ledger, known);
  return { spared, whole };
}

async function settled(made: Scene): Promise<void> {
  for (let apply = 0; apply < 2; apply++) expect((await made.evenkeel("apply", "--yes")).code).toBe(0);
}

test("a list that returns a secret is compared each time: the secret may not have been set when an apply read it", async () => {
  const made = await scene({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], variables: { TOKEN: { value: { secret: "env:VALUE" } } }, labels: {} },
    workspace: { ledger },
    site,
    dialect: "gitlab",
    release: "17.9",
    behaviour: "observed",
  });
  await made.ask("POST", "/projects/p/variables", { json: { key: "TOKEN", value: "as-it-was-before" } });
  await settled(made);
  const rotated = ["update p:variable/TOKEN"];
  expect(await found(made, { VALUE: "as-it-is-now" })).toEqual({ spared: rotated, whole: rotated });
  expect(await found(made, { VALUE: "as-it-was-before" })).toEqual({ spared: [], whole: [] });
});

/** A server with the labels of one project, page by page, that says how many there are unless something removes that. */
async function labelServer() {
  const rows = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, name: `l${index}`, color: "#ff0000" }));
  const labels = { rows, isSilent: false };
  const server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const page = Number(searchParams.get("page") ?? 1);
    const pages = { "x-page": page, "x-total-pages": Math.ceil(labels.rows.length / 100) };
    const isList = pathname.endsWith("/labels");
    response.writeHead(isList ? 200 : 404, {
      "content-type": "application/json",
      ...(isList && !labels.isSilent && pages),
    });
    response.end(JSON.stringify(isList ? labels.rows.slice((page - 1) * 100, page * 100) : { message: "404" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return { labels, url: `http://127.0.0.1:${typeof address === "object" && address?.port}` };
}

test("a full page is the whole list only as long as the server says so", async () => {
  const { labels, url } = await labelServer();
  const declared = Object.fromEntries(labels.rows.map(({ name, color }) => [name, { color }]));
  const made = await scene({ policy: { projects: ["p"], exclusive: ["labels"], labels: declared } });
  made.write("evenkeel.yaml", workspaceText({ url, ...site }, { ledger }));
  await settled(made);
  expect(made.read(ledger)).toMatch(ownEntry);
  labels.rows = [...labels.rows, { id: 500, name: "extra", color: "#000000" }];
  labels.isSilent = true;
  const extra = ["delete p:label/extra"];
  expect(await found(made)).toEqual({ spared: extra, whole: extra });
});
