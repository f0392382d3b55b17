import { celEnvironment, compileExpression, type ExpressionFault, type Language } from "../base/cel.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean } from "../base/nearest.ts";
import type { Owner } from "../model/owner.ts";
import { rowFields } from "../model/owner-row.ts";
import type { Project } from "../model/types.ts";

export interface Condition {
  readonly text: string;
  /** True if it holds for a project; the error if it cannot be evaluated; undefined if the project's row is unknown. */
  readonly evaluate: (project: Project) => boolean | ExpressionFault | undefined;
}

export const compileWhere = memoized((owner: Owner) => memoized((text: string) => compile(text, owner)));

function compile(text: string, owner: Owner): Condition | { readonly fault: ExpressionFault } {
  const compiled = compileExpression(text, languageOf(owner));
  if ("fault" in compiled) return compiled;
  const evaluateRow = (row: JsonObject): boolean | ExpressionFault => {
    const result = compiled.evaluate({ [owner]: celRow(row, owner) });
    if ("fault" in result) return result.fault;
    const { value } = result;
    return typeof value === "boolean" ? value : { message: "expected true or false", offset: compiled.start };
  };
  const sample = evaluateRow(samples[owner]);
  // Errors of an index are due to the length of a list in the sample.
  if (typeof sample === "object" && !sample.message.startsWith("index")) return { fault: sample };
  return { text, evaluate: ({ row }) => row && evaluateRow(row) };
}

const namespaceFields = ["id", "name", "path", "kind", "full_path", "parent_id"];

const sampleRow = { id: 1, name: "API", path: "api", visibility: "private", archived: false };
const sampleTime = "2026-01-01T00:00:00.000Z";

const samples: Readonly<Record<Owner, JsonObject>> = {
  project: {
    ...sampleRow,
    path_with_namespace: "payments/api",
    topics: ["payments"],
    created_at: sampleTime,
    last_activity_at: sampleTime,
    default_branch: "main",
    namespace: { id: 1, name: "Payments", path: "payments", kind: "group", full_path: "payments", parent_id: 1 },
  },
  group: { ...sampleRow, full_path: "payments/api", parent_id: 1, created_at: sampleTime },
  instance: {},
};

/** A row in expressions: a missing field is null, and numbers are integers. */
class Row {
  constructor(fields: JsonObject) {
    Object.assign(this, fields);
  }
}

function celRow(row: JsonObject, owner: Owner): Row {
  const { namespace } = row;
  const fields = selectFields(row, rowFields[owner]);
  return new Row(
    owner === "project" && isObject(namespace)
      ? { ...fields, namespace: selectFields(namespace, namespaceFields) }
      : fields,
  );
}

function selectFields(row: JsonObject, names: readonly string[]): JsonObject {
  const fields = names.map((name) => {
    const value = row[name] ?? null;
    return [name, typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value] as const;
  });
  return Object.fromEntries(fields);
}

const languageOf = memoized((owner: Owner): Language => {
  const fields = rowFields[owner];
  const names = [...fields, ...(owner === "project" ? namespaceFields : [])];
  return {
    environment: celEnvironment()
      .registerType("Row", { ctor: Row, fields: Object.fromEntries(fields.map((name) => [name, "dyn"])) })
      .registerVariable(owner, "Row"),
    explain: (code, word) => {
      if (code === "unknown_variable")
        return `unknown name ${word}${didYouMean(word, [owner]) || `; where of a policy of ${owner}s knows ${owner}`}`;
      if (code !== "no_such_key") return undefined;
      return `there is no ${word}${didYouMean(word, names) || `; expected one of ${fields.join(", ")}`}`;
    },
  };
});
