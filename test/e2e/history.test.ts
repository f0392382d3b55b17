import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const projects = ["p", "q"].map((path) => ({ path, licenses: { MIT: "denied" } }));
const policy = { projects: ["p", "q"], licenses: { MIT: "allowed" } };
const rowsIn = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout);

test("plans, drifts and applies are kept in the folder, where git ignores them, and cost no request", async () => {
  const { evenkeel, evenkeelWith, files, write } = await scene({ projects, policy });
  write(".evenkeel/.gitignore", "# mine\njournal/\nlock\n*.key");
  const planned = await evenkeel("plan");
  expect(await evenkeel("drift")).toMatchObject({ code: 2, reads: planned.reads });
  await evenkeelWith({ GITHUB_ACTOR: "grace" }, "apply", "--yes", "--target", "q");
  expect(await evenkeel("apply", "--yes", "--target", "p", "--fail-on-nothing")).toMatchObject({ code: 64 });
  const runs = rowsIn(await evenkeel("runs", "--report", "json"));
  expect(runs.map(({ command, outcome, changes }: Record<string, unknown>) => [command, outcome, changes])).toEqual([
    ["apply", "applied", 1],
    ["drift", "drift", 2],
    ["plan", "pending", 2],
  ]);
  expect(runs[0]).toMatchObject({ who: "grace" });
  expect(rowsIn(await evenkeel("runs", "--project", "p", "--report", "json"))).toHaveLength(2);
  expect(files()[".evenkeel/.gitignore"]?.split("\n")).toEqual(
    expect.arrayContaining(["# mine", "journal/", "runs/", "plans/", "notes/"]),
  );
  const summaries = Object.keys(files()).filter((name) => name.startsWith(".evenkeel/runs/"));
  expect(summaries).toHaveLength(3);
});

test("plans are kept for a month and looks for a quarter; applies stay", async () => {
  const { evenkeel, write, files } = await scene({ projects, policy });
  const head = { who: "ada", host: "desk", ended: null, outcome: null, changes: 0, commit: null, touched: {} };
  const old = "20200101T000000Z-000";
  for (const [index, command] of ["plan", "drift", "apply"].entries()) {
    const run = `${old}${index}`;
    write(`.evenkeel/runs/${run}.json`, JSON.stringify({ ...head, run, command, started: "2020-01-01T00:00:00.000Z" }));
    for (const ending of ["json", "sig"]) write(`.evenkeel/plans/${run}.${ending}`, "{}");
  }
  await evenkeel("plan", "--save");
  expect(Object.keys(files()).filter((name) => name.includes(old))).toEqual([`.evenkeel/runs/${old}2.json`]);
  expect(Object.keys(files()).filter((name) => name.startsWith(".evenkeel/plans/"))).toHaveLength(1);
});

test("a saved plan in the folder is checked like a file", async () => {
  const { evenkeel, read, write, files } = await scene({ projects, policy });
  const { stderr } = await evenkeel("plan", "--save");
  const [, run = ""] = /apply --plan (\S+)/.exec(stderr) ?? [];
  const file = `.evenkeel/plans/${run}.json`;
  const text = read(file);
  write(file, text.replace('"allowed"', '"denied"'));
  expect(await evenkeel("apply", "--plan", run)).toMatchObject({
    code: 1,
    writes: 0,
    stderr: expect.stringContaining(`of run ${run} was edited`),
  });
  write(file, text);
  expect(await evenkeel("apply", "--plan", run, "--target", "p")).toMatchObject({ code: 64, writes: 0 });
  expect(await evenkeel("apply", "plan.json", "--plan", run)).toMatchObject({ code: 64, writes: 0 });
  expect(await evenkeel("apply", "--plan", "../runs/x")).toMatchObject({ code: 1, reads: 0 });
  const applied = await evenkeel("apply", "--plan", run);
  expect(applied).toMatchObject({ code: 0, writes: 2 });
  expect(applied.stdout.match(/^ {2}. applied /gm)).toHaveLength(2);
  expect(Object.keys(files())).toContain(file);
});
