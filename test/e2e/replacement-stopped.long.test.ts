import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

const protection = { protected_branches: [{ name: "main", push_access_level: 40, merge_access_level: 40 }] };
const path = "/projects/g%2Fa/protected_branches";

describe("a run that is stopped between the two requests of a replacement leaves the branch protected", () => {
  test.each([
    ["SIGTERM", "finishes it", { latency: 500 }, "1 applied", 0],
    ["SIGINT", "finishes it", { latency: 500 }, "1 applied", 0],
    [
      "SIGTERM",
      "does not wait for a server that asks to retry later, and restores what was there",
      {
        latency: 500,
        chaos: [{ match: "*/protected_branches", method: "POST", status: 429, retry_after: 60, times: 1 }],
      },
      "it was created again as it was",
      40,
    ],
  ] as const)("%s %s", async (signal, _, behaviour, says, level) => {
    const { begin, server, ask } = await stage({
      seed: { groups: [{ path: "g" }], projects: [{ path: "g/a", resources: protection }] },
      site: { dialect: "gitlab", release: "17.5", tier: "free" },
      ...{ release: "17.5", tier: "free" },
      dialect: "gitlab",
      ...behaviour,
      policy: { projects: ["g/a"], protected_branches: { main: { push_access_level: 0, merge_access_level: 40 } } },
    });
    const run = begin("apply", "--yes");
    await until(() => server.requests.kept.some(({ method }) => method === "DELETE"));
    run.kill(signal);
    const { code, stdout } = await run.ended;
    expect([code, stdout]).toEqual([130, expect.stringContaining(says)]);
    const [main, ...others] = (await ask("GET", path)).json;
    expect(others).toEqual([]);
    expect(main).toMatchObject({ name: "main", push_access_levels: [{ access_level: level }] });
  });
});
