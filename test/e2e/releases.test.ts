import { expect, test } from "vitest";
import { scripted } from "./workspace.ts";

test.each([
  [undefined, "30s"],
  ["unknown", "30s"],
  ["", "30s"],
  ["1.2.3.4", "30s"],
  ["v17.9", "30s"],
  ["silent", "1s"],
])(
  "the release that a workspace does not state is the default where the server says %j",
  async (version, requestTimeout) => {
    const { run, server } = await scripted(
      ({ path }) =>
        /\/(integrations|managed_licenses)/.test(path)
          ? { body: [] }
          : { status: 404, body: { error: "404 Not Found" } },
      { policy: { projects: ["p"], licenses: { MIT: "allowed" } }, workspace: { requestTimeout } },
      version,
    );
    const ran = await run("plan", "--report", "json");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toMatchObject({ problems: [], warnings: [] });
    expect(server.versions).toBe(1);
  },
);
