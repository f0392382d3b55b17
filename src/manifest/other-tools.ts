import { isObject, type JsonObject } from "../base/json.ts";

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

/** Describes the tool whose configuration a document without an `apiVersion` of Evenkeel seems to be; otherwise undefined. */
export function otherTool(document: JsonObject): string | undefined {
  return tools.find(({ isMeant }) => isMeant(document))?.words;
}

/** Whether a document is a configuration of gitlabform, which `import` reads. No other tool has this key. */
export function isGitlabform({ apiVersion, kind, projects_and_groups: body }: JsonObject): boolean {
  return apiVersion === undefined && kind === undefined && isObject(body);
}

function hasMapping(value: unknown, test: (each: JsonObject) => boolean): boolean {
  return isObject(value) && Object.values(value).some((each) => isObject(each) && test(each));
}
