import fc from "fast-check";
import { expect, test } from "vitest";
import { type Groupable, groupsOf, linesText, lineText } from "../../src/plan/groups.ts";

function change(project: string, more: Partial<Groupable> = {}): Groupable {
  const what = { subject: "irc-gateway", action: "update", removes: false } as const;
  const fields = { before: { port: 1 }, after: { port: 2 }, sentences: ["field differs"] };
  return { project, ...what, ...fields, source: { file: "policies/all.yaml", line: 5, column: 3 }, ...more };
}

const groups = (changes: readonly Groupable[]) => groupsOf(changes, (each) => each);

test("what differs in nothing but the project is one group, and every other difference is seen", () => {
  const others: readonly Partial<Groupable>[] = [
    { subject: "license/MIT" },
    { action: "disable" },
    { before: { port: 3 } },
    { after: { port: 3 } },
    { after: null },
    { sentences: ["field differs, loosened"] },
  ];
  const all = groups([change("a/b"), ...others.map((more) => change("a/c", more)), change("a/d")]);
  expect(all.map(({ projects }) => projects)).toEqual([["a/b", "a/d"], ...others.map(() => ["a/c"])]);
});

test("changes of several lines are one group, which tells its lines", () => {
  const at = (file: string, line: number) => ({ source: { file, line, column: 3 } });
  const one = [change("a/b"), change("a/c"), change("a/d", at("policies/other.yaml", 9))];
  const [group, ...rest] = groups(one);
  expect([group?.projects, group?.lines.map(lineText), rest]).toEqual([
    ["a/b", "a/c", "a/d"],
    ["policies/all.yaml:5", "policies/other.yaml:9"],
    [],
  ]);
  const many = groups([...one, change("a/e", at("policies/other.yaml", 10))]);
  expect([...groups(one), ...many].map(({ lines }) => linesText(lines))).toEqual([
    "policies/all.yaml:5 and policies/other.yaml:9",
    "policies/all.yaml:5 and 2 more lines",
  ]);
});

test("values that only a project's own path makes different are equal, and are shown as what a policy says", () => {
  const link = (project: string) => change(project, { after: { url: `https://bugs.test/${project}` } });
  const [group, ...rest] = groups([link("a/b"), link("a/c")]);
  expect([group?.shared.after, rest]).toEqual([{ url: "https://bugs.test/${project.path}" }, []]);
  expect(groups([link("42"), link("43")])).toHaveLength(2);
  expect(groups([link("a/b")])[0]?.shared.after).toEqual({ url: "https://bugs.test/a/b" });
});

test("a removal is the same whatever it removes, and tells what was the same everywhere", () => {
  const off = (project: string, port: number) =>
    change(project, { removes: true, before: { active: true, port }, after: { active: false } });
  const [group] = groups([off("a/b", 1), off("a/c", 2), off("a/d", 1)]);
  expect([group?.projects, group?.shared.before]).toEqual([["a/b", "a/c", "a/d"], { active: true }]);
});

/** A value of a group as a policy would make it of the project. */
function read(text: string, project: string): string {
  return text.replace(/\$\$\{|\$\{project\.path\}/g, (found) => (found === "$${" ? "${" : project));
}

test("each change is in one group, and every member has the values that the group shows", () => {
  const any = fc.record({
    project: fc.constantFrom("a/b", "a/c", "7", "a/b/c"),
    after: fc.record({ url: fc.constantFrom("x", "a/b", "a/c/d", "a/b/c", "$&", "${project.path}") }),
    removes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(any), (list) => {
      const changes = list.map(({ project, ...more }) => change(project, more));
      const found = groups(changes);
      const members = found.flatMap((group) => group.members);
      expect([new Set(members), members.length]).toEqual([new Set(changes), changes.length]);
      for (const { members, shared } of found.filter((group) => group.members.length > 1)) {
        for (const { project, after } of members) expect(after?.url).toBe(read(String(shared.after?.url), project));
      }
    }),
  );
});

test("a project's own path is found in lists and mappings too", () => {
  const links = (project: string) =>
    change(project, { after: { links: [{ url: `https://a.test/${project}`, n: 1 }] } });
  const [group, ...rest] = groups([links("a/b"), links("a/c")]);
  expect([group?.shared.after, rest]).toEqual([{ links: [{ url: "https://a.test/${project.path}", n: 1 }] }, []]);
});
