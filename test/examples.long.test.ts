import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseSeed } from "../src/server/seed.ts";
import { createServer, type Server } from "../src/server/server.ts";
import { blocks, cloned, commands, notPrinted, read, root, session } from "./readme.ts";
import { tempFolder } from "./support/folder.ts";
import { freePort } from "./support/free-port.mjs";
import { lacks } from "./support/needs.ts";
import { runProcess } from "./support/processes.ts";

const program = join(root, "dist/cli.js");

/** Where the commands of a document are typed, and whether its last plan finds nothing left to do. */
const documents: readonly (readonly [document: string, folder: string, ends: "in sync" | "anyhow"])[] = [
  ["README.md", ".", "in sync"],
  ["docs/tutorial.md", ".", "anyhow"],
  ["docs/running.md", "examples/quickstart", "anyhow"],
  ["docs/approvals.md", "examples/quickstart", "anyhow"],
  ["docs/fleets.md", "examples/quickstart", "anyhow"],
  ["docs/console.md", "examples/quickstart", "anyhow"],
  ["docs/state.md", "examples/quickstart", "anyhow"],
  ["docs/watching.md", "examples/quickstart", "anyhow"],
  ["docs/deprecations.md", ".", "anyhow"],
  ["docs/adopting.md", ".", "anyhow"],
  ["docs/secrets.md", "examples/quickstart", "in sync"],
  ["docs/reviewing.md", "examples/quickstart", "anyhow"],
  ["docs/servers.md", ".", "anyhow"],
  ["examples/quickstart/README.md", "examples/quickstart", "in sync"],
  ["examples/gitlab/README.md", "examples/gitlab", "in sync"],
  ["examples/many-projects/README.md", "examples/many-projects", "in sync"],
  ["docs/kinds.md", "examples/own-kind", "in sync"],
  ["examples/own-kind/README.md", "examples/own-kind", "in sync"],
  ["examples/adopt-existing/README.md", "examples/adopt-existing", "in sync"],
];

test.each(documents)("every command of %s does what it says", async (document, folder, ends) => {
  const told = commands(read(document));
  const port = await freePort();
  const clone = cloned(port);
  const own = await ownServer();
  const lines = told.map(({ line }) => line);
  const ran = await session(
    clone,
    join(clone, folder),
    lines.map((line) => line.replaceAll("https://code.example.com", own.url)),
    port,
  ).finally(() => own.close());

  expect(lines).not.toHaveLength(0);
  expect(ran.map(({ exit }, index) => ({ line: lines[index], exit }))).toEqual(
    told.map(({ line, exit }) => ({ line, exit })),
  );
  expect(told.flatMap(({ shown }, index) => notPrinted(shown, ran[index]?.output ?? ""))).toEqual([]);
  const plans = ran.filter(({ line }) => line.startsWith("evenkeel plan"));
  if (ends === "in sync") expect(plans.at(-1)?.output).toContain("No changes");
});

/** Stands for the reader's own server. */
function ownServer(): Promise<Server> {
  const parsed = parseSeed(read("examples/quickstart/seed.yaml"));
  if ("problems" in parsed) throw new Error("the seed of the quickstart is not valid");
  return createServer({ seed: parsed.seed, token: "your-token" });
}

test("a server in the background of a tour takes nothing from the terminal", () => {
  const files = new Set([...documents.map(([document]) => document), ...pages]);
  const lines = [...files].flatMap((file) => commands(read(file)).map(({ line }) => line));
  const inBackground = lines.filter((line) => / &$/.test(line));
  expect(inBackground.length).toBeGreaterThan(3);
  expect(inBackground.filter((line) => !/> \S+ 2>&1 < \/dev\/null &$/.test(line))).toEqual([]);
});

const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

test("the quickstart and the demo count the policies that there are", () => {
  const folder = join(root, "examples/quickstart/policies");
  const texts = readdirSync(folder).map((name) => read(`examples/quickstart/policies/${name}`));
  const count = texts.join("\n").match(/^kind: Policy$/gm)?.length ?? 0;
  const words = `Three projects, ${["no", "one", "two", "three", "four"][count]} policies`;
  for (const file of ["examples/quickstart/README.md", "examples/demo/demo.mjs"]) expect(read(file)).toContain(words);
});

test("every manifest in the docs is valid", async () => {
  const texts = ["docs/manifests.md", "docs/storage-moves.md", "docs/secrets.md"].map(read).join("\n");
  const all = blocks(texts, "yaml").filter((text) => text.includes("apiVersion: evenkeel/v1"));
  const ofGitlabAlone = all.filter((text) => /^(groups|instance):/m.test(text));
  const manifests = all.filter((text) => !ofGitlabAlone.includes(text));
  const kinds = ["Workspace", "Policy", "StorageMigration", "Policy"];
  expect(manifests.map((text) => /^kind: (.*)$/m.exec(text)?.[1])).toEqual(kinds);
  expect(await validated(manifests)).toEqual({ code: 0, stdout: "Valid: 2 policies.\n", stderr: "" });

  const ofGitlab = `apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: "http://127.0.0.1:9", dialect: gitlab, release: "18.0" }\n`;
  expect(ofGitlabAlone).toHaveLength(3);
  expect(await validated([ofGitlab, ...ofGitlabAlone])).toEqual({
    code: 0,
    stdout: "Valid: 4 policies.\n",
    stderr: "",
  });
});

