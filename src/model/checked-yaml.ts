import { type Document, LineCounter, parseDocument } from "yaml";
import type { SchemaCheck, SchemaFault } from "../base/schema.ts";
import type { Place, Problem } from "./types.ts";

/** An error and its path. */
export type Fault = Pick<SchemaFault, "path" | "message">;

export type CheckedYaml<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

/** How a file is checked. */
export interface Checks<T> {
  /** The rule of each problem. */
  readonly rule: string;
  readonly shape: SchemaCheck;
  /** The value of an empty text. */
  readonly empty: T;
  /** Checks beyond the schema. */
  readonly faults: (value: T) => readonly Fault[];
}

/** Parses and checks YAML or JSON. Each error is a problem with its position in `file`. */
export function parseChecked<T>(
  text: string,
  file: string,
  { rule, shape, empty, faults: further }: Checks<T>,
): CheckedYaml<T> {
  const problem = (message: string, place: Place, path: Fault["path"] = []): Problem => {
    return { severity: "error", rule, message, place, ...(path.length > 0 && { path: path.join(".") }) };
  };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const place = (offset: number): Place => ({
    file,
    line: lines.linePos(offset).line,
    column: lines.linePos(offset).col,
  });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => problem(message, place(pos[0])));
    return { problems };
  }
  const value = document.toJS() ?? empty;
  const shapeFaults = shape(value);
  const faults = shapeFaults.length > 0 ? shapeFaults : further(value as T);
  if (faults.length === 0) return { value: value as T };
  const problems = faults
    .map(({ path, message }) => ({ offset: offsetOf(document, path), path, message }))
    .sort((a, b) => a.offset - b.offset);
  return { problems: problems.map(({ offset, path, message }) => problem(message, place(offset), path)) };
}

/** The offset of the deepest node of the path that exists. */
function offsetOf(document: Document.Parsed, path: Fault["path"]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range[0] ?? 0;
}
