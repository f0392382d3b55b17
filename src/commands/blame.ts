import { exit, exitCode, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { type Blame, blameLines } from "../git/blame.ts";
import { type DecidingLine, decidingLines, exclusiveLine } from "../manifest/deciding-lines.ts";
import { type AddressParts, addressOf, partsOfAddress } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import { kindWord } from "../model/owner.ts";
import { isSingleton, keyTextOf, keyValuesOf } from "../model/resource-kind.ts";
import type { DesiredProject, Project } from "../model/types.ts";
import { type BlamedLine, type Blaming, blameJson, blameText } from "../report/show.ts";
import type { Checked } from "../run/context.ts";
import { lastOutcomes } from "../state/last-outcome.ts";
import { openState } from "../state/open-state.ts";
import type { Run } from "./command.ts";
import { openReports } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import { type EffectiveProject, effectiveProject } from "./show.ts";
import type { Options } from "./table.ts";

/** `evenkeel blame ADDRESS`: offline as far as `show` is; only reads git and the journal. Tells what it knows without git too. */
export const run: Run<Options<"blame">> = async (terminal, options, [address = ""]) => {
  const report = openReports(terminal, options.report);
  const written = partsOfAddress(address);
  if (!written) throw notAnAddress(address);
  const check = ({ loaded: { workspace } }: Checked) => {
    if (!isOfKind(workspace.catalogue, written)) throw notAnAddress(address);
  };
  const effective = await effectiveProject(terminal, requestOf(terminal, options), written.project, check);
  if (!effective) return exitCode({ problem: true });
  const blaming = await blamingOf(effective, withKeyText(effective.context.loaded.workspace.catalogue, written));
  report({ text: () => blameText(blaming, terminal.palette), json: () => blameJson(blaming) });
  if (blaming.git !== null) throw new UserError(`blame names no commits: ${blaming.git}`, exit.usage);
  return exitCode({});
};

function notAnAddress(text: string): UserError {
  return new UserError(`${text}: expected an address such as payments/api:license/MIT`, exit.usage);
}

/** Whether the catalogue has the kind, and the key is as its resources have one. */
function isOfKind({ kinds }: Catalogue, { kind, key }: AddressParts): boolean {
  const row = kinds.get(kind);
  return row !== undefined && (key === "") === (row.file !== undefined && isSingleton(row.file));
}

/** A key may state the parts that policies leave out by their default. */
function withKeyText({ kinds }: Catalogue, { kind, key, ...rest }: AddressParts): AddressParts {
  const file = kinds.get(kind)?.file;
  return { ...rest, kind, key: file ? keyTextOf(file, keyValuesOf(file, key)) : key };
}

/** A line of a manifest and its value. */
interface ShownLine extends DecidingLine {
  readonly what: string;
  readonly role: BlamedLine["role"];
}

async function blamingOf({ context, desired }: EffectiveProject, parts: AddressParts): Promise<Blaming> {
  const { project } = desired;
  const shown = shownLines(context, desired, parts);
  const { root, workspace } = context.loaded;
  await using state = await openState({ root, name: workspace.name, env: context.request.env });
  const { lines, git } = blamed(root, shown);
  const key =
    desired.resources.find((each) => each.identity === identityOf(workspace.catalogue, parts))?.key ?? parts.key;
  const names = namesOf(project).map((name) => addressOf(name, parts.kind, key));
  return {
    address: addressOf(project.name, parts.kind, key),
    project: project.name,
    kind: kindWord(parts.kind),
    key,
    lines,
    git,
    outcomes: await lastOutcomes(state.journals, names),
  };
}

function namesOf({ name, id, path }: Project): readonly string[] {
  return [...new Set([name, path ?? name, String(id ?? name)])];
}

function shownLines({ policies, loaded }: Checked, desired: DesiredProject, parts: AddressParts): readonly ShownLine[] {
  const { catalogue } = loaded.workspace;
  if (!catalogue.kinds.has(parts.kind)) throw unknownAddress(desired, parts);
  const found = decidingLines(catalogue, policies, desired.project, parts);
  const exclusive = exclusiveLine(policies, desired.project, parts.kind);
  if (!found && exclusive) return [{ ...exclusive, what: "exclusive: off, since no policy lists it", role: "entry" }];
  if (!found) throw unknownAddress(desired, parts);
  const { entry, parameters, variables, beaten } = found;
  const off = entry.line.desired.presence === "absent" ? `${entry.line.path[0]}: ` : "";
  return [
    { ...entry, what: `${off}${entry.line.desired.key || kindWord(parts.kind)}`, role: "entry" },
    ...parameters.map((each): ShownLine => ({ ...each, what: each.name, role: "parameter" })),
    ...variables.map((each): ShownLine => ({ ...each, what: `vars.${each.line.name}`, role: "variable" })),
    ...beaten.map((each): ShownLine => ({ ...each, what: "overridden", role: "overridden" })),
  ];
}

function unknownAddress({ project, resources }: DesiredProject, { kind, key }: AddressParts): UserError {
  const wanted = addressOf(project.name, kind, key);
  const known = resources.map((each) => addressOf(project.name, each.kind, each.key));
  return new UserError(`no policy declares or disables ${wanted}${didYouMean(wanted, known)}`);
}

/** Runs `git blame` once for each file. */
function blamed(root: string, shown: readonly ShownLine[]): Pick<Blaming, "lines" | "git"> {
  const places = shown.map(({ line }) => line.place());
  const files = new Map<string, Blame>();
  for (const { file } of places) {
    if (files.has(file)) continue;
    const lines = places.flatMap((place) => (place.file === file ? [place.line] : []));
    files.set(file, blameLines(root, file, lines));
  }
  const whys = [...files.values()].flatMap((blame) => ("why" in blame ? [blame.why] : []));
  const lines = shown.map(({ what, role, line, selector }, index): BlamedLine => {
    const place = places[index] ?? line.place();
    const blame = files.get(place.file);
    const commit = blame && !("why" in blame) ? blame.get(place.line) : undefined;
    return { what, role, place, policy: line.policy, selector, commit };
  });
  return { lines, git: whys[0] ?? null };
}
