import { expect, test } from "vitest";
import { closedPort } from "../client/scripted.ts";
import { scene } from "./workspace.ts";

const disabled = ["irc-gateway"];
const made = () =>
  scene({
    projects: [{ path: "team/payments" }],
    policies: { all: { projects: ["team/**"], disabled }, own: { projects: ["other/named"], disabled } },
  });

test("where the server cannot be asked, the state is shown with a warning", async () => {
  const { evenkeelWith } = await made();
  const doubt = /^warning: only globs match team\/paymnets, and the server could not be asked whether it exists: /;
  for (const env of [{ EVENKEEL_TOKEN: "" }, { EVENKEEL_URL: `http://127.0.0.1:${await closedPort()}` }]) {
    const shown = await evenkeelWith(env, "show", "team/paymnets");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("irc-gateway: disabled"), reads: 0 });
    expect(shown.stderr).toMatch(doubt);
  }
});
