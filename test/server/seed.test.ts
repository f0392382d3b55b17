import { expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { parseChaos } from "../../src/server/chaos.ts";
import { parseSeed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

function problemsOf(text: string): string[] {
  const parsed = parseSeed(text, "seed.yaml");
  if (!("problems" in parsed)) return [];
  return parsed.problems.map(({ place, path, message }) => `${place?.line}:${place?.column} ${path ?? ""} ${message}`);
}

test("the seed of the docs is read", () => {
  const text = `
projects:
  - id: 42
    path: payments/api
    repository_storage: nfs-1
    integrations:
      irc-gateway: { recipients: "a b", push_events: "true", server_port: null }
      alerts: { anything: 1 }
      external-wiki:
    licenses: { MIT: allowed, GPL: blacklisted }
    deployments: [{ id: 3, environment: production, sha: abc, ref: main, tag: false, status: success }]
    merge_requests: [{ id: 1, iid: 1, title: one }]
storages: [nfs-1, cluster-1]
snippets: [{ id: 1, repository_storage: nfs-1 }]
groups: [{ id: 1, path: payments, repository_storage: nfs-1 }]
tokens: [{ token: dev, role: developer }]
features: { direct_fetch_replication: true }
`;
  expect(problemsOf(text)).toEqual([]);
  expect(parseSeed("")).toEqual({ seed: {} });
});

test("chaos rules are read", () => {
  const good =
    "- { match: '/projects/*', method: PUT, status: 429, times: 2, retry_after: 1 }\n- { reset: true, acted: true }\n";
  expect(parseChaos(good)).toHaveProperty("chaos.length", 2);
});

test("no ID is given twice, whether the seed states it before, after or elsewhere", async () => {
  const hooks = (...ids: (number | undefined)[]) => ({
    webhooks: ids.map((id, index) => ({ url: `https://${index}.example.com`, ...(id && { id }) })),
  });
  const { ask } = await serving({
    release: "17.5",
    dialect: "gitlab",
    seed: {
      groups: [{ path: "g" }, { path: "h", id: 1 }],
      users: ["ada", { username: "bob", id: 2 }],
      projects: [
        { path: "g/a", resources: hooks(2, undefined, undefined) },
        { path: "g/b", id: 1, resources: hooks(undefined, 4) },
      ],
    },
  });
  for (const project of ["g%2Fa", "g%2Fb"])
    await ask("POST", `/projects/${project}/hooks`, { json: { url: "https://new.example.com" } });
  const lists = ["/projects/g%2Fa/hooks", "/projects/g%2Fb/hooks"].map((path) => ask("GET", path));
  const hooksOfAll = (await Promise.all(lists)).flatMap(({ json }) => json);
  for (const [rows, count] of [
    [hooksOfAll, 7],
    [(await ask("GET", "/groups")).json, 2],
    [(await ask("GET", "/projects")).json, 2],
    [(await ask("GET", "/users")).json, 3],
  ] as const) {
    const ids = rows.map(({ id }: { id: number }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
  }
});

test("a seed speaks the names of the dialect", () => {
  const seed = (slug: string) => `projects: [{ path: a/b, integrations: { ${slug}: { jenkins_url: x } } }]`;
  expect(parseSeed(seed("jenkins"), "seed", catalogueOf("gitlab"))).toHaveProperty("seed");
  expect(parseSeed(seed("ci-build-server-c"), "seed", catalogueOf())).toHaveProperty("problems");
});
