import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { validate } from "../../src/manifest/validate.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { runProgram } from "../e2e/program.ts";
import { root } from "../readme.ts";
import { folder } from "../support/folder.ts";

const freeze = readFileSync(join(root, "examples/own-kind/kinds/freeze_periods.yaml"), "utf8").replaceAll(
  "freeze_period",
  "window",
);
const policy = (body: string) => `apiVersion: evenkeel/v1\nkind: Policy\nname: a\nprojects: [a/b]\n${body}\n`;

function problems(files: Readonly<Record<string, string>>): readonly string[] {
  const loaded = loadWorkspace(
    folder({ "evenkeel.yaml": "apiVersion: evenkeel/v1\nkind: Workspace\n", ...files }).root,
  );
  return validate(loaded).problems.map(
    ({ place, message }) => `${place?.file}:${place?.line}:${place?.column} ${message}`,
  );
}

test("a name that is no field is unknown, unless the kind allows others", () => {
  const closed = "  additionalProperties: false\n";
  const using = (kind: string) =>
    problems({
      "k.yaml": kind,
      "p.yaml": policy('windows: { "0 1": { freeze_end: "0 2", cron_timezon: UTC } }'),
    });
  expect(freeze).toContain(closed);
  expect(using(freeze.replace(closed, ""))).toEqual([
    expect.stringMatching(/^p\.yaml:5:40 .*did you mean cron_timezone\?$/),
  ]);
  expect(using(freeze.replace(closed, "  additionalProperties: true\n"))).toEqual([]);
});

test("mistakes of a kind are problems with their location, those of its expressions too", () => {
  expect(problems({ "a.yaml": freeze, "b.yaml": freeze })).toHaveLength(2);
  expect(problems({ "k.yaml": freeze.replace("after == null", "aftr == null") })).toEqual([
    "k.yaml:16:11 not an expression of CEL: unknown name aftr; did you mean after?",
  ]);
});

test("the expressions of a kind that comes after another are checked, wherever that one is", () => {
  const wrong = freeze.replace("after == null", "aftr == null");
  for (const other of ["labels", "spots"]) {
    const after = wrong.replace("\ncalls:", `\nafter: [${other}]\ncalls:`);
    const spots = freeze.replaceAll("window", "spot");
    expect(problems({ "a.yaml": spots, "k.yaml": after })).toEqual([
      "k.yaml:17:11 not an expression of CEL: unknown name aftr; did you mean after?",
    ]);
  }
});

test("a mistake of a kind is reported once, and not by every policy that uses the kind", () => {
  const uses = policy('windows: { "0 1 * * 5": {} }\nabsent: { windows: [x] }\nexclusive: [windows]');
  const wrong = freeze.replace("key: freeze_start", "key: freeze_strat");
  expect(problems({ "k.yaml": wrong, "p.yaml": uses, "q.yaml": uses.replace("name: a", "name: q") })).toEqual([
    "k.yaml:9:6 there is no field freeze_strat; did you mean freeze_start?",
  ]);
  expect(problems({ "k.yaml": wrong, "p.yaml": policy("window: {}") })).toHaveLength(2);
  expect(problems({ "k.yaml": freeze.replace("evenkeel/v1", "evenkeel/v2") })).toHaveLength(1);
});

test("a kind takes no word that policies and addresses use already", () => {
  const named = (name: string, singular = "window") =>
    problems({
      "k.yaml": freeze.replace("name: windows", `name: ${name}`).replace("singular: window", `singular: ${singular}`),
    });
  for (const word of ["integrations", "disabled", "projects", "vars", "absent", "exclusive", "until", "name", "kind"]) {
    expect(named(word)).toEqual([`k.yaml:4:7 ${word} is taken by Evenkeel itself`]);
  }
  for (const word of ["integration", "storage"]) {
    expect(named("windows", word)).toEqual([`k.yaml:5:11 ${word} is taken by Evenkeel itself`]);
  }
});

test("show has the fields of a singleton right below its section, as a policy does", async () => {
  const { root: at } = folder({
    "evenkeel.yaml": "apiVersion: evenkeel/v1\nkind: Workspace\n",
    "p.yaml": policy("settings: { visibility: private }\nlabels: { bug: { color: '#d9534f' } }"),
    "q.yaml": policy("absent: { push_rule: true }").replace("name: a", "name: q"),
  });
  const { stdout } = await runProgram(["show", "a/b"], at);
  expect(stdout).toContain("\nsettings:  # p.yaml:5\n  visibility: private\n");
  expect(stdout).toContain('\nlabels:\n  bug:  # p.yaml:6\n    color: "#d9534f"\n');
  expect(stdout).toContain("\npush_rule: absent  # q.yaml:5\n");
});
