import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { inertJson } from "../base/printable.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import type { Before } from "../report/report.ts";
import { isJsonKind } from "../report/report-kinds.ts";
import { makeFolder } from "../workspace/durable-file.ts";
import { type Output, outputAt, outputTrouble, writeOutput } from "../workspace/output-file.ts";
import type { Terminal } from "./terminal.ts";

/** One `--report KIND[=PATH]`. Without a path it goes to stdout, in place of the text. */
interface ReportTarget {
  readonly kind: string;
  readonly path: string | undefined;
}

/** How each kind of report is made of a command's result; `text` is what people read. */
export type ReportContents = Readonly<Record<string, (before: Before) => string>>;

/** `file` is the text for a file, which includes the problems that stderr has otherwise. */
type Outputs = ReportContents & { readonly file?: () => string };

/**
 * Checks `--report` and `--out` before anything else happens, and returns what writes the reports when the run is over:
 * files where paths were given, and on stdout either the text or what was asked for in its place.
 */
export function openReports(
  terminal: Terminal,
  requested: readonly string[] = [],
  kinds: readonly string[] = ["json", "text"],
  out?: string,
) {
  const targets = reportTargets(
    requested.map((each) => inPlaceOf(terminal, each)),
    kinds,
  );
  checkOutputs(terminal, [...targets.flatMap(({ path }) => path ?? []), ...(out === undefined ? [] : [out])]);
  return (contents: Outputs): void => {
    for (const { kind, path } of targets) {
      const render = (kind === "text" && contents.file) || contents[kind];
      if (path) writeTo(terminal, path, render?.(() => textAt(terminal, path)) ?? "");
    }
    const inPlace = targets.filter(({ path }) => !path).map(({ kind }) => kind);
    for (const kind of inPlace.length > 0 ? inPlace : ["text"])
      show(terminal, kind, contents[kind]?.(() => undefined) ?? "");
  };
}

/** The reports that are requested. @throws UserError for a kind that the command does not have. */
function reportTargets(requested: readonly string[], kinds: readonly string[]): ReportTarget[] {
  const inPlace = requested.filter((each) => !each.includes("="));
  if (inPlace.length > 1) {
    throw new UserError(`only one report can go to stdout; give ${inPlace.slice(1).join(" and ")} a path`, exit.usage);
  }
  return requested.map((each) => {
    const [kind = "", ...rest] = each.split("=");
    if (!kinds.includes(kind)) throw new UserError(unknownKind(kind, kinds), exit.usage);
    const path = rest.join("=");
    if (rest.length > 0 && !path)
      throw new UserError(`--report ${kind}= needs a path after the equals sign`, exit.usage);
    return { kind, path: path || undefined };
  });
}

function unknownKind(kind: string, kinds: readonly string[]): string {
  return `--report takes ${kinds.join(", ")}, not ${JSON.stringify(kind)}${didYouMean(kind, kinds)}`;
}

/** A report to stdout by any of its names takes the place of the text, as one without a path does. */
function inPlaceOf({ cwd }: Terminal, requested: string): string {
  const [kind = "", ...rest] = requested.split("=");
  if (rest.join("=") === "") return requested;
  const output = known(resolve(cwd, rest.join("=")));
  return output && "fd" in output && output.fd === 1 ? kind : requested;
}

/** JSON can be made harmless for those who read a log line by line. */
function show({ print, emit }: Terminal, kind: string, report: string): void {
  if (kind === "text") print(report);
  else emit(isJsonKind(kind) ? inertJson(report) : report);
}

function known(file: string): Output | undefined {
  try {
    return outputAt(file);
  } catch {
    return undefined;
  }
}

/** @throws UserError where two outputs are one, or one of them cannot be written. */
function checkOutputs({ cwd }: Terminal, paths: readonly string[]): void {
  const taken = new Map<string, string>();
  for (const path of paths) {
    const place = JSON.stringify(known(resolve(cwd, path)) ?? path);
    const other = taken.get(place);
    if (other !== undefined)
      throw new UserError(`${other} and ${path} are the same file; give each output its own`, exit.usage);
    taken.set(place, path);
  }
  for (const path of paths) {
    const trouble = outputTrouble(resolve(cwd, path));
    if (trouble) throw new UserError(`cannot write ${path}: ${trouble}`);
  }
}

/**
 * Writes what a run has to say to where it was asked to, once it is over. One that cannot be written keeps no other
 * from being written: it is told, and the run ends with an error.
 */
export function writeTo(terminal: Terminal, path: string, text: string): void {
  try {
    put(terminal, outputAt(resolve(terminal.cwd, path)), text);
  } catch (error) {
    // Whoever reads may stop reading, as `head` does.
    if (systemCode(error) !== "EPIPE") terminal.fail(`cannot write ${path}: ${describeSystemError(error)}`);
  }
}

function put(terminal: Terminal, output: Output, text: string): void {
  if ("file" in output) writeOutput(output, `${text}\n`);
  else if ("fd" in output && output.fd === 1) terminal.print(text);
  else if ("fd" in output && output.fd === 2) terminal.warn(text);
  else terminal.blocking(() => writeOutput(output, `${text}\n`));
}

/** What a report file held before; nothing of what cannot be read twice. */
function textAt({ cwd }: Terminal, path: string): string | undefined {
  try {
    const file = resolve(cwd, path);
    return statSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a file whole or not at all, in a folder that is made for it. Throws {@link UserError} where it cannot be written. */
export function save(terminal: Terminal, path: string, text: string): void {
  const file = resolve(terminal.cwd, path);
  try {
    makeFolder(dirname(file));
    writeOutput(outputAt(file), text);
  } catch (error) {
    throw new UserError(`cannot write ${path}: ${describeSystemError(error)}`);
  }
}
