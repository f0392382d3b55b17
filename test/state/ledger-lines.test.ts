import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Memory } from "../../src/diff/last-applied.ts";
import { ledgerFile, readLedgerFile } from "../../src/state/ledger/file.ts";
import type { LedgerEdit } from "../../src/state/state.ts";
import { scene } from "../e2e/workspace.ts";
import { folder } from "../support/folder.ts";
import { editsOf } from "./edits.ts";

const file = "ledger.ndjson";
const token = { run: "r", fence: 1 };

/** What a ledger says after edits with a key. */
type Model = Map<string, { key: string; resources: Record<string, Memory> }>;

const memory = fc.record({ sent: fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ maxLength: 20_000 })) });
const edit = fc.record({
  project: fc.constantFrom("a", "A", "a-b", "a/b", "é/ü", 'q"uote', "z"),
  rest: fc.constantFrom("license/MIT", "license/ISC", "settings"),
  memory: fc.option(memory, { nil: undefined }),
});

function edited(model: Model, key: string, edits: readonly LedgerEdit[]): void {
  for (const { project, rest, memory: value } of edits) {
    const name = project.toLowerCase();
    const line = model.get(name);
    const resources = line?.key === key ? { ...line.resources } : {};
    delete resources[rest];
    model.set(name, { key, resources: { ...resources, ...(value && { [rest]: value }) } });
  }
}

function shown(root: string): Record<string, unknown> {
  const { lines, close } = readLedgerFile(root, file);
  const all = [...lines.keys()].map((name) => [name, lines.get(name)] as const).reverse();
  close?.();
  return Object.fromEntries(all.map(([name, line]) => [name, { key: line?.key, resources: line?.resources }]));
}

test("a ledger file says what was written into it, sorted, whatever its lines hold", async () => {
  const writes = fc.array(fc.tuple(fc.constantFrom("11111111", "22222222"), fc.array(edit, { maxLength: 6 })));
  await fc.assert(
    fc.asyncProperty(writes, async (all) => {
      const place = folder();
      const model: Model = new Map();
      for (const [key, edits] of all) {
        await ledgerFile(place.root, file).write(token, key, editsOf(edits));
        edited(model, key, edits);
      }
      const kept = [...model].filter(([, { resources }]) => Object.keys(resources).length > 0);
      expect(shown(place.root)).toEqual(Object.fromEntries(kept));
      const lines = all.length > 0 ? place.read(file).split("\n").slice(0, -1) : [];
      expect(lines).toEqual([...lines].sort());
    }),
    { numRuns: 50 },
  );
});

describe("a line of a ledger", () => {
  const lineOf = (project: string, sent: string) =>
    `{"project":"${project}","key":"k","resources":{"license/MIT":{"sent":{"approval_status":"${sent}"}}}}\n`;

  test("is read from the file as it was when the first line was", () => {
    const place = folder({ [file]: `${lineOf("p", "old")}${lineOf("q", "old")}` });
    const { lines, close } = readLedgerFile(place.root, file);
    place.write(file, `${lineOf("o", "new")}${lineOf("p", "new")}`);
    expect(lines.get("p")?.resources["license/MIT"]?.sent).toEqual({ approval_status: "new" });
    expect(lines.get("q")).toBeUndefined();
    close?.();
  });

  test("that no apply wrote is kept by one, without the blanks", async () => {
    const odd = '{ "key": "k", "resources": { "license/MIT": { "sent": {} } }, "project": "p" }\r\n\n';
    const place = folder({ [file]: odd });
    const edits = [{ project: "o", rest: "license/MIT", memory: { sent: {} } }];
    await ledgerFile(place.root, file).write(token, "k", editsOf(edits));
    const written = (name: string) => `{"project":"${name}","key":"k","resources":{"license/MIT":{"sent":{}}}}\n`;
    expect(place.read(file)).toBe(written("o") + written("p"));
  });

  test("that is damaged inside ends a plan that needs it, by its project", async () => {
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
});
