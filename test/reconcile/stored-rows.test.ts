import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { stage } from "../support/stage.ts";

/** Texts of all files below a folder; compressed ones are decompressed. */
function textsBelow(folder: string): readonly (readonly [file: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return [[entry.name, (isCompressed ? gunzipSync(bytes) : bytes).toString("utf8")] as const];
  });
}

const undeclared = {
  runners_token: "GR-canary-runners",
  import_url: "https://mirror:canary-password@git.example.com/a.git",
  ci_job_token_hint: "canary-of-another-field",
};

test("no row of a server is stored beyond declared fields and keys", async () => {
  const rows = {
    settings: { merge_method: "merge", ...undeclared },
    webhooks: [{ url: "https://hooks.example.com/a", push_events: true, token: "canary-token", note: "canary-note" }],
    variables: [
      { key: "DECLARED", value: "canary-declared-secret", masked: true },
      { key: "UNMANAGED", value: "canary-unmanaged" },
    ],
    labels: [{ name: "bug", color: "#cc0000", description: "canary-description" }],
  };
  const { evenkeel, plan, ask, root } = await stage({
    release: "17.5",
    dialect: "gitlab",
    site: { dialect: "gitlab", release: "17.5" },
    workspace: { ledger: "ledger.ndjson" },
    seed: { groups: [{ path: "g" }], projects: ["g/a", "g/b"].map((path) => ({ path, resources: rows })) },
    policy: {
      projects: ["g/*"],
      settings: { merge_method: "ff" },
      webhooks: { "https://hooks.example.com/a": { push_events: false } },
      variables: { DECLARED: { value: { secret: "env:DECLARED" }, masked: true } },
      labels: { bug: { color: "#00cc00" } },
    },
    secrets: { DECLARED: "canary-new-secret-value" },
  });
  expect((await ask("GET", "/projects/g%2Fa")).text).toContain(undeclared.runners_token);
  for (const args of [
    ["drift"],
    ["plan", "--save", "--out", "plan.json"],
    ["apply", "--yes", "--target", "g/a"],
    ["drift"],
    ["unmanaged", "--report", "json=unmanaged.json"],
  ])
    await evenkeel(...args);
  expect((await plan()).plan.resource_changes.length).toBeGreaterThan(0);
  const stored = textsBelow(root);
  expect(stored.filter(([, text]) => text.includes("hooks.example.com/a")).length).toBeGreaterThan(2);
  expect(stored.filter(([, text]) => text.includes("canary")).map(([name]) => name)).toEqual([]);
});
