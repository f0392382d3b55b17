import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { exit, Refusal } from "../exit.ts";
import { schemas } from "../schemas.ts";
import type { Terminal } from "../terminal.ts";
import { save } from "./emit.ts";
import type { Run } from "./verbs.ts";

const schemaFolder = ".evenkeel/schemas";

const workspace = (url: string) => `# yaml-language-server: $schema=${schemaFolder}/manifest.schema.json
apiVersion: evenkeel/v1
kind: Workspace
server:
  url: ${JSON.stringify(url)}
  release: "14.5"
  # tier: ultimate            # stated: what the tier lacks is a problem before anything is sent
# protected: ["payments/core:integration/*"]   # never disabled or deleted
`;

const policy = `# yaml-language-server: $schema=../${schemaFolder}/manifest.schema.json
apiVersion: evenkeel/v1
kind: Policy
name: example
projects: ["example/app"]     # an ID, a full path, or a glob such as "example/**"
vars:
  tracker: https://bugs.example.com
integrations:
  issue-tracker-links-a:
    new_issue_url: \${vars.tracker}/\${project.path}/new
    issues_url: \${vars.tracker}/\${project.path}/:id
    project_url: \${vars.tracker}/\${project.path}
  # chat-notifications-a:
  #   webhook: { secret: env:EXAMPLE_HOOK }   # a secret is named, never written here
  #   channel: "#example"
  #   pipeline_events: true
# disabled: [irc-gateway]     # make sure that it is off
licenses:
  AGPL-3.0: denied
  MIT: allowed
# exclusive: [licenses]       # licenses that no policy lists are deleted
`;

const ignored = `# The journal, the lock and keys stay on this machine; a ledger is committed.
.evenkeel/journal/
.evenkeel/lock
.evenkeel/*.key
`;

/** `evenkeel init [DIR]`: nothing that exists is overwritten. */
export const run: Run<{ readonly url: string }> = (terminal, { url }, [folder = "."]) => {
  const files: [string, string][] = [
    ["evenkeel.yaml", workspace(url)],
    ["policies/example.yaml", policy],
    [".gitignore", ignored],
    ...[...schemas].map(([name, schema]): [string, string] => [
      join(schemaFolder, name),
      JSON.stringify(schema, null, 2),
    ]),
  ];
  const [taken] = files.slice(0, 2).filter(([file]) => existsSync(join(terminal.cwd, folder, file)));
  if (taken) throw new Refusal(`${join(folder, taken[0])} exists already; nothing was written`);
  for (const [file, text] of files) write(terminal, join(folder, file), text);
  terminal.print(nextSteps(terminal, folder));
  return exit.done;
};

function write(terminal: Terminal, file: string, text: string): void {
  if (!existsSync(join(terminal.cwd, file))) save(terminal, file, text);
}

function nextSteps(terminal: Terminal, folder: string): string {
  const here = relative(terminal.cwd, join(terminal.cwd, folder));
  const option = here ? ` -C ${here}` : "";
  return [
    `Wrote ${join(folder, "evenkeel.yaml")} and ${join(folder, "policies/example.yaml")}.`,
    "",
    "Next:",
    `  evenkeel validate${option}     checks the manifests; offline`,
    `  evenkeel plan${option}         compares them with the server; needs EVENKEEL_TOKEN`,
  ].join("\n");
}
