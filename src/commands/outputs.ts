import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { inertJson } from "../base/printable.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { isJsonKind } from "../report/report-kinds.ts";
import { type Renderers, reportTargets } from "../report/reports.ts";
import { makeFolder } from "../workspace/durable-file.ts";
import { type Output, outputAt, outputTrouble, writeOutput } from "../workspace/output-file.ts";
import type { Terminal } from "./terminal.ts";

/** How reports are made; `file` is text as a file holds it, which has no stderr beside it that says what went wrong. */
type Outputs = Renderers & { readonly file?: () => string };

/**
 * Checks `--report` and `--out` before anything else happens, and returns what writes the reports when the run is over:
 * files where paths were given, and on stdout either the text or what was asked for in its place.
 */
export function reporter(
  terminal: Terminal,
  asked: readonly string[] = [],
  kinds: readonly string[] = ["json", "text"],
  out?: string,
) {
  const targets = reportTargets(
    asked.map((each) => inPlaceOf(terminal, each)),
    kinds,
  );
  checkOutputs(terminal, [...targets.flatMap(({ path }) => path ?? []), ...(out === undefined ? [] : [out])]);
  return (renderers: Outputs): void => {
    for (const { kind, path } of targets) {
      const render = (kind === "text" && renderers.file) || renderers[kind];
      if (path) writeTo(terminal, path, render?.(() => textAt(terminal, path)) ?? "");
    }
    const inPlace = targets.filter(({ path }) => !path).map(({ kind }) => kind);
    for (const kind of inPlace.length > 0 ? inPlace : ["text"])
      show(terminal, kind, renderers[kind]?.(() => undefined) ?? "");
  };
}

/** A report to stdout by any of its names takes the place of the text, as one without a path does. */
function inPlaceOf({ cwd }: Terminal, asked: string): string {
  const [kind = "", ...rest] = asked.split("=");
  if (rest.join("=") === "") return asked;
  const output = known(resolve(cwd, rest.join("=")));
  return output && "fd" in output && output.fd === 1 ? kind : asked;
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
