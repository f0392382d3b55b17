import { describe, expect, test } from "vitest";
import { type Scripted, serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { policyText, token, workspaceText } from "./workspace.ts";

const licenses = { licenses: { MIT: "allowed" } };

/** A plan of a workspace on a server of this version. */
async function planned(version: string | undefined, policy: object, requestTimeout = "30s") {
  const site = await serve(
    ({ path }) => (/\/(integrations|managed_licenses)/.test(path) ? { body: [] } : notFound),
    version,
  );
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }, { requestTimeout }),
    "all.yaml": policyText({ projects: ["p"], ...policy }),
  });
  const ran = await runProgram(["plan", "--report", "json"], files.root, { EVENKEEL_TOKEN: token });
  return { ...ran, plan: JSON.parse(ran.stdout), sent: site.seen.length, asked: site.versions };
}

const notFound: Scripted = { status: 404, body: { error: "404 Not Found" } };

describe("the release that a workspace does not state", () => {
  test.each([undefined, "unknown", "", "1.2.3.4", "v17.9"])(
    "is the default where the server says %j",
    async (version) => {
      const ran = await planned(version, licenses);
      expect(ran).toMatchObject({ code: 0, stderr: "", asked: 1, plan: { problems: [], warnings: [] } });
    },
  );

  test("is the default where the server never says, and nobody waits for it twice", async () => {
    const ran = await planned("silent", licenses, "1s");
    expect(ran).toMatchObject({ code: 0, stderr: "", asked: 1, plan: { problems: [], warnings: [] } });
  });
});
