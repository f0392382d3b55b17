import { expect, test } from "vitest";
import { run as applyCommand } from "../../src/commands/apply.ts";
import type { Terminal } from "../../src/commands/terminal.ts";
import { plain } from "../../src/report/terminal.ts";
import { outcomes, type Runs, runs } from "./runs.ts";

const projects = ["p", "q"].map((path) => ({
  path,
  integrations: { "external-wiki": { external_wiki_url: "https://old" } },
  licenses: { MIT: "denied" as const },
}));
const policy = {
  projects: ["p", "q"],
  integrations: { "external-wiki": { external_wiki_url: "https://new" } },
  licenses: { MIT: "allowed", "AGPL-3.0": "denied" },
};

const moveWiki = ({ ask }: Runs) =>
  ask("PUT", "/projects/p/integrations/external-wiki", { form: { external_wiki_url: "https://mine" } });

/** A terminal at which a person says yes, after something happened. */
function answering(run: Runs, meanwhile: () => Promise<unknown>) {
  const said: string[] = [];
  const tell = (text: string) => void said.push(text);
  const terminal: Terminal = {
    env: { EVENKEEL_TOKEN: "token-CANARY-of-the-workspace" },
    ...{ cwd: run.root, folder: run.root },
    print: tell,
    warn: tell,
    note: tell,
    fail: tell,
    emit: tell,
    listen: () => {},
    lines: async function* () {},
    unrecorded: false,
    palette: plain,
    warnings: plain,
    interactive: true,
    confirm: async (question) => {
      tell(question);
      await meanwhile();
      return true;
    },
    progress: () => ({ update: () => {}, stop: () => {} }),
    interrupted: new AbortController().signal,
  };
  return { terminal, said };
}

test("what moved while a person was asked is stale, and the rest is written after a second look", async () => {
  const run = await runs({ projects, policy });
  const { terminal, said } = answering(run, async () => {
    run.asked();
    await moveWiki(run);
    run.asked();
  });
  expect(await applyCommand(terminal, {}, [])).toBe(4);
  expect(said.join("\n")).toMatch(
    /Make these 6 changes\?.*stale p:integration\/external-wiki: [^\n]*changed.*5 applied, 1 stale/s,
  );
  const asked = run.asked();
  expect(asked.filter((request) => !request.startsWith("GET"))).toHaveLength(5);
  for (const path of ["p", "q"]) {
    const own = asked.filter((request) => request.includes(`/projects/${path}/`)).map((each) => each.split(" ")[0]);
    expect(own.lastIndexOf("GET")).toBeLessThan(own.findIndex((method) => method !== "GET"));
  }
  const wiki = await run.ask("GET", "/projects/p/integrations/external-wiki");
  expect(wiki.json.properties.external_wiki_url).toBe("https://mine");
});

test("where nobody is asked no time passes, and nothing is read twice", async () => {
  const run = await runs({ projects, policy });
  const { terminal } = answering(run, async () => {});
  expect(await applyCommand(terminal, { yes: true }, [])).toBe(0);
  const reads = run.asked().filter((request) => request.startsWith("GET"));
  expect(new Set(reads).size).toBe(reads.length);
});

test("with a ledger and all else as it was, everything is written", async () => {
  const run = await runs({ projects, policy, workspace: { ledger: ".evenkeel/ledger.ndjson" } });
  const applied = await run.apply({ recheck: true });
  expect(outcomes(applied).filter((line) => line.startsWith("applied"))).toHaveLength(6);
  expect((await run.plan()).plan.resource_changes).toEqual([]);
});
