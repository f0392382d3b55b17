import { join, relative, resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { shellWord } from "../base/shell-word.ts";
import { translationBetween } from "../format/translation.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { licenseTier, tierIncludes } from "../model/availability.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { dialectNamed, neutral } from "../model/dialects.ts";
import { kindOf, removedSection } from "../model/kinds.ts";
import { replaceWords } from "../model/renamed-schema.ts";
import { schemasIn } from "../model/schemas.ts";
import { ignored } from "../state/folder/state-folder.ts";
import { isThere } from "../workspace/durable-file.ts";
import { linkFault } from "../workspace/links.ts";
import { makeFiles } from "../workspace/output-file.ts";
import type { Run } from "./command.ts";
import { exampleUrl, type ServerSettings, serverOf } from "./prompts.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const examplePolicy = "policies/example.yaml";
const schemaFolder = ".evenkeel/schemas";

const workspace = ({ url, release, tier }: ServerSettings, dialect: string) =>
  `# yaml-language-server: $schema=${schemaFolder}/manifest.schema.json
apiVersion: evenkeel/v1
kind: Workspace
server:
  url: ${JSON.stringify(url)}
  ${release ? `release: ${JSON.stringify(release)}` : '# release: "14.5"           # if left out, the server is asked'}
${dialect === neutral.name ? "" : `  dialect: ${dialect}\n`}\
  ${(tier ? `tier: ${tier}` : "# tier: ultimate").padEnd(27)} # if set, what the tier lacks is reported before anything is sent
# protected: ["payments/core:integration/*"]   # never disabled or deleted
`;

/** The first policy; its licenses are comments if the server has none. */
const policy = (withLicenses: boolean) => `# yaml-language-server: $schema=../${schemaFolder}/manifest.schema.json
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
${withLicenses ? licenses : licenses.replace(/^(?!#)/gm, "# ")}
`;

const licenses = `licenses:
  AGPL-3.0: denied
  MIT: allowed
# exclusive: [licenses]       # licenses that no policy lists are deleted`;

const gitignore = `# What a run keeps on this machine, and keys; a ledger is committed.
${ignored
  .map(
    (line) => `.evenkeel/${line}
`,
  )
  .join("")}`;

/** `evenkeel init [DIR]`: existing files are not overwritten. On a terminal, it prompts for settings without a flag. */
export const run: Run<Options<"init">> = async (terminal, options, [folder = "."]) => {
  const [taken] = [workspaceFile, examplePolicy].filter((file) => isThere(resolve(terminal.cwd, folder, file)));
  if (taken) throw new UserError(`${join(folder, taken)} exists already; nothing was written`);
  const server = await serverOf(terminal, options);
  const { slugs } = translationBetween(neutral.name, options.dialect);
  const files: [string, string][] = [
    [workspaceFile, workspace(server, options.dialect)],
    [examplePolicy, replaceWords(policy(hasLicenses(server, options.dialect)), slugs)],
    [".gitignore", gitignore],
    ...[...schemasIn(dialectNamed(options.dialect))].map(([name, schema]): [string, string] => [
      join(schemaFolder, name),
      JSON.stringify(schema, null, 2),
    ]),
  ];
  const named = files.map(([file, text]) => ({
    name: join(folder, file),
    path: resolve(terminal.cwd, folder, file),
    text,
  }));
  const missing = named.filter(({ path }) => !isThere(path));
  const root = resolve(terminal.cwd, folder);
  for (const { name, path } of missing) refuseLink(name, linkFault(root, relative(root, path)));
  makeFiles(missing);
  terminal.print(nextSteps(terminal, folder, server));
  return exit.done;
};

function refuseLink(name: string, fault: string | undefined): void {
  if (fault !== undefined) throw new UserError(`cannot write ${name}: ${fault}; nothing was written`);
}

/** A server of a platform may be of any release, unless one is stated. */
function hasLicenses({ release, tier }: ServerSettings, dialect: string): boolean {
  const isKept = release
    ? !removedSection(kindOf(catalogueOf(), "license"), "licenses", { release })
    : dialect === neutral.name;
  return isKept && tierIncludes(tier || undefined, licenseTier);
}

function nextSteps(terminal: Terminal, folder: string, { url }: ServerSettings): string {
  const here = relative(terminal.cwd, resolve(terminal.cwd, folder));
  const option = here ? ` -C ${shellWord(here)}` : "";
  return [
    `Wrote ${join(folder, workspaceFile)} and ${join(folder, examplePolicy)}.`,
    "",
    "To change first:",
    ...(url === exampleUrl ? [`  server.url in ${join(folder, workspaceFile)}: ${url} is only an example`] : []),
    "  EVENKEEL_TOKEN in the environment: a token of that server, or EVENKEEL_TOKEN_FILE, a file that holds it",
    "",
    "Next:",
    `  evenkeel import${option} --all   writes what is live as policies; then delete the example`,
    `  evenkeel validate${option}       checks the manifests; offline`,
    `  evenkeel plan${option}           compares them with the server; needs EVENKEEL_TOKEN`,
  ].join("\n");
}
