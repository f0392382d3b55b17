import { type Document, isMap, isScalar, LineCounter, parseDocument } from "yaml";
import type { SchemaCheck, SchemaFault } from "../base/schema.ts";
import type { Place, Problem } from "./types.ts";

export type Fault = Pick<SchemaFault, "path" | "message"> & Partial<Pick<SchemaFault, "rule">>;

export interface Checks<T> {
  readonly rule: string;
  readonly shape: SchemaCheck;
  readonly empty: T;
  readonly faults: (value: T) => readonly Fault[];
}

/** Parses and checks YAML or JSON. Each error is a problem with its position in `file`. */
export function parseChecked<T>(
  text: string,
  file: string,
  { rule, shape, empty, faults: further }: Checks<T>,
): { readonly value: T } | { readonly problems: readonly Problem[] } {
  const problem = (message: string, place: Place, path: Fault["path"] = []): Problem => {
    return { severity: "error", rule, message, place, ...(path.length > 0 && { path: path.join(".") }) };
  };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const place = (offset: number): Place => {
    const { line, col: column } = lines.linePos(offset);
    return { file, line, column };
  };
  // Later errors are often only consequences of the first.
  const [broken] = document.errors;
  if (broken) return { problems: [problem(broken.message, place(broken.pos[0]))] };
  const value = document.toJS() ?? empty;
  const shapeFaults = shape(value);
  const faults = shapeFaults.length > 0 ? shapeFaults : further(value as T);
  if (faults.length === 0) return { value: value as T };
  const problems = faults
    .map(({ path, message, rule }) => {
      const offset = (rule === "unknown-key" ? keyOffset(document, path) : undefined) ?? offsetOf(document, path);
      return { offset, path, message };
    })
    .sort((a, b) => a.offset - b.offset);
  return { problems: problems.map(({ offset, path, message }) => problem(message, place(offset), path)) };
}

function keyOffset(document: Document.Parsed, path: Fault["path"]): number | undefined {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  return isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
}

function offsetOf(document: Document.Parsed, path: Fault["path"]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range[0] ?? 0;
}
