import { expect, test } from "vitest";
import { stage } from "../support/stage.ts";

const variables = (more: object) => ({ KEY: { value: { secret: "env:KEY" }, masked: true, ...more } });

test.each([
  [
    "short",
    {},
    /^all.yaml:5:\d+ .*the server would refuse the value of env:KEY: expected 8 or more of the characters/m,
  ],
  ["with spaces", { raw: true }, /expected 8 or more characters, and no spaces or line breaks/],
  ["long-enough!", {}, /or raw: true/],
  ["long-enough!", { raw: true }, undefined],
  ["long-enough~", {}, undefined],
  ["short", { masked: false }, undefined],
  [undefined, {}, undefined],
])("validate checks a masked value %j that is at hand, with %j", async (value, more, expected) => {
  const { evenkeelWith } = await stage({
    policy: { projects: ["p"], variables: variables(more) },
    site: { release: "17.0" },
  });
  const { code, stderr, stdout } = await evenkeelWith(value === undefined ? {} : { KEY: value }, "validate");
  expect(code).toBe(expected ? 1 : 0);
  if (expected) expect(stderr).toMatch(expected);
  if (value) expect(stdout + stderr).not.toContain(value);
});

test("a token whose scopes cannot write is reported before anything is sent", async () => {
  const tokens = [{ token: "reader", role: "maintainer", scopes: ["read_api"] }] as const;
  const { evenkeel, policy } = await stage({
    seed: { tokens, projects: [{ path: "p", licenses: { MIT: "allowed" } }] },
    policy: { projects: ["p"], licenses: { MIT: "denied" } },
    as: "reader",
  });
  const applied = await evenkeel("apply", "--yes");
  expect(applied).toMatchObject({ code: 1, writes: 0 });
  expect(applied.stderr).toContain(
    "the token may not write, so nothing was sent: it has the scope read_api, and apply needs api",
  );
  policy({ projects: ["p"], licenses: { MIT: "allowed" } });
  expect((await evenkeel("apply", "--yes")).code).toBe(0);
});
