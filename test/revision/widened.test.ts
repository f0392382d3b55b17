import { expect, test } from "vitest";
import { parseManifest } from "../../src/manifest/document.ts";
import { type Policy, readPolicies } from "../../src/manifest/policies.ts";
import { readWorkspace } from "../../src/manifest/workspace.ts";
import { noticesFor } from "../../src/plan/revision/notices.ts";

const { workspace } = readWorkspace(parseManifest("evenkeel.yaml", "apiVersion: evenkeel/v1\nkind: Workspace\n"));

function policyFor(glob: string): Policy {
  const text = `apiVersion: evenkeel/v1\nkind: Policy\nname: p\nprojects: [a/x, ${glob}]\nlicenses: { MIT: allowed }\n`;
  const [policy] = readPolicies({ documents: parseManifest("p.yaml", text).documents, workspace }).policies;
  if (!policy) throw new Error("expected a policy");
  return policy;
}

test("the selectors of a widened policy are read once, and not for each project", () => {
  const after = policyFor("'**'");
  let reads = 0;
  const counted: Policy = {
    ...after,
    get projects() {
      reads++;
      return after.projects;
    },
  };
  const noticesOf = (count: number) => {
    reads = 0;
    const projects = Array.from({ length: count }, (_, index) => ({ name: `b/${index}`, path: `b/${index}` }));
    const sides = { before: { policies: [policyFor("a/**")] }, after: { policies: [counted], workspace } };
    const [notice] = noticesFor({ ...sides, changes: [], hidden: [], settings: [], known: () => projects });
    return { message: notice?.message, reads };
  };
  expect(noticesOf(2).message).toBe("policy p now selects **: 2 projects more (b/0, b/1)");
  expect(noticesOf(200).reads).toBe(noticesOf(2).reads);
});
