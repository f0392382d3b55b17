import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { desiredOf } from "../manifest/layers.ts";
import { readMigrations } from "../manifest/migrations.ts";
import { projectsOf } from "../manifest/projects.ts";
import { validate } from "../manifest/validate.ts";
import { addressOf, storageAddress } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { dialects } from "../model/dialects.ts";
import { storageKey } from "../model/repository-kinds.ts";
import { catalogueAround, type Loaded, loadWorkspace } from "../workspace/load.ts";
import type { Flag, Run } from "./command.ts";
import { folderOf } from "./run-request.ts";
import { type CliCommand, commands, groups } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel completion SHELL`: a script to source. */
export const run: Run<object> = (terminal, _, [shell = ""]) => {
  const script = completionScripts.get(shell);
  if (!script)
    throw new UserError(`expected one of ${[...completionScripts.keys()].join(", ")}, got ${shell}`, exit.usage);
  terminal.emit(script.trimEnd());
  return exit.done;
};

// Zsh runs a file of its $fpath as the function that the file defines, so the first call must also call the function.
// Bash splits words at : and = itself, so candidates are the part after the last of them; and Bash inserts candidates
// unchanged, so they are quoted here.
const bash = `_evenkeel() {
  local line=\${COMP_LINE:0:COMP_POINT} words word prefix= candidate
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=\${words[\${#words[@]} - 1]}
  [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && prefix=\${word%"\${word##*=}"}
  [[ $COMP_WORDBREAKS == *:* && $word == *:* ]] && prefix=\${word%"\${word##*:}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=\${candidate%%$'\\t'*}
    [[ -n $candidate ]] || continue
    printf -v candidate %q "\${candidate#"$prefix"}"
    COMPREPLY+=("$candidate")
  done < <(evenkeel __complete -- "\${words[@]:1}" 2> /dev/null)
}
complete -o default -F _evenkeel evenkeel
`;

const zsh = `#compdef evenkeel
_evenkeel() {
  local -a found described
  local candidate word meaning
  found=("\${(@f)$(evenkeel __complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  for candidate in $found; do
    word=\${candidate%%$'\\t'*}
    meaning=\${\${candidate#$word}#$'\\t'}
    described+=("\${word//:/\\\\:}\${meaning:+:$meaning}")
  done
  if (( \${#described} )); then
    _describe evenkeel described
  else
    _files
  fi
}
compdef _evenkeel evenkeel
[[ $funcstack[1] != _evenkeel ]] || _evenkeel
`;

const fish = `function __evenkeel_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (evenkeel __complete -- $words[2..] 2> /dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c evenkeel -f -a '(__evenkeel_complete)'
`;

/** Completion scripts by shell. If evenkeel has no candidates, files are offered. */
export const completionScripts: ReadonlyMap<string, string> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);

/** `evenkeel __complete -- WORD...`: completions of the last word, one per line; offline. */
export const complete: Run<object> = (terminal, _, words) => {
  const named = readNames(terminal, findValue(words, "-C"), findValue(words, "--dialect"));
  const legible = listCandidates(words, commands, named).filter(({ word }) => printable(word) === word);
  terminal.emit(legible.map(formatCandidate).join("\n"));
  return exit.done;
};

/** Shells that show descriptions expect them after a tab. */
function formatCandidate({ word, meaning }: Candidate): string {
  const line = meaning ? `${word}\t${meaning}` : word;
  return line.replaceAll(/[\r\n]+/g, " ");
}

function findValue(words: readonly string[], option: string): string | undefined {
  return words[words.indexOf(option) + 1 || words.length];
}

const nothing: Known = { projects: [], addresses: [], storages: [] };

interface Known {
  readonly projects: readonly string[];
  readonly addresses: readonly string[];
  readonly storages: readonly string[];
}

/** Names in the manifests; empty for an unreadable workspace, and the readable ones for an invalid one. */
function readNames(terminal: Terminal, C: string | undefined, dialect = ""): Named {
  const folder = folderOf(terminal, C === undefined ? {} : { C });
  let read: Known | undefined;
  const known = () => {
    read ??= readKnown(folder);
    return read;
  };
  return {
    projects: () => known().projects,
    addresses: () => known().addresses,
    storages: () => known().storages,
    catalogue: () => catalogueAround(folder, dialects.has(dialect) ? dialect : undefined),
  };
}

function readKnown(folder: string): Known {
  try {
    return listKnown(loadWorkspace(folder));
  } catch {
    return nothing;
  }
}

function listKnown(loaded: Loaded): Known {
  const { policies } = validate(loaded);
  const { migrations } = readMigrations(loaded);
  const { projects } = projectsOf(policies, undefined);
  const resources = projects.flatMap((project) => {
    const { desired } = desiredOf(policies, project);
    return desired.resources.map(({ kind, key }) => addressOf(project.name, kind, key));
  });
  const moves = migrations.flatMap(({ from, repositories }) =>
    repositories.map((kind) => storageAddress(storageKey(from, kind))),
  );
  return {
    projects: projects.map(({ name }) => name),
    addresses: [...resources, ...moves],
    storages: [...new Set(migrations.flatMap(({ from, to }) => [from, to]))],
  };
}

/** A completion, and its description. */
interface Candidate {
  readonly word: string;
  readonly meaning?: string;
}

/** Names in manifests, read on demand. */
interface Named {
  readonly projects: () => readonly string[];
  readonly addresses: () => readonly string[];
  readonly storages: () => readonly string[];
  /** In the dialect and with the kinds of the workspace. */
  readonly catalogue: () => Catalogue;
}

/**
 * Candidates for the last word after `evenkeel`, which may be incomplete or empty. Empty for files and for values that
 * only the user knows.
 */
function listCandidates(words: readonly string[], commands: readonly CliCommand[], named: Named): readonly Candidate[] {
  const word = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const command = findCommand(before, commands);
  const within = command ? inCommand(command, before.slice(command.name.split(" ").length), word, named) : [];
  const offered = [...listCommands(before, commands), ...within];
  return offered.filter((candidate) => candidate.word.startsWith(word));
}

function findCommand(words: readonly string[], commands: readonly CliCommand[]): CliCommand | undefined {
  const fits = ({ name }: CliCommand) => name.split(" ").every((part, index) => part === words[index]);
  return commands.filter(fits).toSorted((a, b) => b.name.length - a.name.length)[0];
}

function listCommands(before: readonly string[], commands: readonly CliCommand[]): readonly Candidate[] {
  const shown = commands.filter(({ hidden }) => !hidden);
  if (before.length > 1) return [];
  const [group] = before;
  if (group !== undefined) {
    const below = shown.filter(({ name }) => name.startsWith(`${group} `));
    return below.map(({ name, summary }) => ({ word: name.slice(group.length + 1), meaning: summary }));
  }
  const single = shown.filter(({ name }) => !name.includes(" "));
  return [
    ...single.map(({ name, summary }) => ({ word: name, meaning: summary })),
    ...Object.entries(groups).map(([word, meaning]) => ({ word, meaning })),
    ...everywhere,
    { word: "--version" },
  ];
}

const everywhere: readonly Candidate[] = [{ word: "--help" }, { word: "--no-color", meaning: "plain text" }];

function inCommand(command: CliCommand, before: readonly string[], word: string, named: Named): readonly Candidate[] {
  const [, option, value] = /^(--[^=]+)=(.*)$/.exec(word) ?? [];
  if (option !== undefined && value !== undefined) {
    const flag = findFlag(command, option);
    return flag ? listValues(flag, value, named).map((each) => ({ ...each, word: `${option}=${each.word}` })) : [];
  }
  const open = findFlag(command, before.at(-1));
  if (open && takesValue(open)) return listValues(open, word, named);
  if (word.startsWith("-")) return listOptions(command);
  return listForPlaceholder(findPlaceholder(command, before), word, named);
}

function findFlag({ flags: known }: CliCommand, word: string | undefined): Flag | undefined {
  return known.find(({ flags }) => flags.split(/[ ,]+/).some((part) => part === word));
}

function takesValue({ flags }: Flag): boolean {
  return flags.includes("<");
}

function listOptions({ flags: known }: CliCommand): readonly Candidate[] {
  const own = known.map(({ flags, description }) => ({ word: flags.split(/[ ,]+/)[0] ?? "", meaning: description }));
  return [...own, ...everywhere];
}

function listValues({ choices, suggests, flags }: Flag, word: string, named: Named): readonly Candidate[] {
  const fixed = choices ?? suggests;
  return fixed
    ? fixed.map((each) => ({ word: each }))
    : listForPlaceholder(/<(.*)>/.exec(flags)?.[1] ?? "", word, named);
}

/** The placeholder of the next argument in the command's usage. */
function findPlaceholder(command: CliCommand, before: readonly string[]): string {
  const placeholders = [...(command.arguments ?? "").matchAll(/[[<]([^\]>]+)[\]>]/g)].map(([, name = ""]) => name);
  const args = before.filter((word, index) => {
    const option = findFlag(command, before[index - 1]);
    return !word.startsWith("-") && !(option && takesValue(option));
  });
  const last = placeholders.at(-1) ?? "";
  return (placeholders[args.length] ?? (last.endsWith("...") ? last : "")).replace("...", "");
}

/** Candidates by placeholder. */
const kinds: Readonly<Record<string, (word: string, named: Named) => readonly Candidate[]>> = {
  slug: listSlugs,
  section: listSections,
  shell: () => [...completionScripts.keys()].map((word) => ({ word })),
  project: (_, { projects }) => projects().map((word) => ({ word })),
  storage: (_, { storages }) => storages().map((word) => ({ word })),
  glob: listAddresses,
  address: listAddresses,
};

function listForPlaceholder(placeholder: string, word: string, named: Named): readonly Candidate[] {
  return kinds[placeholder]?.(word, named) ?? [];
}

function listSlugs(word: string, { catalogue }: Named): readonly Candidate[] {
  const { integrations, kinds } = catalogue();
  const slug = word.split(".")[0] ?? "";
  const files = [...kinds.values()].flatMap(({ file }) => file ?? []);
  if (!word.includes(".")) {
    const sections = files.map(({ name, description = "" }) => ({ word: name, meaning: description }));
    return [
      ...[...integrations.values()].map(({ slug, description }) => ({ word: slug, meaning: description })),
      ...sections,
    ];
  }
  const fields = files.filter(({ name }) => name === slug).flatMap(({ fields }) => Object.entries(fields.properties));
  const parameters = [...(integrations.get(slug)?.parameters.values() ?? [])];
  return [
    ...parameters.map(({ name, description }) => ({ word: `${slug}.${name}`, meaning: description })),
    ...fields.map(([name, { description = "" }]) => ({ word: `${slug}.${name}`, meaning: description })),
  ];
}

/** Sections of policies, also at the end of a list with commas. */
function listSections(word: string, { catalogue }: Named): readonly Candidate[] {
  const before = word.slice(0, word.lastIndexOf(",") + 1);
  const known = [...catalogue().kinds.values()].flatMap(({ policy, file }) =>
    policy && file.under === undefined ? [{ word: policy.section, meaning: file.description ?? "" }] : [],
  );
  const each = [...new Map(known.map((candidate) => [candidate.word, candidate])).values()];
  const all = before === "" ? [{ word: "all", meaning: "every kind" }] : [];
  return [...all, ...each.map((candidate) => ({ ...candidate, word: `${before}${candidate.word}` }))];
}

/** Projects first; once a project is complete, its addresses. */
function listAddresses(word: string, { projects, addresses }: Named): readonly Candidate[] {
  return (word.includes(":") ? addresses() : projects()).map((each) => ({ word: each }));
}
