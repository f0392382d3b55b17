import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Verb } from "../src/commands/verb.ts";
import { verbs } from "../src/commands/verbs.ts";
import { cloned, freePort, read, root, session } from "./readme.ts";
import { folder } from "./support/folder.ts";

const pipelines = ["examples/ci/gitlab-ci.yml", "examples/ci/github-workflow.yml", ".pre-commit-hooks.yaml"];

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => void close()));

/** Every string in a YAML file, whatever it stands for. */
function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

/** Command lines of evenkeel, as words. */
function commandLines(texts: readonly string[]): readonly (readonly string[])[] {
  const lines = texts.flatMap((text) => text.split("\n")).map((line) => line.trim());
  return lines.filter((line) => line.startsWith("evenkeel ")).map((line) => line.split(/\s+/).slice(1));
}

/** What is wrong with a command line, by the table of verbs. */
function mistakes(words: readonly string[]): readonly string[] {
  const verb = verbs.find(({ name }) => name === words[0]);
  if (!verb) return [`no command ${words[0]}`];
  return words.flatMap((word, index) => {
    if (!word.startsWith("-")) return [];
    const flag = verb.options.find(({ flags }) => flags.split(/[ ,]/)[0] === word);
    if (!flag) return [`${verb.name} has no ${word}`];
    return flag.suggests ? unsuggested(verb, flag.suggests, words[index + 1] ?? "") : [];
  });
}

function unsuggested({ name }: Verb, known: readonly string[], value: string): readonly string[] {
  const [kind = ""] = value.split("=");
  return known.includes(kind) ? [] : [`${name} has no report ${kind}`];
}

describe("examples/ci", () => {
  test.each(pipelines)("%s is YAML, and every command line in it is one", (file) => {
    const lines = commandLines(strings(parse(read(file), { merge: true })));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.flatMap(mistakes)).toEqual([]);
  });

  test("README.md and Dockerfile as well", () => {
    const lines = commandLines([read("examples/ci/README.md")]);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.flatMap(mistakes)).toEqual([]);
    const [, command = "[]"] = /^CMD (.*)$/m.exec(read("Dockerfile")) ?? [];
    expect(JSON.parse(command)).toEqual(["evenkeel", "--help"]);
  });

  test("the check finds what is wrong", () => {
    expect(commandLines(["evenkeel plam", "evenkeel plan --ot x --report mark=y"]).flatMap(mistakes)).toEqual([
      "no command plam",
      "plan has no --ot",
      "plan has no report mark",
    ]);
  });

  test("both pipelines plan, apply a saved plan and look for drift", () => {
    for (const file of pipelines.slice(0, 2)) {
      const lines = commandLines(strings(parse(read(file), { merge: true }))).map((words) => words.join(" "));
      for (const part of [
        "validate ",
        "fmt --check",
        "--report markdown=comment.md",
        "--out plan.json",
        "apply plan.json",
        "drift ",
      ])
        expect([part, lines.some((line) => line.includes(part))]).toEqual([part, true]);
    }
  });

  test.each(pipelines.slice(0, 2))("%s runs from the check to the nightly drift", async (file) => {
    const port = await freePort();
    const clone = cloned(port);
    const job = commandLines(strings(parse(read(file), { merge: true }))).map((words) => `evenkeel ${words.join(" ")}`);
    const start = [
      "evenkeel serve --port 8080 --seed seed.yaml &",
      "export EVENKEEL_TOKEN=evenkeel-dev-token PAYMENTS_HOOK=https://chat.example.com/hooks/payments",
    ];
    const ran = await session(clone, join(clone, "examples/quickstart"), [...start, ...job], port);
    expect(ran.map(({ line, exit }) => [line, exit])).toEqual([...start, ...job].map((line) => [line, 0]));
    const reports = ["comment.md", "plan.json", "plan.html", "applied.json", "drift.html", "evenkeel.prom"];
    const written = readdirSync(join(clone, "examples/quickstart"));
    expect(reports.filter((name) => !written.includes(name))).toEqual([]);
  });

  test("only the job that applies has the token that writes", () => {
    for (const file of pipelines.slice(0, 2)) {
      const { jobs, ...rest } = parse(read(file), { merge: true });
      const holding = Object.entries(jobs ?? rest).filter(([, job]) => JSON.stringify(job).includes("WRITE_TOKEN"));
      expect(holding.map(([name]) => name)).toEqual(["apply"]);
    }
  });

  test("the image holds what it is built from, and runs without root", () => {
    const text = read("Dockerfile");
    const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "));
    expect(copied.filter((name) => !readdirSync(root).includes(name))).toEqual([]);
    const passed = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    expect(passed.sort()).toEqual(copied.sort());
    expect(/^USER (.*)$/m.exec(text)?.[1]).toBe("node");
  });
});

