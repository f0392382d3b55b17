import { expect, test } from "vitest";
import { policyEffectOf } from "../../src/model/policy-effect.ts";
import type { Fields } from "../../src/model/types.ts";

const allowed: Fields = { approval_status: "allowed" };
const denied: Fields = { approval_status: "denied" };

test.each<[string, Fields | null, Fields | null, string | undefined]>([
  ["a license is allowed", null, allowed, "loosened"],
  ["a license is denied", null, denied, "tightened"],
  ["an allowed license becomes denied", allowed, denied, "tightened"],
  ["a denied license becomes allowed", denied, allowed, "loosened"],
  ["a denied license is forgotten", denied, null, "loosened"],
  ["an allowed license is forgotten", allowed, null, "tightened"],
  ["legacy words mean today's", { approval_status: "blacklisted" }, null, "loosened"],
  ["the server says a word that every object knows", { approval_status: "constructor" }, null, undefined],
  ["nothing visible differs", {}, {}, undefined],
])("where %s", (_, before, after, policy_effect) => {
  expect(policyEffectOf({ kind: "license", before, after })).toBe(policy_effect);
});

test("an integration is no policy", () => {
  const change = { kind: "integration", key: "irc-gateway", before: null, after: { recipients: "#ci" } } as const;
  expect(policyEffectOf(change)).toBeUndefined();
});
