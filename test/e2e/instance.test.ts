import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import { outcomes, type Setting, scene, told } from "./workspace.ts";

const seed: NonNullable<Setting["seed"]> = {
  instance: {
    settings: { signup_enabled: true },
    topics: [{ name: "old", title: "Old" }],
    variables: [{ key: "X", value: "1" }],
  },
  projects: [{ id: 1, path: "payments/api" }],
  tokens: [{ token: "maintains", role: "maintainer" }],
};
const site = { dialect: "gitlab", release: "17.5" };
const policies = {
  server: {
    instance: true,
    settings: { signup_enabled: false },
    topics: { payments: { title: "Payments" } },
    system_hooks: { "https://audit.example.com/hook": { token: { secret: "env:AUDIT" } } },
    exclusive: ["topics"],
  },
  projects: { projects: ["payments/*"], settings: { visibility: "private" } },
};
const instance = { ...site, site, seed, policies, secrets: { AUDIT: "hunter2hunter2" } } as const;

test("settings, topics and hooks of the instance are planned, applied, and then in sync", async () => {
  const { evenkeel } = await scene(instance);
  const planned = await evenkeel("plan", "--target", "instance:*", "--report", "json");
  expect(planned.stderr).toBe("");
  expect(told(planned.plan())).toEqual([
    "update instance:settings",
    "create instance:system_hook/https://audit.example.com/hook",
    "delete instance:topic/old",
    "create instance:topic/payments",
  ]);
  expect(planned.plan().summary).toMatchObject({ projects: 1, instance: 1 });
  const applied = await evenkeel("apply", "--yes", "--report", "json");
  expect(outcomes(applied.plan()).filter((line) => !line.startsWith("applied"))).toEqual([]);
  expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test("a protected topic is not deleted, and a drifted setting is accepted", async () => {
  const { evenkeel, ask, read } = await scene({ ...instance, workspace: { protected: ["instance:topic/*"] } });
  const refused = await evenkeel("apply", "--yes");
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("instance:topic/old") });
  await evenkeel("apply", "--yes", "--allow-protected", "instance:topic/old");
  await ask("PUT", "/application/settings", { json: { signup_enabled: true } });
  expect((await evenkeel("accept", "instance:settings")).code).toBe(0);
  expect(read("server.yaml")).toContain('"signup_enabled":true');
});

test("a token of somebody else is told that an administrator is needed", async () => {
  const { evenkeel } = await scene({ ...instance, as: "maintains" });
  const { code, stderr } = await evenkeel("plan", "--target", "instance:settings");
  expect(code).toBe(1);
  expect(stderr).toContain("/application/settings answered 403 Forbidden; the token needs the role administrator");
});

test("import writes a policy of the instance, without what every server has", async () => {
  const { evenkeel, read } = await scene({ ...instance, policies: {} });
  expect((await evenkeel("import", "--instance")).code).toBe(0);
  const written = read("policies/instance.yaml");
  expect(written).toContain("instance: true\n");
  expect(written).toContain("topics:\n  old:\n    title: Old\n");
  expect(written).not.toContain("gravatar_enabled");
  expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test("a kind of a workspace may be of the instance", async () => {
  const kind = `apiVersion: evenkeel/v1
kind: ResourceKind
name: broadcasts
singular: broadcast
of: instance
key: message
calls:
  list: GET /broadcast_messages
  create: POST /broadcast_messages
  update: PUT /broadcast_messages/:row.id
  delete: DELETE /broadcast_messages/:row.id
needs: { role: admin }
fields:
  type: object
  additionalProperties: false
  required: [message]
  properties:
    message: { type: string, minLength: 1 }
    dismissable: { type: boolean, default: false }
`;
  const parsed = parse(kind) as ResourceKind;
  const own = { instance: true, broadcasts: { "Down on Sunday": { dismissable: true } }, exclusive: ["broadcasts"] };
  const rows = { broadcasts: [{ message: "Old" }] };
  const { evenkeel, write } = await scene({ ...site, kinds: [parsed], seed: { instance: rows }, policy: own, site });
  write("broadcasts.yaml", kind);
  expect(told((await evenkeel("plan", "--report", "json")).plan())).toEqual([
    "create instance:broadcast/Down on Sunday",
    "delete instance:broadcast/Old",
  ]);
  expect((await evenkeel("apply", "--yes")).code).toBe(0);
  expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  write("broadcasts.yaml", kind.replace("/broadcast_messages/:row.id\nneeds", "/projects/:row.id\nneeds"));
  expect((await evenkeel("validate")).stderr).toContain("it may delete a project or group itself");
});
