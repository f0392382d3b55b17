import { expect, test } from "vitest";
import { folder } from "../support/folder.ts";
import { policyText, workspaceText } from "../support/stage.ts";
import { runProgram } from "./program.ts";

const rule = `apiVersion: evenkeel/v1
kind: Rule
name: no-deletes
when: change.action == "delete"
message: ask first
`;

function testText(name: string, given: object | string, expected: object): string {
  const lines = Object.entries({ name, given, expect: expected }).map(
    ([key, value]) => `${key}: ${JSON.stringify(value)}`,
  );
  return `apiVersion: evenkeel/v1\nkind: Test\n${lines.join("\n")}\n`;
}

const given = { projects: [{ path: "g/a", resources: { labels: [{ name: "old", color: "#ff0000" }] } }] };
const bug = { address: "g/a:label/bug", action: "create" };
const old = { address: "g/a:label/old", action: "delete" };

async function outcome(expected: object, seed: object | string = given) {
  const files = folder();
  files.write("evenkeel.yaml", workspaceText({ url: "https://code.example.com", release: "14.5", dialect: "gitlab" }));
  const labels = { labels: { bug: { color: "#00ff00" } }, absent: { labels: ["old"] } };
  files.write("all.yaml", policyText({ projects: ["g/a", "g/elsewhere"], ...labels }));
  files.write("rule.yaml", rule);
  files.write("tests/a.yaml", testText("labels", seed, expected));
  if (seed === "seed.yaml") files.write("tests/seed.yaml", JSON.stringify(given));
  const { code, stdout, stderr } = await runProgram(["test", "--report", "json"], files.root);
  const [first] = stdout === "" ? [] : JSON.parse(stdout).tests;
  return { code, stderr, differences: first?.differences.map((each: { message: string }) => each.message) };
}

test.each([
  ["in any order", { changes: [old, bug], blocked_by: ["no-deletes"] }, []],
  ["others", { changes: [bug], others: true, blocked_by: ["no-deletes"] }, []],
  ["unchecked changes", { blocked_by: ["no-deletes"] }, []],
  [
    "another change and a missing objection",
    { changes: [bug, { ...old, action: "update" }], blocked_by: ["no-deletes", "no-irc"] },
    [
      "expected update g/a:label/old; its action is delete (listed under absent)",
      "no-irc does not object to the plan; found: no-deletes",
    ],
  ],
  [
    "a change too many, an objection and a problem that is not there",
    { changes: [bug], problems: ["tie"] },
    [
      "the plan has no problem tie",
      "not expected: delete g/a:label/old (all.yaml:6)",
      "not expected: rule no-deletes: ask first (rule.yaml:4): g/a:label/old",
    ],
  ],
  [
    "a misspelled address",
    { changes: [{ ...bug, address: "g/a:label/bugg" }], others: true, blocked_by: ["no-deletes"] },
    ["expected create g/a:label/bugg; nothing is planned there; did you mean g/a:label/bug?"],
  ],
] as const)("a test compares %s", async (_, expected, differences) => {
  expect(await outcome(expected)).toEqual({ code: differences.length > 0 ? 1 : 0, stderr: "", differences });
});

test.each([
  ["seed.yaml", { code: 0, differences: [] }],
  ["none.yaml", { code: 1, differences: ["there is no file tests/none.yaml, and none none.yaml in the workspace"] }],
  [{ project: [] }, { code: 1, differences: [expect.stringContaining("unknown key project; did you mean projects?")] }],
])("the seed %j is read", async (seed, ended) => {
  expect(await outcome({ blocked_by: ["no-deletes"] }, seed)).toEqual({ stderr: "", ...ended });
});

test("tests are chosen by path, and reported for a pipeline", async () => {
  const files = folder();
  files.write("evenkeel.yaml", workspaceText({ url: "https://code.example.com" }));
  files.write("a/a.yaml", testText("passes", {}, { changes: [] }));
  files.write("b/b.yaml", testText("fails", {}, { blocked_by: ["x"] }));
  expect(await runProgram(["test", "a"], files.root)).toMatchObject({
    code: 0,
    stdout: "ok    passes\n\n1 test passed.\n",
  });
  const failed = await runProgram(["test", "--report", "junit=t.xml"], files.root);
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("1 of 2 tests failed.") });
  expect(failed.stdout).toContain("b/b.yaml:5:24  x does not object to the plan");
  expect(files.read("t.xml")).toContain('<testsuite name="evenkeel test" tests="2" failures="1"');
  expect(await runProgram(["test", "evenkeel.yaml"], files.root)).toMatchObject({ code: 64 });
  expect(Object.keys(files.files()).filter((name) => name.startsWith(".evenkeel"))).toEqual([]);
});
