import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

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
