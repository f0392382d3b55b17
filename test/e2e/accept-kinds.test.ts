import { describe, expect, test } from "vitest";
import { type Setting, scene } from "./workspace.ts";

const latest = { release: "19.9", tier: "ultimate" } as const;
const seed: NonNullable<Setting["seed"]> = {
  projects: ["payments/api", "payments/web"].map((path, index) => ({ id: 40 + index, path, default_branch: "main" })),
  users: [
    { id: 51, username: "anna" },
    { id: 52, username: "ben" },
  ],
};
const setting = { ...latest, site: latest, seed };

describe("accept of kinds", () => {
  test("declares what exclusive would remove, as import does", async () => {
    const policy = { projects: ["payments/api"], labels: { bug: { color: "#cc0000" } }, exclusive: ["labels"] };
    const { evenkeel, ask, read } = await scene({ ...setting, policy });
    await evenkeel("apply", "--yes");
    await ask("POST", "/projects/40/labels", { json: { name: "idea ${x}", color: "#00cc00", description: "new" } });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned.plan().resource_changes.map(({ address }) => address)).toEqual(["payments/api:label/idea ${x}"]);
    const accepted = await evenkeel("accept", "payments/api:label/idea *");
    expect(accepted).toMatchObject({ code: 0, stderr: "" });
    expect(read("all.yaml")).toContain("$${x}");
    expect((await evenkeel("plan", "--report", "json")).plan().resource_changes).toEqual([]);
  });

  test("edits the policy that sets a field of a singleton, and no wider one", async () => {
    const policies = {
      everyone: { projects: ["**"], settings: { merge_method: "ff", lfs_enabled: true } },
      api: { projects: ["payments/api"], settings: { visibility: "private" }, priority: 2 },
      more: { projects: ["payments/api"], settings: { squash_option: "always" } },
    };
    const { evenkeel, ask, read } = await scene({ ...setting, policies });
    await evenkeel("apply", "--yes");
    const before = read("everyone.yaml");
    await ask("PUT", "/projects/40", { json: { squash_option: "never", merge_method: "merge" } });
    expect(await evenkeel("accept", "payments/api:settings")).toMatchObject({ code: 0, stderr: "" });
    expect(read("more.yaml")).toContain("never");
    expect(read("api.yaml")).toContain("merge_method");
    expect(read("api.yaml")).not.toContain("squash_option");
    expect(read("everyone.yaml")).toBe(before);
    expect((await evenkeel("plan", "--report", "json")).plan().resource_changes).toEqual([]);
  });

  test("leaves names that were looked up as they are written, with a ledger too", async () => {
    const policy = { projects: ["payments/api"], approval_rules: { Sec: { approvals_required: 1, users: ["anna"] } } };
    const workspace = { ledger: ".evenkeel/ledger.ndjson" };
    const { evenkeel, ask, read } = await scene({ ...setting, policy, workspace });
    expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0 });
    const [rule] = (await ask("GET", "/projects/40/approval_rules")).json;
    await ask("PUT", `/projects/40/approval_rules/${rule?.id}`, { json: { approvals_required: 2, user_ids: [51] } });
    expect(await evenkeel("accept", "payments/api:approval_rule/Sec")).toMatchObject({ code: 0, stderr: "" });
    expect(read("all.yaml")).toContain('"anna"');
    expect(read("all.yaml")).toContain('"approvals_required":2');
    expect((await evenkeel("plan", "--report", "json")).plan().resource_changes).toEqual([]);
    await ask("PUT", `/projects/40/approval_rules/${rule?.id}`, { json: { user_ids: [52] } });
    expect(await evenkeel("accept", "payments/api:approval_rule/Sec")).toMatchObject({ code: 0, stderr: "" });
    expect(read("all.yaml")).not.toContain("anna");
    expect((await evenkeel("plan", "--report", "json")).plan().resource_changes).toEqual([]);
  });
});

describe("keys with interpolations", () => {
  const policy = {
    projects: ["payments/**"],
    vars: { host: "hooks.example.com" },
    webhooks: { "https://${vars.host}/${project.path}": { push_events: false } },
    labels: { "a $${b}": { color: "#cc0000" } },
  };

  test("are planned, applied, explained by blame, and accepted", async () => {
    const { evenkeel, ask, read } = await scene({ ...setting, policy });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned.plan().resource_changes.map(({ address }) => address)).toEqual([
      "payments/api:label/a ${b}",
      "payments/api:webhook/https://hooks.example.com/payments/api",
      "payments/web:label/a ${b}",
      "payments/web:webhook/https://hooks.example.com/payments/web",
    ]);
    expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0 });
    const blamed = await evenkeel("blame", "payments/api:webhook/https://hooks.example.com/payments/api");
    expect(blamed.stdout).toMatch(/all\.yaml:\d+/);
    const [hook] = (await ask("GET", "/projects/41/hooks")).json;
    await ask("PUT", `/projects/41/hooks/${hook?.id}`, {
      json: { url: "https://hooks.example.com/payments/web", push_events: true },
    });
    expect(await evenkeel("accept", "payments/web:webhook/*")).toMatchObject({ code: 0, stderr: "" });
    expect(read("policies/payments/web.yaml")).toContain("https://${vars.host}/${project.path}:");
    expect((await evenkeel("plan", "--report", "json")).plan().resource_changes).toEqual([]);
  });

  test("that become the same are a problem with both places, and unknown variables one with theirs", async () => {
    const webhooks = { "https://${vars.host}/a": {}, "https://hooks.example.com/a": {} };
    const absent = { webhooks: ["https://${vars.hots}/b"] };
    const policies = {
      same: { ...policy, labels: {}, webhooks },
      lost: { projects: ["payments/api"], absent },
      odd: { projects: ["payments/api"], vars: { scheme: "ftp" }, webhooks: { "${vars.scheme}": {} } },
    };
    const { evenkeel } = await scene({ ...setting, policies });
    const { code, stderr } = await evenkeel("validate");
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /same\.yaml:6:\d+ .*webhook\/https:\/\/hooks\.example\.com\/a is declared here and at same\.yaml:6:\d+/,
    );
    expect(stderr).toMatch(/lost\.yaml:5:\d+ .*vars\.hots.* is not defined/);
  });
});
