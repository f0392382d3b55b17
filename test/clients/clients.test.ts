import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { parse } from "yaml";
import type { Seed } from "../../src/server/seed.ts";
import { createServer, type ServerOptions } from "../../src/server/server.ts";
import { install } from "./install.ts";
import { type Client, clients } from "./languages.ts";

interface Row {
  readonly what: string;
  readonly is: unknown;
  readonly on?: readonly string[];
  readonly [client: string]: unknown;
}

const rows: readonly Row[] = parse(readFileSync(join(import.meta.dirname, "calls.yaml"), "utf8"));

const token = "a-token-of-the-clients";

const seed: Seed = {
  projects: Array.from({ length: 25 }, (_, index) => ({
    id: index + 1,
    path: `team/p${index + 1}`,
    ...(index === 0 && {
      integrations: { "external-wiki": { external_wiki_url: "https://wiki.example.com" } },
      deployments: [{ environment: "production" }],
      merge_requests: [{ id: 1, iid: 1, title: "shipped", state: "merged" }],
    }),
  })),
  storages: ["other"],
};

interface Setting extends ServerOptions {
  readonly words: Readonly<Record<string, string>>;
}

/** The servers that every client is run against, and what their answers differ in. */
const settings: Readonly<Record<string, Setting>> = {
  spec: { behaviour: "spec", release: "14.5", words: { denied: "denied" } },
  observed: { behaviour: "observed", release: "14.5", words: { denied: "blacklisted" } },
  gitlab: {
    behaviour: "observed",
    release: "14.5",
    dialect: "gitlab",
    // Gone before any of these releases, of another name, demanding more, for development alone.
    words: { denied: "blacklisted", refused: "circuit hipchat prometheus pushover mock-ci" },
  },
  "gitlab 17.9": {
    behaviour: "observed",
    release: "17.9",
    dialect: "gitlab",
    words: { refused: "circuit flowdock hipchat prometheus mock-ci" },
  },
};

const root = inject("root");

const execute = promisify(execFile);

/** Runs all calls of a client against one server, in their order; each is answered with its value or `error: …`. */
async function answers(
  client: Client,
  wanted: readonly Row[],
  setting: Setting,
): Promise<ReadonlyMap<string, unknown>> {
  const head = readFileSync(join(import.meta.dirname, "programs", `${client.name}.${client.extension}`), "utf8");
  const calls = wanted.map((row) => client.line(JSON.stringify(row.what), String(filled(row[client.name], setting))));
  const program = join(root, `${client.name}-${process.pid}.${client.extension}`);
  writeFileSync(
    program,
    head.replace(/(#|\/\/) calls/, () => calls.join("\n")),
  );
  const server = await createServer({ ...setting, seed, token });
  try {
    const [file, ...rest] = client.command(root, program);
    const env = { ...process.env, ...client.env?.(root) };
    const { stdout } = await execute(file, [...rest, server.url, token], { env, cwd: root });
    return new Map(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as [string, unknown]),
    );
  } finally {
    await server.close();
  }
}

function filled(value: unknown, { words, release = "" }: Setting): unknown {
  if (typeof value !== "string") return value;
  return Object.entries({ ...words, release }).reduce(
    (text, [name, word]) => text.replaceAll(`{${name}}`, word),
    value,
  );
}

describe.each(clients)("$name", (client) => {
  let missing: string | undefined;
  beforeAll(async () => {
    missing = await install(client, root);
    if (missing !== undefined) console.warn(`skipped: ${client.name} cannot be installed here: ${missing}`);
  });

  for (const [name, setting] of Object.entries(settings)) {
    test(`on a server: ${name}`, async ({ skip }) => {
      if (missing !== undefined) skip(missing);
      const wanted = rows.filter((row) => row[client.name] !== undefined && (row.on?.includes(name) ?? true));
      const told = await answers(client, wanted, setting);
      const expected = new Map(wanted.map(({ what, is }) => [what, filled(is, setting)]));
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
    });
  }
});
