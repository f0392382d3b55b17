import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { stringify } from "yaml";
import { install } from "./install.ts";
import { clients } from "./languages.ts";
import { goNames, pythonNames } from "./names.ts";

const root = inject("root");
const python = clients.find(({ name }) => name === "python3-gitlab");
const go = clients.find(({ name }) => name === "go-gitlab");
if (!python || !go) throw new Error("the table of clients has neither");

const file = join(import.meta.dirname, "../model/foreign-names.yaml");

const head = `# Names of integrations and their parameters as clients that we did not write have them: facts taken from Debian's packages
# python3-gitlab (LGPL-3+, the table of its integrations) and golang-github-xanzy-go-gitlab-dev (Apache-2.0, tags of its
# services). Without this file, \`npm run test:all -- --project clients\` writes it; foreign-names.test.ts holds the dialect against them.
`;

let missing: string | undefined;
beforeAll(async () => {
  missing = (await install(python, root)) ?? (await install(go, root));
});

test("the names that are kept are those of the clients", async ({ skip }) => {
  if (missing !== undefined) skip(missing);
  const found = { "python-gitlab": pythonNames(python, root), "go-gitlab": goNames(root) };
  const kept = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const isKept = Object.values(found).every(({ version }) => kept?.includes(`version: ${version}`));
  if (kept !== undefined && !isKept) skip("other versions are installed than those whose names are kept");
  await expect(head + stringify(found, { lineWidth: 120 })).toMatchFileSnapshot(file);
});
