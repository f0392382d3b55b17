import { isObject, type JsonObject, typeOf } from "../base/json.ts";
import { suggestionFor } from "../base/nearest.ts";
import type { Problem } from "../model/types.ts";
import { type Document, isGitlabform } from "./document.ts";
import { problemAt } from "./problem.ts";
import { apiVersion, type DocumentKind, documentKinds, versionHint } from "./shape.ts";
import { workspaceFile } from "./workspace.ts";

/** The kind of a manifest's document, and a problem if its head is not valid; no kind if it is unknown. */
export interface Head {
  readonly kind: ManifestKind | undefined;
  readonly problem: Problem | undefined;
}

type ManifestKind = Exclude<DocumentKind, "Workspace"> | "ResourceKind";

/** Reads `apiVersion` and `kind` of a document outside `evenkeel.yaml` (docs/manifests.md). */
export function readHead(document: Document): Head {
  const { value } = document;
  if (!isObject(value)) {
    const message = `expected a document with apiVersion: ${apiVersion} and a kind, got ${typeOf(value)}`;
    return { kind: undefined, problem: problemAt("kind", message, { document, path: [] }) };
  }
  const { apiVersion: version, kind } = value;
  const known = manifestKinds.find((each) => each === kind);
  if (isGitlabform(value)) {
    const message =
      "this is a configuration of gitlabform, not a manifest, and is left out; evenkeel import --from gitlabform reads it";
    return { kind: undefined, problem: problemAt("other-tool", message, { document, path: [] }) };
  }
  if (version !== apiVersion) {
    const message = `expected apiVersion: ${apiVersion}${versionHint(version) || `; ${describeForeign(value)}, list the manifests in ${workspaceFile}`}`;
    const problem = problemAt("api-version", message, { document, path: ["apiVersion"] });
    return { kind: isOurs(version) ? known : undefined, problem };
  }
  if (known) return { kind: known, problem: undefined };
  return { kind: undefined, problem: problemAt("kind", kindMessage(kind), { document, path: ["kind"] }) };
}

function describeForeign(value: JsonObject): string {
  const { apiVersion: version } = value;
  const tool = isOurs(version) && version !== undefined ? undefined : otherTool(value);
  return tool ? `this looks like ${tool}; to leave it out` : "if this is not a manifest";
}

/** If only the version is missing or misspelled, the rest of the document is still checked. */
function isOurs(version: unknown): boolean {
  return version === undefined || (typeof version === "string" && version.startsWith("evenkeel"));
}

const manifestKinds: readonly ManifestKind[] = [
  ...documentKinds.filter((each) => each !== "Workspace"),
  "ResourceKind",
];

function kindMessage(kind: unknown): string {
  if (kind === "Workspace") return `a Workspace may only be in ${workspaceFile}`;
  const hint = suggestionFor(kind, manifestKinds);
  return hint ? `unknown kind ${kind}${hint}` : `expected kind: ${manifestKinds.join(" or ")}`;
}

/** A tool whose configuration may be found among manifests. */
interface OtherTool {
  /** Completes "this is …". */
  readonly words: string;
  readonly isMeant: (document: JsonObject) => boolean;
}

const kubernetes: OtherTool = {
  words: "a manifest of Kubernetes",
  isMeant: ({ apiVersion, kind, metadata }) =>
    typeof apiVersion === "string" && typeof kind === "string" && isObject(metadata),
};

const compose: OtherTool = {
  words: "a configuration of Docker Compose",
  isMeant: ({ services }) => hasMapping(services, (each) => "image" in each || "build" in each),
};

const pipeline: OtherTool = {
  words: "a pipeline of GitLab CI/CD",
  isMeant: (document) => hasMapping(document, (each) => "script" in each || "trigger" in each),
};

const tools = [kubernetes, compose, pipeline] as const;

/** Describes the tool whose configuration a document without an `apiVersion` of Evenkeel seems to be; undefined if none. */
function otherTool(document: JsonObject): string | undefined {
  return tools.find(({ isMeant }) => isMeant(document))?.words;
}

function hasMapping(value: unknown, test: (each: JsonObject) => boolean): boolean {
  return isObject(value) && Object.values(value).some((each) => isObject(each) && test(each));
}
