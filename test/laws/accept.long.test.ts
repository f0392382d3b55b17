import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Plan, PlannedChange } from "../../src/plan/plan.ts";
import { runProgram } from "../e2e/program.ts";
import { fleet } from "./fleet.ts";
import { law, onStage, type Stage, withoutPauses } from "./stage.ts";

withoutPauses();

interface Report {
  readonly accepted: readonly {
    readonly address: string;
    readonly edits: readonly { readonly removed: readonly string[]; readonly added: readonly string[] }[];
  }[];
  readonly problems: readonly { readonly rule: string; readonly message: string }[];
}

describe.each([false, true])("ledger %s", (ledger) => {
  test("what is accepted leaves the plan, all else stays in it, and no other line moves", async () => {
    const fared = { accepted: 0, left: 0 };
    const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 3 });
    await law(6, [fleet(), picks, fc.boolean()], async (generated, picked, drifts) => {
      const setting = { behaviour: "spec", ledger, arrangement: picked[0] ?? 0 } as const;
      await onStage(generated, setting, async (stage) => {
        if (drifts) await drift(stage, picked[0] ?? 0);
        decorate(stage);
        const { plan: before } = await stage.plan();
        const others = before.resource_changes.filter(({ change }) => change.actions[0] !== "create");
        const addresses = (others.length > 0 ? others : before.resource_changes).map(({ address }) => address);
        for (const index of picked) {
          const address = addresses[index % addresses.length];
          if (address !== undefined) await checkOne(stage, address, fared);
        }
      });
    });
    expect(fared.accepted).toBeGreaterThan(fared.left);
  });
});

async function checkOne(stage: Stage, address: string, fared: { accepted: number; left: number }): Promise<void> {
  const { plan: before } = await stage.plan();
  if (!before.resource_changes.some((change) => change.address === address)) return;
  const linesBefore = linesOf(stage);
  stage.wire.reset();
  const { code, stdout, stderr } = await accept(stage, address);
  expect(stage.wire.writes).toEqual([]);
  const { accepted, problems }: Report = JSON.parse(stdout);
  const { plan: after } = await stage.plan();
  const edits = accepted.flatMap((each) => each.edits);
  expect(problems.map(({ rule }) => rule).filter((rule) => rule !== "not-accepted")).toEqual([]);
  expect(changesOf(after, address)).toEqual(changesOf(before, address));
  expect(after.problems).toEqual(before.problems);
  expect(linesOf(stage)).toEqual(counted(linesBefore, edits));
  const stays = after.resource_changes.filter((change) => change.address === address);
  expect({ code, stderr, stays: stays.length }).toEqual({
    code: stays.length,
    stderr: expect.any(String),
    stays: stays.length,
  });
  fared[code === 0 ? "accepted" : "left"]++;
  const again = await accept(stage, address);
  const { accepted: twice = [] }: Partial<Report> = JSON.parse(again.stdout || "{}");
  expect(twice.flatMap((each) => each.edits)).toEqual([]);
}

function accept({ folder, env }: Stage, address: string) {
  return runProgram(["accept", address, "--report", "json"], folder, env);
}

/** An apply, and then other hands on the server: what a ledger knows as drift, some of it hidden. */
async function drift(stage: Stage, seed: number): Promise<void> {
  const { plan } = await stage.apply();
  for (const [index, change] of plan.resource_changes.entries()) {
    const fate = fates[(index + seed) % fates.length];
    if (change.change.after && change.kind === "integration") await fate?.(stage, change).catch(() => {});
  }
}

type Fate = (stage: Stage, change: PlannedChange) => Promise<unknown>;

const pathOf = ({ project, key }: PlannedChange) => `/projects/${encodeURIComponent(project)}/integrations/${key}`;

const fates: readonly Fate[] = [
  (stage, change) => stage.ask("DELETE", pathOf(change)),
  (stage, change) =>
    stage.ask(
      "PUT",
      pathOf(change),
      touched(change, (value) => value === false),
    ),
  (stage, change) =>
    stage.ask(
      "PUT",
      pathOf(change),
      touched(change, (value) => value),
    ),
  async () => {},
];

/** What was declared with something in place of each secret, and other truths. */
function touched({ change: { after } }: PlannedChange, truth: (value: boolean) => boolean): Record<string, unknown> {
  const fields = Object.entries(after ?? {}).map(([name, value]) => {
    if (typeof value === "boolean") return [name, truth(value)];
    return [name, typeof value === "object" ? "another" : value];
  });
  return Object.fromEntries(fields);
}

/** Lines as often as they stand anywhere. */
type Lines = ReadonlyMap<string, number>;

function linesOf({ folder }: Stage): Lines {
  const lines = filesIn(folder).flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return plus(
    new Map(),
    lines.filter((line) => line !== ""),
    1,
  );
}

function counted(before: Lines, edits: Report["accepted"][number]["edits"]): Lines {
  const without = plus(
    before,
    edits.flatMap(({ removed }) => removed).filter((line) => line !== ""),
    -1,
  );
  return plus(
    without,
    edits.flatMap(({ added }) => added).filter((line) => line !== ""),
    1,
  );
}

function plus(lines: Lines, more: readonly string[], sign: 1 | -1): Lines {
  const counts = new Map(lines);
  for (const line of more) counts.set(line, (counts.get(line) ?? 0) + sign);
  return new Map([...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(join(folder, "policies"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** A comment above each key, wherever that means nothing. */
function decorate({ folder }: Stage): void {
  for (const file of filesIn(folder)) {
    const text = readFileSync(file, "utf8");
    const more = text.replace(/^( *)(?=[\w"'][^\n]*:)/gm, (indent, spaces, at) => `${spaces}# note ${at}\n${indent}`);
    const values = (each: string) => JSON.stringify([...parseAllDocuments(each)].map((document) => document.toJS()));
    if (values(more) === values(text)) writeFileSync(file, more);
  }
}

/**
 * What a plan says of everything else. Lines move, and with them the places of literal secrets; a project that a policy names
 * by its ID has its path for a name only as long as something needs the path.
 */
function changesOf({ resource_changes }: Plan, address: string): unknown {
  const others = resource_changes.filter((change) => change.address !== address);
  const named = others.map(
    ({ source: _, address: name, project, project_id: id = project, project_path: __, call, ...rest }) => ({
      ...rest,
      address: name.replace(project, String(id)),
      call: { ...call, path: call.path.replace(encodeURIComponent(project), String(id)) },
    }),
  );
  return named.toSorted((a, b) => (a.address < b.address ? -1 : 1));
}
