import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ServerOptions } from "../../src/server/server.ts";
import { type Answered, type Asking, ask, serving } from "./serving.ts";

/** A request; `headers: true` shows those of its response that lead on. */
interface Step extends Asking {
  readonly ask: string;
  readonly headers?: boolean;
}

interface Scenario {
  readonly name: string;
  /** It is played once for each of them. */
  readonly releases?: readonly string[];
  readonly server?: ServerOptions;
  readonly steps: readonly (string | Step)[];
}

const cases = join(import.meta.dirname, "../cases/server");
const names = readdirSync(cases).flatMap((file) => (file.endsWith(".yaml") ? [basename(file, ".yaml")] : []));

test.each(names)("the responses of %s are the golden ones", async (name) => {
  const scenarios: readonly Scenario[] = parse(readFileSync(join(cases, `${name}.yaml`), "utf8"));
  const parts: string[] = [];
  for (const { name: title, releases, server = {}, steps } of scenarios) {
    parts.push(`# ${title}\n`);
    for (const release of releases ?? [server.release]) {
      if (releases) parts.push(`${release}:\n`);
      parts.push(await play({ ...server, ...(release && { release }) }, steps));
    }
  }
  await expect(parts.join("")).toMatchFileSnapshot(join(cases, `${name}.txt`));
});

async function play(options: ServerOptions, steps: Scenario["steps"]): Promise<string> {
  const { url } = (await serving(options)).server;
  let text = "";
  for (const step of steps) {
    const { ask: line, headers, ...asking } = typeof step === "string" ? { ask: step } : (step as Step);
    const [method = "", path = ""] = line.split(" ");
    const sent = asking.json ?? asking.form ?? asking.body;
    const token = asking.token === undefined ? "" : ` (token ${asking.token})`;
    text += `> ${line}${sent === undefined ? "" : ` ${JSON.stringify(sent)}`}${token}\n`;
    text += formatResponse(await ask(url, method, path, asking), headers);
  }
  return text
    .replaceAll(url, "http://SERVER")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, (time) => (isNow(time) ? "TIME" : time));
}

function formatResponse({ status, headers, text, json }: Answered, withHeaders = false): string {
  const shown = [...headers].filter(([name]) => /^(?:x-.*|link|location)$/.test(name) && name !== "x-request-id");
  const lines = withHeaders ? shown.map(([name, value]) => `  ${name}: ${value}\n`) : [];
  if (!Array.isArray(json)) return `${status} ${json === undefined ? text : JSON.stringify(json)}\n${lines.join("")}`;
  const rows = json.length > 5 ? [json.map(({ id }) => id)] : json;
  return [`${status} ${json.length} rows\n`, ...lines, ...rows.map((row) => `  ${JSON.stringify(row)}\n`)].join("");
}

/** True if a time is one of this run, and not of a seed. */
function isNow(time: string): boolean {
  return Math.abs(Date.now() - Date.parse(time)) < 86_400_000;
}
