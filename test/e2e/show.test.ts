import { expect, test } from "vitest";
import { closedPort } from "../client/scripted.ts";
import { scene } from "./workspace.ts";

const disabled = ["irc-gateway"];
const made = () =>
  scene({
    projects: [{ path: "team/payments" }],
    policies: { all: { projects: ["team/**"], disabled }, own: { projects: ["other/named"], disabled } },
  });

test("a project that only globs match is looked up, and one that is not there has no state", async () => {
  const { evenkeel } = await made();
  expect(await evenkeel("show", "team/payments")).toMatchObject({ code: 0, stderr: "", reads: 1 });
  const misspelt = await evenkeel("show", "team/paymnets");
  expect(misspelt).toMatchObject({ code: 1, stdout: "" });
  expect(misspelt.stderr).toContain("the server lists no project team/paymnets; did you mean team/payments?");
});

test("a project that a policy names is shown offline", async () => {
  const { evenkeel } = await made();
  expect(await evenkeel("show", "Other/named")).toMatchObject({ code: 0, stderr: "", reads: 0 });
});

test("where the server cannot be asked, the state is shown with a warning", async () => {
  const { evenkeelWith } = await made();
  const doubt = /^warning: only globs match team\/paymnets, and the server could not be asked whether it exists: /;
  for (const env of [{ EVENKEEL_TOKEN: "" }, { EVENKEEL_URL: `http://127.0.0.1:${await closedPort()}` }]) {
    const shown = await evenkeelWith(env, "show", "team/paymnets");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("irc-gateway: disabled"), reads: 0 });
    expect(shown.stderr).toMatch(doubt);
  }
});

test("what must not be there is absent, and an integration is disabled; a key is shown as it is written", async () => {
  const { evenkeel, write } = await scene({ site: { dialect: "gitlab" } });
  const head = "apiVersion: evenkeel/v1\nkind: Policy\nname: all\nprojects: [a/b]\n";
  write(
    "all.yaml",
    `${head}disabled: [irker]\nprotected_branches: { 1.10: { push_access_level: 40 } }\nabsent: { labels: [old] }\n`,
  );
  const shown = await evenkeel("show", "a/b");
  expect(shown.stdout).toContain("irker: disabled");
  expect(shown.stdout).toContain("old: absent");
  expect(shown.stdout).toContain('"1.10":');
});

test("a misspelt project is not taken for a group that only a glob matches", async () => {
  const { evenkeel } = await scene({
    projects: [{ path: "team/payments" }],
    policies: {
      all: { projects: ["team/**"], disabled },
      groups: { groups: ["**"], labels: { bug: { color: "#cc0000" } } },
    },
  });
  const { code, stderr } = await evenkeel("show", "team/paymnets");
  expect([code, stderr]).toEqual([1, expect.stringContaining("no project team/paymnets; did you mean team/payments?")]);
  expect((await evenkeel("show", "team")).stderr).toContain("; did you mean the group team/?");
});
