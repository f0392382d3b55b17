import { expect, test } from "vitest";
import { stage } from "../support/stage.ts";

test("a server that knows only the older words of licenses is spoken to in those, once it has refused today's", async () => {
  const { evenkeel, ask } = await stage({
    behaviour: "observed",
    release: "13.12",
    site: { release: "13.12" },
    workspace: { concurrency: 1 },
    projects: [{ id: 1, path: "a/b", licenses: { BSD: "denied" } }],
    policy: { projects: ["a/b"], licenses: { MIT: "allowed", "GPL-3.0": "denied", BSD: "allowed" } },
  });
  const applied = await evenkeel("apply", "--yes");
  expect(applied).toMatchObject({ code: 0, writes: 4 });
  const { json } = await ask("GET", "/projects/1/managed_licenses");
  const statuses = json.map(({ name, approval_status }: Record<string, string>) => [name, approval_status]);
  expect(Object.fromEntries(statuses)).toEqual({ MIT: "approved", "GPL-3.0": "blacklisted", BSD: "approved" });
  expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test("a secret that contains a word of the refusal does not hide it", async () => {
  const { evenkeel } = await stage({
    behaviour: "observed",
    release: "13.12",
    site: { release: "13.12" },
    secrets: { HOOK: "sekretvalue0" },
    projects: [{ path: "a/b" }],
    policy: {
      projects: ["a/b"],
      integrations: { "chat-webhook-c": { webhook: { secret: "env:HOOK" } } },
      licenses: { MIT: "allowed" },
    },
  });
  expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 3 });
});
