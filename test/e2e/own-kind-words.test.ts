import { describe, expect, test } from "vitest";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import { stage } from "../support/stage.ts";

const latest = { release: "19.9", tier: "ultimate" } as const;

/** Its section is no plural of its word, and a policy gives its one field directly, as of a license. */
const passes = {
  ...{ apiVersion: "evenkeel/v1", kind: "ResourceKind", name: "who_may_pass", singular: "pass" },
  ...{ of: ["project", "group"], key: "name", only: "level" },
  calls: {
    list: "GET /projects/:id/passes",
    create: "POST /projects/:id/passes",
    update: "PUT /projects/:id/passes/:row.id",
    delete: "DELETE /projects/:id/passes/:row.id",
  },
  needs: { role: "maintainer", release: "9.0" },
  loosened: "after != null && after.level == 'open'",
  fields: {
    required: ["name", "level"],
    properties: { name: { type: "string" }, level: { type: "string", enum: ["open", "shut"] } },
  },
} as const satisfies object;

const rows = { resources: { who_may_pass: [{ name: "gate", level: "shut" }] } };

async function made(level: string) {
  const seed = { projects: [{ path: "a/b", ...rows }], groups: [{ path: "a", ...rows }] };
  const policies = {
    all: { projects: ["a/b"], who_may_pass: { gate: level } },
    group: { groups: ["a"], who_may_pass: { gate: level } },
  };
  const kinds = [passes as unknown as ResourceKind];
  const staged = await stage({ ...latest, site: latest, kinds, seed, policies });
  staged.write("passes.yaml", JSON.stringify(passes));
  return staged;
}

const loosened = "pass/gate becomes open in";

describe("what a kind of the workspace loosens is told in its words", () => {
  test.each(["text", "markdown", "html", "sarif", "junit", "codequality", "github"])("%s", async (report) => {
    const { evenkeel } = await made("open");
    expect((await evenkeel("plan", "--report", report)).stdout).toContain(loosened);
  });
});