/** What `validate` says of a workspace and its policies. */
async function validated(manifests: readonly string[]) {
  const folder = tempFolder();
  mkdirSync(join(folder, "policies"));
  for (const [index, text] of manifests.entries()) {
    writeFileSync(join(folder, index === 0 ? "evenkeel.yaml" : `policies/${index}.yaml`), text);
  }
  const { code, stdout, stderr } = await runProcess(process.execPath, [program, "validate", "-C", folder]).ended;
  return { code, stdout, stderr };
}

test("the chaos file of the docs is one", async () => {
  const [rules = ""] = blocks(read("docs/embedded-server.md"), "yaml").filter((text) => text.startsWith("- {"));
  const clone = cloned(0);
  writeFileSync(join(clone, "chaos.yaml"), rules);
  const port = await freePort();
  const lines = [`evenkeel serve --port 8080 --chaos chaos.yaml &`];
  expect((await session(clone, clone, lines, port))[0]?.output).toContain("listening on");
});

test("the seed of the docs is one, and names every key that there is", async () => {
  const [text = ""] = blocks(read("docs/embedded-server.md"), "yaml").filter((block) => block.startsWith("projects:"));
  const parsed = parseSeed(text);
  expect(parsed).toHaveProperty("seed");
  if ("seed" in parsed) await (await createServer({ seed: parsed.seed, token: "t" })).close();
  const schema = JSON.parse(read("schemas/seed.schema.json"));
  const shapes: { properties?: object }[] = [schema, ...Object.values<{ properties?: object }>(schema.definitions)];
  const keys = new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)));
  expect([...keys].filter((key) => !new RegExp(`\\b${key}\\b`).test(text))).toEqual([]);
});

test("the program of the docs runs against the library", async () => {
  const [source = ""] = blocks(read("docs/library.md"), "js");
  const clone = cloned(0);
  writeFileSync(join(clone, "program.mjs"), source);
  const { code, stdout, stderr } = await runProcess(process.execPath, ["program.mjs"], { cwd: clone }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("payments/core:license/AGPL-3.0 applied");
});

test("the demo runs to its end", async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, [join(root, "examples/demo/demo.mjs")]).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toContain("left out");
  for (const words of ["14 writes planned", "14 applied", "No changes", "license/AGPL-3.0"])
    expect(stdout).toContain(words);
});

test.skipIf(lacks("postgresql"))("the team demo runs to its end (needs postgresql)", async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, [join(root, "examples/demo/run.mjs"), "--team"])
    .ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const words of ["ben: Waiting for run ", "Apply: 14 applied.", "apply: 0 changes, in sync", "Lease: free"])
    expect(stdout).toContain(words);
});

/** A line as it is for any number of projects, at any time and for anybody. */
function shapeOf(line: string): string {
  return line
    .replace(/\d{8}T\d{6}Z-[0-9a-f]{4}/, "RUN")
    .replace(/\S+@\S+/, "SOMEBODY")
    .replace(/(running: \w+, .* projects), .*/, "$1")
    .replace(/\d[\d,.]*/g, "N");
}

test.skipIf(lacks("postgresql"))("the fleet's story is what its script tells (needs postgresql)", async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, [join(root, "examples/fleet/run.mjs"), "120"])
    .ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const told = new Set(stdout.split("\n").map(shapeOf));
  const printed = blocks(read("examples/fleet/README.md"), "text").flatMap((text) => text.trim().split("\n"));
  expect(printed.length).toBeGreaterThan(12);
  expect(printed.filter((line) => !told.has(shapeOf(line)))).toEqual([]);
});

test("every link between documents leads somewhere", () => {
  const files = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...pages];
  const broken = files.flatMap((file) =>
    [...read(file).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
      .map(([, target = ""]) => join(root, file, "..", target))
      .filter((target) => !existsSync(target))
      .map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test("the example of license policies writes the denied and the allowed licenses of each project", async () => {
  const folder = tempFolder();
  writeFileSync(
    join(folder, "evenkeel.yaml"),
    'apiVersion: evenkeel/v1\nkind: Workspace\nserver: { release: "15.11" }\n',
  );
  const licenses = "licenses: { MIT License: allowed, AGPL-3.0: denied }";
  const policy = `apiVersion: evenkeel/v1\nkind: Policy\nname: licenses\nprojects: [42, 43]\n${licenses}\n`;
  writeFileSync(join(folder, "licenses.yaml"), policy);
  const script = join(root, "examples/license-policies/license-policies.mjs");
  const { code, stdout, stderr } = await runProcess(process.execPath, [script, folder, "17.3", "group:legal"]).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const finding = { type: "license_finding", branches: [], license_states: ["newly_detected", "detected"] };
  expect(parse(stdout)).toEqual({
    approval_policy: [
      {
        name: "Licenses of 42 and 1 more",
        description: "For 42, 43",
        enabled: true,
        policy_scope: { projects: { including: [{ id: 42 }, { id: 43 }] } },
        rules: [
          { ...finding, match_on_inclusion_license: true, license_types: ["AGPL-3.0"] },
          { ...finding, match_on_inclusion_license: false, license_types: ["MIT License"] },
        ],
        actions: [{ type: "require_approval", approvals_required: 1, group_approvers: ["legal"] }],
      },
    ],
  });
});
