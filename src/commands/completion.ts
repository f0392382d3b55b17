import { resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { desiredOf } from "../manifest/layers.ts";
import { projectsOf } from "../manifest/projects.ts";
import { validate } from "../manifest/validate.ts";
import { addressOf } from "../model/address.ts";
import { catalogueAround, loadWorkspace } from "../workspace/load.ts";
import { type CliCommand, commands, type Flag, groups, type Run, wordOf } from "./command.ts";
import templates from "./templates.json" with { type: "json" };

export const run: Run<object> = (terminal, _, [shell = ""]) => {
  const script = completionScripts.get(shell);
  if (!script)
    throw new UserError(`expected one of ${[...completionScripts.keys()].join(", ")}, got ${shell}`, exit.usage);
  terminal.emit(script.trimEnd());
  return exit.done;
};

/** Completion scripts by shell. If evenkeel has no candidates, files are offered. */
const completionScripts: ReadonlyMap<string, string> = new Map([
  ["bash", templates["completion.bash"]],
  ["zsh", templates["completion.zsh"]],
  ["fish", templates["completion.fish"]],
]);

export const complete: Run<object> = (terminal, _, words) => {
  const folder = resolve(terminal.cwd, words[words.indexOf("-C") + 1 || words.length] ?? ".");
  const legible = listCandidates(words, folder).filter(({ word }) => printable(word) === word);
  // Shells that show descriptions expect them after a tab.
  const lines = legible.map(({ word, meaning }) => (meaning ? `${word}\t${meaning}` : word));
  terminal.emit(lines.map((line) => line.replaceAll(/[\r\n]+/g, " ")).join("\n"));
  return exit.done;
};

interface Candidate {
  readonly word: string;
  readonly meaning?: string;
}

function listCandidates(words: readonly string[], folder: string): readonly Candidate[] {
  const word = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const fits = ({ name }: CliCommand) => name.split(" ").every((part, index) => part === before[index]);
  const [command] = commands.filter(fits).toSorted((a, b) => b.name.length - a.name.length);
  const within = command ? inCommand(command, before.slice(command.name.split(" ").length), word, folder) : [];
  return [...listCommands(before), ...within].filter((candidate) => candidate.word.startsWith(word));
}

function listCommands(before: readonly string[]): readonly Candidate[] {
  const shown = commands.filter(({ hidden }) => !hidden);
  const [group, ...others] = before;
  if (others.length > 0) return [];
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

function inCommand(command: CliCommand, before: readonly string[], word: string, folder: string): readonly Candidate[] {
  const [, option, value] = /^(--[^=]+)=(.*)$/.exec(word) ?? [];
  const given = findFlag(command, option);
  if (given) return listValues(given, value, folder).map((each) => ({ word: `${option}=${each.word}` }));
  const open = findFlag(command, before.at(-1));
  if (open && takesValue(open)) return listValues(open, word, folder);
  if (word.startsWith("-"))
    return [...command.flags.map((flag) => ({ word: wordOf(flag), meaning: flag.description })), ...everywhere];
  return listNames(findPlaceholder(command, before), word, folder);
}

function findFlag({ flags }: CliCommand, word: string | undefined): Flag | undefined {
  return flags.find((flag) => wordOf(flag) === word);
}

function takesValue({ flags }: Flag): boolean {
  return flags.includes("<");
}

function listValues({ choices, suggests, flags }: Flag, word = "", folder: string): readonly Candidate[] {
  const fixed = choices ?? suggests;
  return fixed ? fixed.map((each) => ({ word: each })) : listNames(/<(.*)>/.exec(flags)?.[1] ?? "", word, folder);
}

function findPlaceholder(command: CliCommand, before: readonly string[]): string {
  const placeholders = [...(command.arguments ?? "").matchAll(/[[<]([^\]>]+)[\]>]/g)].map(([, name = ""]) => name);
  const args = before.filter((word, index) => {
    const option = findFlag(command, before[index - 1]);
    return !word.startsWith("-") && !(option && takesValue(option));
  });
  const last = placeholders.at(-1) ?? "";
  return (placeholders[args.length] ?? (last.endsWith("...") ? last : "")).replace("...", "");
}

function listNames(placeholder: string, word: string, folder: string): readonly Candidate[] {
  if (placeholder === "shell") return [...completionScripts.keys()].map((each) => ({ word: each }));
  if (placeholder === "slug" || placeholder === "section") return listCatalogue(placeholder, folder);
  if (!["project", "glob", "address"].includes(placeholder)) return [];
  const isAddress = placeholder !== "project" && word.includes(":");
  return listDeclared(folder, isAddress).map((each) => ({ word: each }));
}

function listCatalogue(placeholder: "slug" | "section", folder: string): readonly Candidate[] {
  const { integrations, kinds } = catalogueAround(folder);
  const files = [...kinds.values()].map(({ file }) => file);
  const sections = new Map(files.map(({ name, description = "" }) => [name, { word: name, meaning: description }]));
  const slugs = [...integrations.values()].map(({ slug, description }) => ({ word: slug, meaning: description }));
  return [...(placeholder === "slug" ? slugs : [{ word: "all" }]), ...sections.values()];
}

function listDeclared(folder: string, asAddresses: boolean): readonly string[] {
  try {
    const { policies } = validate(loadWorkspace(folder));
    const { projects } = projectsOf(policies, undefined);
    if (!asAddresses) return projects.map(({ name }) => name);
    return projects.flatMap((project) =>
      desiredOf(policies, project).desired.resources.map(({ kind, key }) => addressOf(project.name, kind, key)),
    );
  } catch {
    return [];
  }
}
