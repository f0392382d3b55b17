import { expect, test } from "vitest";
import { stage } from "../support/stage.ts";

const odd = ["x".repeat(9000), `${"x".repeat(8999)}y`, "é".repeat(3000), "a\u0001b", "%2F?#'\"\\", "a\nb", " b ", "💥"];

test("one name that no index holds loses nothing of a ledger", async () => {
  const licenses = Object.fromEntries([...odd, "MIT"].map((name) => [name, "denied"]));
  const place = await stage({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], licenses },
    workspace: { ledger: "state" },
  });
  await place.apply();
  expect((await place.plan()).plan.resource_changes).toEqual([]);
  const { json } = await place.ask("GET", "/projects/p/managed_licenses");
  for (const { id } of json) {
    await place.ask("PATCH", `/projects/p/managed_licenses/${id}`, { form: { approval_status: "allowed" } });
  }
  const { plan } = await place.plan();
  expect(plan.resource_changes.length).toBe(json.length);
  expect(plan.resource_changes.map(({ cause }) => cause)).toEqual(json.map(() => "drift"));
});
