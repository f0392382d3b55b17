import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ledgerFault, ledgerHead } from "../../src/plan/diff/ledger-line.ts";
import { openLedger } from "../../src/state/ledger/ledger.ts";
import { ledgerFile } from "../../src/state/ledger/ledger-file.ts";
import { scene } from "../e2e/workspace.ts";
import { folder } from "../support/folder.ts";

const file = "ledger.ndjson";
const token = { run: "r", fence: 1 };
const secrets = { known: () => undefined } as unknown as Parameters<typeof openLedger>[2]["secrets"];

function opened(root: string, key: string) {
  const env = { EVENKEEL_LEDGER_KEY: key };
  const store = ledgerFile(root, file);
  return openLedger(store, store.readNow(), { root, env, secrets });
}

const memory = fc.record({ sent: fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ maxLength: 20_000 })) });
const edit = fc.record({
  project: fc.oneof(fc.constantFrom("a", "A", "a-b", "a/b", "é/ü", 'q"uote', "z"), fc.nat(700).map(String)),
  rest: fc.constantFrom("license/MIT", "license/mit", "settings"),
  memory: fc.option(memory, { nil: undefined }),
});

test("a ledger file holds the last edits with a key, sorted, and nothing of another key where it was edited", async () => {
  const keys = ["the-first-of-two-keys", "the-other-of-two-keys"] as const;
  const writes = fc.array(fc.tuple(fc.constantFrom(...keys), fc.array(edit, { maxLength: 40 })), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(writes, async (all) => {
      const { root, read, files } = folder();
      /** By address, of each key. */
      const model = new Map<string, { key: string; own: Map<string, unknown> }>();
      for (const [key, edits] of all) {
        const ledger = opened(root, key);
        for (const { project, rest, memory: now } of edits) {
          const name = project.toLowerCase();
          const before = model.get(name);
          const line = before?.key === key ? before : { key, own: new Map() };
          model.set(name, line);
          if (now) line.own.set(rest.toLowerCase(), now);
          else line.own.delete(rest.toLowerCase());
          if (now) ledger.remember(`${project}:${rest}`, now);
          else ledger.forget(`${project}:${rest}`);
        }
        expect(await ledger.save(token)).toBeUndefined();
      }
      for (const key of keys) {
        const ledger = opened(root, key);
        for (const [name, line] of model) {
          for (const rest of ["license/MIT", "settings"]) {
            const known = line.key === key ? line.own.get(rest.toLowerCase()) : undefined;
            expect(ledger.recall(`${name}:${rest}`)).toEqual(known);
          }
        }
      }
      const lines = file in files() ? read(file).split("\n").slice(0, -1) : [];
      expect(lines).toEqual([...lines].sort());
    }),
    { numRuns: 40 },
  );
});

test("edits that could not be saved are saved by the next attempt", async () => {
  const place = folder({ [`${file}/x`]: "" });
  const ledger = opened(place.root, "the-first-of-two-keys");
  ledger.remember("p:license/MIT", { sent: {} });
  expect(await ledger.save(token)).toContain("ledger.ndjson cannot be written");
  rmSync(join(place.root, file), { recursive: true });
  expect(await ledger.save(token)).toBeUndefined();
  expect(place.read(file)).toContain('"license/MIT":{"sent":{}}');
});

test("a line that is damaged inside ends a plan that needs it, by its project", async () => {
  const made = await scene({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], licenses: { MIT: "allowed" } },
    workspace: { ledger: file },
  });
  expect((await made.evenkeel("apply", "--yes")).code).toBe(0);
  made.write(file, made.read(file).replace('"sent":{', '"sent":{{'));
  expect((await made.evenkeel("validate")).code).toBe(0);
  const ran = await made.evenkeel("apply", "--yes", "--resend", "*");
  expect(ran).toMatchObject({ code: 1, writes: 0 });
  expect(ran.stderr).toContain("the ledger's line of p is damaged");
  expect(made.read(file)).toContain("{{");
});

test("a ledger that another run replaces while it is in use is read as it is then", async () => {
  const place = folder();
  const [one, other] = [opened(place.root, "the-first-of-two-keys"), opened(place.root, "the-first-of-two-keys")];
  const sent = (value: string) => ({ sent: { status: value } });
  for (const name of ["p", "q"]) one.remember(`${name}:license/MIT`, sent("one"));
  expect(await one.save(token)).toBeUndefined();
  const reader = opened(place.root, "the-first-of-two-keys");
  other.remember("a/longer/name:license/MIT", sent("other"));
  other.remember("q:license/MIT", sent("other"));
  expect(await other.save(token)).toBeUndefined();
  expect(["p", "q"].map((name) => reader.recall(`${name}:license/MIT`))).toEqual([sent("one"), sent("other")]);
  one.remember("r:license/MIT", sent("one"));
  expect(await one.save(token)).toBeUndefined();
  expect(place.read(file).split("\n")).toHaveLength(5);
  rmSync(join(place.root, file));
  expect(() => opened(place.root, "the-first-of-two-keys").recall("p:license/MIT")).not.toThrow();
});

test("a ledger that another program writes part by part is read again once it is whole", async () => {
  const place = folder();
  const one = opened(place.root, "the-first-of-two-keys");
  for (const name of ["p", "q", "r"]) one.remember(`${name}:license/MIT`, { sent: { status: name } });
  expect(await one.save(token)).toBeUndefined();
  const whole = place.read(file);
  const reader = opened(place.root, "the-first-of-two-keys");
  place.write(file, whole.slice(0, whole.indexOf("\n") + 9));
  expect(reader.recall("q:license/MIT")).toBeUndefined();
  place.write(file, whole);
  expect(reader.recall("r:license/MIT")).toEqual({ sent: { status: "r" } });
});

test("a ledger that is replaced during a save loses no line", async () => {
  const place = folder();
  const store = ledgerFile(place.root, file);
  const line = (project: string) => Buffer.from(`{"project":"${project}","key":"k","resources":{}}`);
  await store.write(token, new Map(["p", "q"].map((name) => [name, line(name)])));
  class Replacing extends Map<string, Buffer> {
    override has(name: string): boolean {
      rmSync(join(place.root, file));
      place.write(file, "");
      return super.has(name);
    }
  }
  await store.write(token, new Replacing([["r", line("r")]]));
  expect(place.read(file)).toBe(["p", "q", "r", ""].map((name) => name && String(line(name))).join("\n"));
});

test("the head of a line in another form holds nothing else, because runs keep it", () => {
  expect(ledgerHead('{ "key": "k", "project": "p", "resources": { "license/MIT": { "sent": {} } } }')).toEqual({
    project: "p",
    key: "k",
  });
});

test("a file with a line of its own form is a ledger, whatever became of the project's name", () => {
  const text = '{"project":"p\\q","key":"k","resources":{}}';
  expect([ledgerFault([{ text }]), ledgerHead(text)]).toEqual([undefined, undefined]);
});

test("a damaged line among those of a ledger is named by its number", () => {
  const line = '{"project":"p","key":"k","resources":{}}';
  const texts = [line, "", line.slice(0, 20)].map((text) => ({ text }));
  expect(ledgerFault(texts)).toBe("line 3 of the ledger is damaged; delete it, or restore the file");
  expect(ledgerFault(texts.slice(1))).toContain("this file has other content");
});
