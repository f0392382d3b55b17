import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadProviders } from "../../src/secrets/providers-file.ts";
import { createSecrets } from "../../src/secrets/secrets.ts";
import { blocks, read } from "../readme.ts";
import { folder } from "../support/folder.ts";

const page = read("docs/secrets.md");
const texts = blocks(page, "yaml").filter((text) => text.startsWith("# /etc/evenkeel/providers.yaml"));

/** Secrets by the providers of a text, with programs of these names on the path. */
function secretsBy(text: string, programs: Readonly<Record<string, string>>) {
  const files = folder({ "providers.yaml": text, ...programs });
  for (const name of Object.keys(programs)) chmodSync(join(files.root, name), 0o755);
  const providers = loadProviders({ EVENKEEL_SECRET_PROVIDERS: join(files.root, "providers.yaml") }, "/usr");
  const env = { PATH: `${files.root}:${process.env.PATH}` };
  return { providers, secrets: createSecrets({ env, root: files.root, plaintext: new Map(), providers }) };
}

test("each provider of docs/secrets.md calls its program with the words that the page says", async () => {
  const rows = [...page.matchAll(/^\| `([a-z]+):(\S+)` \| `(\w+ .*)` \|$/gm)];
  const repeats = '#!/bin/sh\necho "$(basename "$0") $*"\n';
  const { providers, secrets } = secretsBy(
    texts[0] ?? "",
    Object.fromEntries(rows.map(([, , , words = ""]) => [words.split(" ")[0], repeats])),
  );
  expect(providers?.problems).toEqual([]);
  expect(rows.map(([, name]) => name)).toEqual([...(providers?.known.keys() ?? [])]);
  const references = rows.map(([, name, ref]) => ({ secret: `${name}:${ref}` }));
  expect(await secrets.ask(references)).toEqual([]);
  expect(references.map((each) => secrets.resolve(each))).toEqual(rows.map(([, , , words]) => words));
});

test("the batch helper of docs/secrets.md answers what it is asked for", async () => {
  const known = join(folder().root, "team.json");
  writeFileSync(known, JSON.stringify({ "payments/hook": "https://chat.example.com/x" }));
  const [helper = ""] = blocks(page, "js");
  const { secrets } = secretsBy(texts[1] ?? "", {
    "team-secrets.mjs": helper.replace("/run/secrets/team.json", known),
  });
  const found = { secret: "team:payments/hook" };
  expect(await secrets.ask([found, { secret: "team:none" }])).toEqual(["team:none (it says: not in team.json)"]);
  expect(secrets.resolve(found)).toBe("https://chat.example.com/x");
});
