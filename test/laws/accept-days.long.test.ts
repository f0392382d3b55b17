import fc from "fast-check";
import { expect, test } from "vitest";
import { dayOf } from "../../src/base/day.ts";
import { desiredOf } from "../../src/manifest/layers.ts";
import { validate } from "../../src/manifest/validate.ts";
import { addressOf } from "../../src/model/address.ts";
import type { Value } from "../../src/model/types.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { runProgram } from "../e2e/program.ts";
import { type Fleet, fleet } from "./fleet.ts";
import { law, onStage, type Stage, withoutPauses } from "./stage.ts";

withoutPauses();

const dayAfter = (day: string, days: number) => dayOf(new Date(Date.parse(day) + days * 86_400_000));
const today = dayOf(new Date());
const ends = [today, dayAfter(today, 40), dayAfter(today, 400)];
const days = [...new Set([today, ...ends.flatMap((end) => [-1, 0, 1].map((off) => dayAfter(end, off)))])]
  .filter((day) => day >= today)
  .sort();

interface Report {
  readonly accepted: readonly { readonly address: string; readonly notes: readonly string[] }[];
}

test("what is accepted changes nothing of anything else on any day to come, and lasts", async () => {
  const fared = { lasting: 0, brief: 0 };
  const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 3 });
  await law(12, [fleet({ ends }), picks], async (generated, picked) => {
    await onStage(generated, { behaviour: "spec", arrangement: picked[0] ?? 0 }, async (stage) => {
      if ((picked[0] ?? 0) % 2 === 1) await withoutSome(stage);
      for (const index of picked) await checkOne(stage, generated, index, fared);
    });
  });
  expect(fared.lasting).toBeGreaterThan(fared.brief);
});

/** After an apply somebody deletes licenses and turns integrations off on the server. */
async function withoutSome(stage: Stage): Promise<void> {
  const { plan } = await stage.apply();
  const there = plan.resource_changes.filter(({ change }) => change.after !== null);
  for (const { project, kind, key } of there.filter((_, index) => index % 2 === 0)) {
    const list = kind === "license" ? "managed_licenses" : "integrations";
    const path = `/projects/${encodeURIComponent(project)}/${list}/${encodeURIComponent(key)}`;
    await stage.ask("DELETE", path).catch(() => {});
  }
}

async function checkOne(stage: Stage, { projects }: Fleet, index: number, fared: Record<string, number>) {
  const { plan } = await stage.plan();
  const address = plan.resource_changes[index % plan.resource_changes.length]?.address;
  if (address === undefined) return;
  const before = days.map((day) => stateOn(stage, projects, day, address));
  const { code, stdout } = await runProgram(["accept", address, "--report", "json"], stage.folder, stage.env);
  expect(days.map((day) => stateOn(stage, projects, day, address))).toEqual(before);
  if (code !== 0) return;
  const { accepted }: Report = JSON.parse(stdout);
  const [, until] = /applies until (\S+) only/.exec(accepted.flatMap(({ notes }) => notes).join("\n")) ?? [];
  fared[until === undefined ? "lasting" : "brief"] = (fared[until === undefined ? "lasting" : "brief"] ?? 0) + 1;
  for (const day of days.filter((each) => until === undefined || each <= until)) {
    const { plan: then } = await stage.plan({ today: day });
    expect([day, then.resource_changes.filter((each) => each.address === address)]).toEqual([day, []]);
  }
}

/** All that is wanted on a day but for one address, with the reason and the end that it has. */
function stateOn({ folder }: Stage, projects: Fleet["projects"], day: string, except: string): unknown {
  const { policies, problems } = validate(loadWorkspace(folder), day);
  const rules = problems.filter(({ severity }) => severity === "error").map(({ rule }) => rule);
  const wanted = projects.map(({ id, path }) => {
    const { desired } = desiredOf(policies, { id, path, name: path });
    const isExcept = (each: string) => each.toLowerCase() === except.toLowerCase();
    const others = desired.resources.filter(
      ({ kind, key }) => ![path, `${id}`].some((name) => isExcept(addressOf(name, kind, key))),
    );
    return others.map(({ kind, key, presence, fields, origin: { reason, until } }) => {
      const values = Object.entries(fields).map(([name, value]) => [name, placeless(value)]);
      return { kind, key, presence, values, reason, until };
    });
  });
  return { wanted, rules };
}

/** A literal secret is named by its place, which may move. */
function placeless(value: Value): unknown {
  return JSON.stringify(value).replace(/manifest:[^"]*/, "manifest:");
}
