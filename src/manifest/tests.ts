import { isObject, type JsonObject } from "../base/json.ts";
import type { Action, Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import { readKind } from "./document-head.ts";
import { problemAt } from "./problem.ts";
import { undated } from "./rules.ts";

/** The expected plan of a workspace for a server with given content (docs/testing.md). */
export interface PolicyTest {
  readonly name: string;
  readonly as_of?: string;
  readonly given: string | JsonObject;
  readonly expect: Expectations;
  readonly document: Document;
}

interface Expectations {
  readonly changes?: readonly { readonly address: string; readonly action: Action }[];
  readonly others?: boolean;
  readonly blocked_by?: readonly string[];
  readonly problems?: readonly string[];
}

export function readTests(documents: readonly Document[]) {
  const { items, problems } = readKind(documents, "Test", "a test", readTest);
  return { tests: items, problems };
}

function readTest(text: Partial<PolicyTest>, document: Document, shapeless: readonly Problem[]) {
  const problems = [...undated(document, text.as_of, "as_of"), ...idleOthers(document, text.expect)];
  const isInvalid = [...shapeless, ...problems].some(({ severity }) => severity === "error");
  return { problems, item: isInvalid ? undefined : { ...(text as PolicyTest), document } };
}

function idleOthers(document: Document, expect: Expectations | undefined): readonly Problem[] {
  if (expect?.others === undefined || expect.changes !== undefined) return [];
  const message = "others has no effect without changes";
  return [problemAt("unused-setting", message, { document, path: ["expect", "others"], of: "key" })];
}

export function seedPaths({ file }: Pick<Document, "file">, given: string): readonly string[] {
  const folder = file.split("/").slice(0, -1);
  return [...new Set([joinPath(folder, given), joinPath([], given)])];
}

function joinPath(folder: readonly string[], path: string): string {
  const parts = [...folder];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** Drops seeds that tests name, which are not manifests, unless they are marked as documents of Evenkeel. */
export function withoutSeeds(documents: readonly Document[]): readonly Document[] {
  const seeds = new Set(
    documents.flatMap((document) => {
      const { kind, given } = isObject(document.value) ? document.value : {};
      return kind === "Test" && typeof given === "string" ? seedPaths(document, given) : [];
    }),
  );
  if (seeds.size === 0) return documents;
  return documents.filter(({ file, value }) => !seeds.has(file) || (isObject(value) && "apiVersion" in value));
}
