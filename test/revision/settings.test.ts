import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { describe, expect, test } from "vitest";
import { parseManifest } from "../../src/manifest/document.ts";
import { readWorkspace, type Workspace } from "../../src/manifest/workspace.ts";
import { settingText } from "../../src/plan/revision/notices.ts";
import { compareSettings } from "../../src/plan/revision/setting-changes.ts";
import { stage } from "../support/stage.ts";
import { repository } from "./repository.ts";

const head = "apiVersion: evenkeel/v1\nkind: Workspace\n";
const workspace = (more: object) => {
  const text = `${head}${JSON.stringify({ server: { url: "https://a" }, ...more }).slice(1, -1)}`;
  const { workspace: read, problems } = readWorkspace(parseManifest("evenkeel.yaml", `{${json(text)}}`));
  expect(problems).toEqual([]);
  return read;
};
const sideOf = (more: object) => ({ workspace: workspace(more), rules: [], kinds: [], policies: [] });
const json = (text: string) => `"apiVersion": "evenkeel/v1", "kind": "Workspace", ${text.slice(head.length)}`;
const chat = (name: string, more: object = {}) => ({
  url: { secret: `env:${name}` },
  on: ["drift", "failed"],
  ...more,
});

/** What is said of a change of each key; some have several kinds of values. */
const changes: Readonly<
  Record<Exclude<keyof Workspace, "catalogue" | "faultyKinds">, readonly (readonly [object, object, string])[]>
> = {
  name: [[{ name: "a" }, { name: "b" }, 'name: "a" -> "b"']],
  server: [
    [{ server: { url: "https://a" } }, { server: { url: "https://b" } }, 'server.url: "https://a" -> "https://b"'],
    [{}, { server: { url: "https://a", ca: "x.pem" } }, 'server.ca: (unset) -> "x.pem"'],
  ],
  manifests: [
    [{ manifests: ["a/*"] }, { manifests: ["b/*"] }, "manifests: without a/*, with b/*"],
    [{}, { manifests: ["b/*"] }, 'manifests: (unset) -> ["b/*"]'],
  ],
  concurrency: [[{ concurrency: 2 }, { concurrency: 4 }, "concurrency: 2 -> 4"]],
  rateLimit: [
    [{ rateLimit: "30/s" }, { rateLimit: "1800/min" }, 'rateLimit: "30/s" -> "1800/min"'],
    [{}, { rateLimit: "30/s" }, 'rateLimit: (unset) -> "30/s"'],
  ],
  waves: [
    [{ waves: "1,50%" }, { waves: "1,5%,50%" }, "waves: with 5%"],
    [{}, { waves: "1,50%" }, 'waves: (unset) -> ["1", "50%", "100%"]'],
  ],
  canary: [[{ canary: ["a/b"] }, { canary: ["a/*", 7] }, "canary: without a/b, with a/*, 7"]],
  requestTimeout: [[{ requestTimeout: "30s" }, { requestTimeout: "1m" }, "requestTimeout: 30000 -> 60000"]],
  guards: [[{ guards: { deletePercent: 1 } }, { guards: { deletePercent: 9 } }, "guards.deletePercent: 1 -> 9"]],
  archived: [[{}, { archived: "include" }, 'archived: (unset) -> "include"']],
  protected: [[{ protected: ["a:*/*"] }, {}, "protected: without a:*/*"]],
  ledger: [[{}, { ledger: "state" }, 'ledger: (unset) -> "state"']],
  notify: [
    [
      { notify: [chat("OLD")] },
      { notify: [chat("NEW", { allowInsecure: true })] },
      "notify: without (url: (secret env:OLD); on: drift and failed; allowInsecure: false), with (url: (secret env:NEW); on: drift and failed; allowInsecure: true)",
    ],
    [{ notify: [chat("A"), chat("B")] }, { notify: [chat("B"), chat("A")] }, "notify: in another order"],
  ],
  allowPlaintextSecrets: [[{}, { allowPlaintextSecrets: true }, "allowPlaintextSecrets: false -> true"]],
};

describe("a changed setting is told as people write it", () => {
  const rows = Object.entries(changes).flatMap(([key, all]) => all.map((row) => [key, ...row] as const));
  test.each(rows)("%s: %j -> %j", (_, before, after, text) => {
    const told = compareSettings(sideOf(before), sideOf(after)).map(settingText);
    expect(told).toEqual([text]);
    expect(told.join()).not.toMatch(/\[object|undefined|function/);
  });
});

describe("another content of a file that evenkeel.yaml names", () => {
  test.each(["text", "json"])("is told, and looked at first: %s", async (kind) => {
    const place = await stage({ policy: { projects: ["p"], licenses: { MIT: "allowed" } }, site: { ca: "ca.pem" } });
    const { commit } = repository(place.root);
    writeFileSync(join(place.root, "ca.pem"), rootCertificates[0] ?? "");
    commit();
    expect((await place.evenkeel("diff", "HEAD", "--detailed-exitcode")).code).toBe(0);
    writeFileSync(join(place.root, "ca.pem"), (rootCertificates[0] ?? "").replaceAll("\n", "\r\n"));
    expect((await place.evenkeel("diff", "HEAD", "--detailed-exitcode")).code).toBe(0);
    writeFileSync(join(place.root, "ca.pem"), rootCertificates[1] ?? "");
    const onDisk = await place.evenkeel("diff", "HEAD", "--detailed-exitcode", "--report", kind);
    commit();
    const committed = await place.evenkeel("diff", "HEAD~1", "--to", "HEAD", "--detailed-exitcode", "--report", kind);
    for (const { code, stdout } of [onDisk, committed]) {
      expect(code).toBe(2);
      expect(stdout).toMatch(/server\.ca.*ca\.pem \(sha256:[0-9a-f]{12}\).*ca\.pem \(sha256:/s);
      expect(stdout).toContain("other authorities are trusted");
    }
  });
});
