import { expect, test } from "vitest";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import { repository } from "../revision/repository.ts";
import { changeOf, type Setting, scene, told } from "./workspace.ts";

const chat = (channel: string) => ({ webhook: "https://x", channel });
const projects = ["mobile/app", "mobile/core"].map((path, index) => ({
  id: index + 1,
  path,
  integrations: { "chat-notifications-a": chat("#mobile"), "irc-gateway": { recipients: "#ops" } },
}));
const everyone = {
  projects: ["**"],
  integrations: {
    "chat-notifications-a": { webhook: { secret: "env:HOOK" }, channel: "${vars.channel}" },
    "irc-gateway": { recipients: "#ops-now" },
  },
};

test("with --since, the line of the manifest that the revision changed is named first", async () => {
  const irc = { recipients: "${vars.prefix}${vars.suffix}" };
  const integrations = { ...everyone.integrations, "irc-gateway": irc };
  const wide = { projects: ["mobile/app"], vars: { suffix: "-now" }, integrations };
  const prefix = (value: string) => ({ projects: ["mobile/app"], vars: { channel: "#mobile", prefix: value } });
  const made = await scene({ projects, policies: { wide, prefix: prefix("#ops") } });
  const { commit } = repository(made.root);
  commit();
  made.policy({ ...wide, vars: { suffix: "-later" } }, "wide");
  const on = async (...options: string[]) =>
    changeOf(
      (await made.evenkeel("plan", "--report", "json", ...options)).plan(),
      "mobile/app:integration/irc-gateway",
    );
  expect((await on("--since", "HEAD")).set_at?.file).toBe("wide.yaml");
  expect((await on()).set_at?.file).toBe("prefix.yaml");
});

const latest = { release: "19.9", tier: "ultimate" } as const;
const head = { apiVersion: "evenkeel/v1", kind: "ResourceKind" };

const tuning = {
  name: "tuning",
  singular: "tuning",
  of: "project",
  calls: { show: "GET /projects/:id/tuning", update: "PUT /projects/:id/tuning" },
  needs: { role: "maintainer", tier: "premium", release: "9.0" },
  fields: { properties: { speed: { type: "integer", default: 3 }, mode: { type: "string", default: "calm" } } },
};

async function ownStage(kind: object, setting: Setting = {}) {
  const file = { ...head, ...kind };
  const seed = { projects: [{ id: 1, path: "a/b" }] };
  const made = await scene({ ...latest, site: latest, kinds: [file as unknown as ResourceKind], seed, ...setting });
  made.write("own.yaml", JSON.stringify(file));
  return made;
}

test("--since reads all that a changed kind touches", async () => {
  const policy = { projects: ["a/b"], tuning: { speed: 5 } };
  const { evenkeel, root, write } = await ownStage(tuning, { policy });
  repository(root).commit();
  expect((await evenkeel("plan", "--since", "HEAD", "--report", "json")).plan().scope).toMatchObject({ projects: 0 });
  write(
    "own.yaml",
    JSON.stringify({ ...head, ...tuning, calls: { ...tuning.calls, update: "PATCH /projects/:id/tuning" } }),
  );
  const planned = await evenkeel("plan", "--since", "HEAD", "--report", "json");
  expect(planned.plan().scope).toMatchObject({ projects: 1 });
  expect(planned.plan().resource_changes).toHaveLength(1);
});

const observed = { dialect: "gitlab", release: "17.9", behaviour: "observed" } as const;
const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });
const groups: NonNullable<Setting["seed"]> = {
  projects: [
    { id: 1, path: "payments/api" },
    { id: 2, path: "payments/services/ledger", integrations: wiki("https://own") },
    { id: 3, path: "left/alone" },
  ],
  groups: [{ id: 1, path: "payments", integrations: { irker: { recipients: "#old" } } }, { path: "empty" }],
};
const policies = {
  groups: {
    groups: [1, "payments/**"],
    integrations: wiki("https://wiki/${group.path}"),
  },
  old: { groups: ["payments"], disabled: ["irker"] },
};

test("integrations of groups are compared between revisions, with the groups that the last plan listed and without", async () => {
  const { evenkeel, policy, root } = await scene({
    ...observed,
    site: { dialect: "gitlab", release: "17.9" },
    seed: groups,
    policies,
  });
  repository(root).commit();
  policy({ ...policies.groups, integrations: wiki("https://new/${group.path}") }, "groups");
  const blind = await evenkeel("diff", "HEAD", "--report", "json");
  expect(JSON.parse(blind.stdout).changes.map(({ address }: { address: string }) => address)).toEqual([
    "1/:integration/external-wiki",
    "payments/**/:integration/external-wiki",
    "payments/:integration/external-wiki",
  ]);
  await evenkeel("plan");
  const known = await evenkeel("diff", "HEAD", "--report", "json");
  expect(
    JSON.parse(known.stdout).changes.map(({ address, kind }: { address: string; kind: string }) => [address, kind]),
  ).toEqual([
    ["payments/:integration/external-wiki", "integration"],
    ["payments/services/:integration/external-wiki", "integration"],
  ]);
  const since = await evenkeel("plan", "--since", "HEAD", "--report", "json");
  expect(told(since.plan())).toEqual([
    "create payments/:integration/external-wiki",
    "disable payments/:integration/irker",
    "create payments/services/:integration/external-wiki",
  ]);
});
