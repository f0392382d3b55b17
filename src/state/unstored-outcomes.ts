import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { makeFolder, replaceFile } from "../workspace/durable-file.ts";
import type { JournalLine } from "./journal-entry.ts";
import { stateFolder } from "./state-folder.ts";

/**
 * Writes outcomes of requests that the journal could not store to a new file in the workspace or, if that fails, in the
 * temporary folder. Returns a message with its name; undefined if there are none.
 */
export function saveUnstored(root: string, run: string, lines: readonly JournalLine[]): string | undefined {
  const outcomes = lines.filter(isOfRequest);
  if (outcomes.length === 0) return undefined;
  const name = `${run}.${randomBytes(4).toString("hex")}`;
  const text = outcomes.map((line) => `${JSON.stringify(line)}\n`).join("");
  const what = `${outcomes.length} of the outcomes of run ${run} could not be stored`;
  const first = save(() => join(stateFolder(root), "journal", `${name}.unstored`), text);
  if ("file" in first) return `${what} and are in ${first.file}`;
  const second = save(() => join(tmpdir(), `evenkeel-${name}.unstored`), text);
  return "file" in second ? `${what} and are in ${second.file}` : `${what}: ${second.why}`;
}

function isOfRequest(line: JournalLine): boolean {
  return (
    line.event === "scheduled" || line.event === "deleted" || (line.event === "result" && line.status !== "skipped")
  );
}

function save(place: () => string, text: string): { readonly file: string } | { readonly why: string } {
  try {
    const file = place();
    makeFolder(dirname(file));
    replaceFile(file, text, 0o600);
    return { file };
  } catch (error) {
    return { why: error instanceof UserError ? error.message : describeSystemError(error) };
  }
}
