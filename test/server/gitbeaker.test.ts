import { Gitlab } from "@gitbeaker/rest";
import { expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { eventually, serving } from "./serving.ts";

const seed: Seed = {
  projects: Array.from({ length: 25 }, (_, index) => ({
    id: index + 1,
    path: `g/p${index + 1}`,
    repository_storage: "old",
    merge_requests: [{ id: 1, iid: 1, title: "shipped" }],
    integrations: {
      "irc-gateway": { recipients: "a" },
      "external-wiki": { external_wiki_url: "https://w.example.com" },
    },
  })),
  storages: ["new"],
};

async function foreign() {
  const { server, ask } = await serving({ seed, moveDuration: 15 });
  return { ask, client: new Gitlab({ host: server.url, token: "evenkeel-dev-token", camelize: false }) };
}

test("a client that knows nothing of this program follows the pages of projects", async () => {
  const { client } = await foreign();
  expect(await client.Projects.all()).toHaveLength(25);
});

test("it records, changes and lists deployments and their merge requests", async () => {
  const { client } = await foreign();
  const created = await client.Deployments.create("g/p1", "production", "a1b2", "main", false, { status: "running" });
  expect(created).toMatchObject({ status: "running", environment: { name: "production" } });
  expect((await client.Deployments.edit("g/p1", created.id, "success")).status).toBe("success");
  expect(await client.Deployments.all("g/p1", { environment: "production" })).toHaveLength(1);
  expect((await client.Deployments.show("g/p1", created.id)).sha).toBe("a1b2");
  expect(await client.Deployments.allMergeRequests("g/p1", created.id)).toHaveLength(1);
});

test("it reads, edits and disables integrations whose slugs both know", async () => {
  const { client } = await foreign();
  expect(await client.Integrations.all(1)).toHaveLength(2);
  const edited = await client.Integrations.edit(1, "external-wiki", {
    externalWikiUrl: "https://x.example.com",
  } as object);
  expect(edited.active).toBe(true);
  expect((await client.Integrations.show(1, "external-wiki")).properties).toEqual({
    external_wiki_url: "https://x.example.com",
  });
  await client.Integrations.disable(1, "external-wiki");
  expect((await client.Integrations.show(1, "external-wiki")).active).toBe(false);
});

test("it moves all repositories of a storage", async () => {
  const { client, ask } = await foreign();
  await client.ProjectRepositoryStorageMoves.schedule("old", { destinationStorageName: "new" });
  await eventually(
    () => ask("GET", "/projects?repository_storage=old"),
    ({ json }) => json.length === 0,
  );
  expect((await ask("GET", "/projects?repository_storage=new&per_page=100")).json).toHaveLength(25);
});
