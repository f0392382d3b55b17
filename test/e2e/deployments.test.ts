import { expect, test } from "vitest";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { scene, token } from "./workspace.ts";

const deployment = (n: number) => ({
  ref: n % 2 ? "main" : "v1",
  sha: `${n}`.padStart(40, "a"),
  status: n % 2 ? "success" : "failed",
  environment: n % 3 ? "production" : "staging",
  created_at: `2021-11-${String((n % 28) + 1).padStart(2, "0")}T10:00:00Z`,
  updated_at: `2021-11-${String((n % 28) + 1).padStart(2, "0")}T10:05:00Z`,
  deployable: null,
});

const projects = [
  {
    id: 7,
    path: "ops/policies",
    deployments: Array.from({ length: 130 }, (_, n) => deployment(n + 1)),
    merge_requests: [
      {
        iid: 12,
        title: "Deny AGPL-3.0",
        author: { username: "mira" },
        web_url: "https://code.example.com/ops/policies/-/merge_requests/12",
        merged_at: "2021-11-01T09:55:00Z",
        deployment_id: 3,
      },
      { iid: 13, title: "Another", author: { name: "Kim" }, web_url: "https://code.example.com/13", deployment_id: 4 },
    ],
  },
];

test("list follows all pages, filters on the server, and pairs a time filter with its order", async () => {
  const { evenkeel } = await scene({ projects, behaviour: "observed" });
  const all = await evenkeel("deployments", "list", "ops/policies", "--report", "json");
  expect(all).toMatchObject({ code: 0, stderr: "", reads: 2, writes: 0 });
  expect(JSON.parse(all.stdout)).toHaveLength(130);
  const filters = [
    "--environment",
    "production",
    "--status",
    "success",
    "--updated-after",
    "2021-11-20T00:00:00+01:00",
  ];
  const some = await evenkeel("deployments", "list", "7", ...filters, "--sort", "desc");
  expect(some.requests).toEqual([expect.stringContaining("order_by=updated_at&sort=desc&updated_after=2021-11-20")]);
  const [heading, ...rows] = some.stdout.trimEnd().split("\n");
  expect(heading).toMatch(/^ {2}ID +IID +STATUS +ENVIRONMENT +REF +SHA +CREATED +UPDATED +BY$/);
  expect(rows.length).toBeGreaterThan(5);
  for (const row of rows) expect(row).toMatch(/^ {2}\d+ +\d+ +success +production +main +a{6}/);
});

test.each([
  [
    ["list", "p", "--status", "succes", "--sort", "up"],
    /--sort takes asc or desc.*--status takes .*did you mean success\?/,
  ],
  [["list", "p", "--updated-before", "tomorrow"], /ISO 8601/],
  [["show", "p", "first"], /ID takes a whole number/],
  [["create", "p", "--environment", "e", "--sha", "s", "--ref", "r"], /--tag or --no-tag is missing/],
  [
    ["create", "p", "--environment", "e", "--sha", "s", "--ref", "r", "--tag", "--no-tag"],
    /^error: --tag and --no-tag contradict each other/,
  ],
  [["update", "p", "7"], /--status is missing/],
  [["update", "p", "7", "--status", "done"], /--status takes/],
])("deployments %j is wrong usage, and nothing is sent", async (args, words) => {
  const { root } = folder();
  const env = { EVENKEEL_URL: "http://127.0.0.1:1", EVENKEEL_TOKEN: token };
  const ended = await runProgram(["deployments", ...args], root, env);
  expect(ended).toMatchObject({ code: 64, stdout: "", stderr: expect.stringMatching(words) });
});

test("show and merge-requests tell all of one, by EVENKEEL_URL without a workspace too", async () => {
  const { evenkeel, server } = await scene({ projects });
  const shown = await evenkeel("deployments", "show", "ops/policies", "3");
  expect(shown.stdout).toMatch(/^Deployment 3 \(iid 3\): success\n {2}environment {2}staging\n/);
  const { root } = folder();
  const env = { EVENKEEL_URL: server.url, EVENKEEL_TOKEN: token };
  const shipped = await runProgram(["deployments", "merge-requests", "ops/policies", "3"], root, env);
  expect(shipped.stdout).toBe(
    "  MERGE REQUEST  TITLE          AUTHOR  MERGED                URL\n" +
      "  !12            Deny AGPL-3.0  mira    2021-11-01T09:55:00Z  https://code.example.com/ops/policies/-/merge_requests/12\n",
  );
  const none = await evenkeel("deployments", "show", "ops/policies", "999", "--report", "json");
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("404") });
  expect(JSON.parse(none.stdout)).toMatchObject({ status: "failed", error: expect.stringContaining("404") });
});

test("create and update write what they say; a status that stands already is no failure", async () => {
  const { evenkeel, ask } = await scene({ projects, behaviour: "observed" });
  const options = ["--environment", "production", "--sha", "abc", "--ref", "v2", "--tag", "--status", "running"];
  const created = await evenkeel("deployments", "create", "ops/policies", ...options, "--report", "json");
  expect(created).toMatchObject({ code: 0, writes: 1, reads: 0 });
  expect(JSON.parse(created.stdout)).toMatchObject({ id: 131, ref: "v2", status: "running" });
  const again = await evenkeel("deployments", "update", "ops/policies", "131", "--status", "running");
  expect(again).toMatchObject({ code: 0, stderr: "note: deployment 131 is running already: nothing to change\n" });
  expect(again.stdout).toMatch(/^Deployment 131 \(iid 131\): running\n/);
  const done = await evenkeel("deployments", "update", "ops/policies", "131", "--status", "success");
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Deployment 131 \(iid 131\): success\n/) });
  const back = await evenkeel("deployments", "update", "ops/policies", "131", "--status", "running");
  expect(back.stderr).toContain("deployment 131 is success, and this server does not let it become running from there");
  expect((await ask("GET", "/projects/7/deployments/131")).json.status).toBe("success");
});

test("a server that demands a status is told as such", async () => {
  const { evenkeel } = await scene({ projects, behaviour: "observed" });
  const ran = await evenkeel(
    "deployments",
    "create",
    "7",
    "--environment",
    "e",
    "--sha",
    "a",
    "--ref",
    "r",
    "--no-tag",
  );
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toMatch(/; this server demands --status: running, success, failed or canceled\n$/);
});

test("a POST whose answer is lost is not sent again, and its outcome is told as unknown", async () => {
  const chaos = [{ method: "POST", reset: true, acted: true, times: 1 }];
  const { evenkeel, ask } = await scene({ projects: [{ path: "p" }], chaos });
  const options = ["--environment", "e", "--sha", "abc", "--ref", "main", "--no-tag"];
  const ran = await evenkeel("deployments", "create", "p", ...options, "--report", "json");
  expect(ran).toMatchObject({
    code: 1,
    writes: 1,
    stderr: expect.stringMatching(/^error: whether the deployment was created is unknown/),
  });
  expect(JSON.parse(ran.stdout)).toMatchObject({ status: "unknown" });
  expect((await ask("GET", "/projects/p/deployments")).json).toHaveLength(1);
});
