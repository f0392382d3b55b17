import { expect, test } from "vitest";
import { stage } from "../support/stage.ts";

const labels = { bug: { color: "#cc0000" }, docs: { color: "#00cc00" } };
const policies = { g: { projects: ["g/*"], labels }, h: { projects: ["h/c"], labels } };
const projects = [{ path: "g/a" }, { path: "g/b" }, { path: "h/c" }];

test.each([
  [
    ["--exclude", "g/*"],
    ["h/c:label/bug", "h/c:label/docs"],
  ],
  [
    ["--exclude", "*:label/docs", "--exclude", "h/c"],
    ["g/a:label/bug", "g/b:label/bug"],
  ],
  [
    ["--target", "g/*", "--exclude", "g/b:*"],
    ["g/a:label/bug", "g/a:label/docs"],
  ],
  [
    ["--exclude", "1", "--exclude", "2:label/bug"],
    ["g/b:label/docs", "h/c:label/bug", "h/c:label/docs"],
  ],
])("plans without what %j matches", async (options, planned) => {
  const { evenkeel } = await stage({ projects, policies });
  const ran = await evenkeel("plan", ...options, "--report", "json");
  expect(ran.stderr).toBe("");
  expect(ran.plan().resource_changes.map(({ address }) => address)).toEqual(planned);
  expect(ran.plan().scope?.excludes).toEqual(
    options.filter((_, index) => options[index - 1] === "--exclude").toSorted(),
  );
});

test.each([
  ["h/d", "--exclude  no declared resource matches h/d; did you mean h/c?"],
  ["h/c:label/bgu", "--exclude  no declared resource matches h/c:label/bgu; did you mean h/c:label/bug?"],
])("reports that --exclude %s matches nothing", async (glob, message) => {
  const { evenkeel } = await stage({ projects, policies });
  const ran = await evenkeel("apply", "--yes", "--exclude", glob);
  expect(ran).toMatchObject({ code: 1, writes: 0 });
  expect(ran.stderr).toContain(message);
});

test("reads nothing of projects that are excluded, and refuses --exclude with a saved plan", async () => {
  const { evenkeel } = await stage({ projects, policies });
  const ran = await evenkeel("plan", "--exclude", "g/*", "--out", "plan.json");
  expect(ran.requests.filter((each) => each.includes("/labels"))).toHaveLength(1);
  expect(ran.stdout).toContain("Only --exclude g/*");
  expect((await evenkeel("apply", "plan.json", "--exclude", "g/a")).code).toBe(64);
  expect((await evenkeel("unmanaged", "--exclude", "g/*")).code).toBe(0);
});

test("unmanaged reports a glob of --exclude that matches nothing, and one that leaves out all of a project is no such", async () => {
  const { evenkeel } = await stage({ projects, policies });
  const idle = await evenkeel("unmanaged", "--exclude", "x/*:label/*");
  expect(idle).toMatchObject({ code: 1 });
  expect(idle.stderr).toContain("--exclude  no project that policies select matches x/*:label/*  (no-match)");
  expect(await evenkeel("unmanaged", "--exclude", "h/c", "--exclude", "g/*:label/*")).toMatchObject({ code: 0 });
});