interface Comment {
  readonly id: number;
  body: string;
}

/** A forge's comments: listed by 100 a page, created with POST, changed with PUT or PATCH. */
async function forge(comments: Comment[], token: string) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push(`${method} ${url}`);
    const isKnown = headers["private-token"] === token || headers.authorization === `Bearer ${token}`;
    response.statusCode = isKnown ? 200 : 401;
    if (!isKnown) return response.end("{}");
    if (method === "GET") {
      const page = Number(new URL(url, "http://forge").searchParams.get("page"));
      return response.end(JSON.stringify(comments.slice((page - 1) * 100, page * 100)));
    }
    const { body } = JSON.parse(await textOf(request));
    const known = comments.find(({ id }) => url.endsWith(`/${id}`));
    if (known) known.body = body;
    else comments.push({ id: 1000 + comments.length, body });
    return response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  const address = server.address();
  return { asked, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

async function post(place: string, env: Readonly<Record<string, string>>): Promise<number | null> {
  const script = join(root, "examples/ci/comment.mjs");
  const child = spawn(process.execPath, [script, "comment.md"], { cwd: place, env, stdio: "ignore" });
  return new Promise((resolve) => child.once("close", resolve));
}

describe("the comment", () => {
  const others = Array.from({ length: 130 }, (_, id) => ({ id, body: `talk ${id}` }));
  const environments: readonly (readonly [string, string, (url: string) => Readonly<Record<string, string>>])[] = [
    ["a merge request", "PUT", (url) => ({ CI_API_V4_URL: url, CI_PROJECT_ID: "7", CI_MERGE_REQUEST_IID: "3" })],
    ["a pull request", "PATCH", (url) => ({ GITHUB_API_URL: url, GITHUB_REPOSITORY: "a/b", COMMENT_ON: "3" })],
  ];

  test.each(environments)(
    "of %s is made once, rewritten, and left alone when it says the same",
    async (_, method, env) => {
      const comments: Comment[] = [...others];
      const { asked, url } = await forge(comments, "t");
      const { root: place } = folder();
      const run = async (text: string) => {
        writeFileSync(join(place, "comment.md"), `<!-- evenkeel:plan -->\n${text}\n`);
        expect(await post(place, { ...env(url), COMMENT_TOKEN: "t" })).toBe(0);
        return asked
          .splice(0)
          .filter((line) => !line.startsWith("GET"))
          .map((line) => line.split(" ")[0]);
      };
      expect(await run("one")).toEqual(["POST"]);
      expect(await run("two")).toEqual([method]);
      expect(await run("two")).toEqual([]);
      const ours = comments.filter(({ body }) => body.startsWith("<!-- evenkeel:plan -->"));
      expect(ours.map(({ body }) => body)).toEqual(["<!-- evenkeel:plan -->\ntwo\n"]);
    },
  );

  test("a refused token is told by the exit code", async () => {
    const { url } = await forge([], "t");
    const { root: place } = folder({ "comment.md": "<!-- evenkeel:plan -->\n" });
    expect(await post(place, { ...environments[0]?.[2](url), COMMENT_TOKEN: "u" })).toBe(1);
  });
});
