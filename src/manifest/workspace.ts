import schema from "../../schemas/manifest.schema.json" with { type: "json" };
import { globFault } from "../base/glob.ts";
import { isObject, type JsonObject, valueAtPath } from "../base/json.ts";
import { durationOf, maxConcurrency, type Rate, rateOf } from "../base/rate.ts";
import { addressGlobFault } from "../model/address.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { foreignGlob } from "../model/dialect-evidence.ts";
import type { FieldSchema } from "../model/resource-kind.ts";
import type { Environment, Problem, SecretReference, Tier } from "../model/types.ts";
import type { Document, Parsed } from "./document.ts";
import { problemAt, problemIn } from "./problem.ts";
import type { Providers } from "./secret-providers.ts";
import { referenceFault } from "./secret-reference.ts";
import { type Selector, selectorFault, selectorOf } from "./selector.ts";
import { apiVersion, listed, shape, versionHint } from "./shape.ts";
import { referencesOf } from "./template.ts";
import { type Wave, type WavesText, waveProblems, wavesOf } from "./waves.ts";

/** `evenkeel.yaml`, with defaults filled in (docs/manifests.md). */
export interface Workspace {
  /** The catalogue of its server, in the names of its dialect. */
  readonly catalogue: Catalogue;
  /** Sections of kinds with errors, whose entries cannot be checked. */
  readonly faultyKinds?: ReadonlySet<string>;
  readonly name: string | undefined;
  readonly server: {
    /** EVENKEEL_URL overrides it. */
    readonly url: string | undefined;
    /** Default: the server's own; offline, a fixed default. */
    readonly release: string;
    readonly isReleaseAssumed: boolean;
    readonly tier: Tier | undefined;
    readonly environment: Environment;
    readonly dialect: string;
    readonly secrets: "assume-unchanged" | "always-send";
    readonly reads: "verify" | "trust-updated-at";
    readonly allowInsecure: boolean;
    readonly ca: string | undefined;
  };
  readonly manifests: readonly string[] | undefined;
  /** Maximum number of concurrent requests; `auto` is {@link maxConcurrency}. */
  readonly concurrency: number;
  readonly rateLimit: Rate | undefined;
  readonly waves: readonly Wave[] | undefined;
  readonly canary: readonly Selector[];
  /** Milliseconds. */
  readonly requestTimeout: number;
  readonly guards: { readonly deletePercent: number; readonly deleteMinimum: number };
  readonly archived: "include" | undefined;
  readonly protected: readonly string[];
  readonly ledger: string | undefined;
  readonly notify: readonly Notify[];
  readonly allowPlaintextSecrets: boolean;
}

export interface Loaded {
  readonly root: string;
  readonly workspace: Workspace;
  readonly authorities?: string | undefined;
  readonly documents: readonly Document[];
  readonly providers?: Providers | undefined;
  /** The document of `evenkeel.yaml`, for problems with a position in it; omitted if it is broken. */
  readonly settings?: Document;
  readonly problems: readonly Problem[];
  /** `sha256:…` over the paths and contents of evenkeel.yaml and all manifests. */
  readonly digest: string;
}

interface WorkspaceText
  extends Omit<Workspace, "concurrency" | "rateLimit" | "waves" | "canary" | "requestTimeout" | "notify"> {
  readonly concurrency: number | "auto";
  readonly rateLimit: string | undefined;
  readonly waves: WavesText | undefined;
  readonly canary: readonly (string | number | undefined)[] | undefined;
  readonly requestTimeout: string;
  readonly notify: readonly (NotifyText | undefined)[] | undefined;
}

export const workspaceFile = "evenkeel.yaml";

export const defaultWorkspace: Workspace = fill({});

export interface ReadWorkspace {
  readonly workspace: Workspace;
  readonly problems: readonly Problem[];
}

/** Reads the workspace of `evenkeel.yaml`. Invalid settings fall back to their defaults. */
export function readWorkspace({ documents, problems }: Parsed): ReadWorkspace {
  const [document, ...others] = documents;
  if (!document) {
    const missing = problems.length > 0 ? problems : [problemIn(workspaceFile, "kind", expectedWorkspace)];
    return { workspace: fill({}), problems: missing };
  }
  const strays = others.map((other) =>
    problemAt("kind", `${workspaceFile} may only contain one Workspace`, { document: other, path: [] }),
  );
  const { apiVersion: version, kind } = (document.value ?? {}) as { apiVersion?: unknown; kind?: unknown };
  if (kind !== "Workspace") {
    const problem = problemAt("kind", expectedWorkspace, { document, path: ["kind"] });
    return { workspace: fill({}), problems: [...problems, problem, ...strays] };
  }
  const wrongVersion = `expected apiVersion: ${apiVersion}${versionHint(version)}`;
  const { text, problems: shapeless } = shape<WorkspaceText>(document, "Workspace");
  return {
    workspace: fill(text),
    problems: [
      ...problems,
      ...(version === apiVersion ? [] : [problemAt("api-version", wrongVersion, { document, path: ["apiVersion"] })]),
      ...shapeless,
      ...strays,
      ...valueProblems(document, text),
      ...waveProblems(document, text.waves),
      ...notifyProblems(document),
      ...unusedSettings(document, text),
    ],
  };
}

export const expectedWorkspace = `expected one document with apiVersion: ${apiVersion} and kind: Workspace`;

function valueProblems(document: Document, text: Partial<WorkspaceText>): Problem[] {
  const { manifests, protected: addresses, server } = text;
  const url = server?.url;
  const catalogue = catalogueOf(server?.dialect);
  const faults = [
    [["server", "url"], url === undefined || URL.canParse(url) ? undefined : possibleUrl] as const,
    ...listed(manifests).map(([glob, index]) => [["manifests", index], globFault(glob.replace(/^!/, ""))] as const),
    ...listed(addresses).map(([glob, index]) => [["protected", index], addressGlobFault(glob)] as const),
    ...listed(text.canary).map(([each, index]) => [["canary", index], selectorFault(each)] as const),
  ].flatMap(([path, fault]) => (fault ? problemAt("wrong-value", `expected ${fault}`, { document, path }) : []));
  const foreign = listed(addresses).flatMap(([glob, index]) => {
    const why = foreignGlob(glob, catalogue);
    return why ? problemAt("unknown-integration", why, { document, path: ["protected", index] }) : [];
  });
  return [...faults, ...foreign];
}

const possibleUrl = "a URL with a host that can exist and a port of at most 65535";

function unusedSettings(document: Document, { ledger, server }: Partial<WorkspaceText>): readonly Problem[] {
  if (ledger === undefined || server?.secrets === undefined) return [];
  const message = "server.secrets has no effect with a ledger";
  return [problemAt("unused-setting", message, { document, path: ["server", "secrets"] })];
}

function fill(text: Partial<WorkspaceText>): Workspace {
  const { apiVersion: _, kind: __, ...properties } = schema.definitions.Workspace.properties;
  const whole = withDefaults(properties as Record<string, FieldSchema>, text as JsonObject) as unknown as WorkspaceText;
  return {
    ...whole,
    catalogue: catalogueOf(whole.server.dialect),
    server: { ...whole.server, isReleaseAssumed: text.server !== undefined && text.server.release === undefined },
    manifests: whole.manifests?.filter((pattern) => pattern !== undefined),
    concurrency: whole.concurrency === "auto" ? maxConcurrency : whole.concurrency,
    rateLimit: whole.rateLimit === undefined ? undefined : rateOf(whole.rateLimit),
    waves: wavesOf(whole.waves),
    canary: listed(whole.canary).map(([each]) => selectorOf(each)),
    requestTimeout: durationOf(whole.requestTimeout) ?? 30_000,
    protected: listed(whole.protected).map(([glob]) => glob),
    notify: toReceivers(whole.notify),
  };
}

/** The settings with the defaults of the schema. */
function withDefaults(schema: Record<string, FieldSchema>, text: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([name, { default: value, properties }]) => [
      name,
      properties ? withDefaults(properties, (text[name] ?? {}) as JsonObject) : (text[name] ?? value),
    ]),
  );
}

const notifyEvents = ["drift", "recovered", "failed", "refused", "expiring"] as const;

export type NotifyEvent = (typeof notifyEvents)[number];

export interface Notify {
  readonly url: SecretReference;
  readonly on: readonly NotifyEvent[];
  readonly format?: "chat" | "teams";
  readonly allowInsecure: boolean;
}

interface NotifyText extends Partial<Omit<Notify, "url" | "on">> {
  readonly url?: { readonly secret?: string };
  readonly on?: readonly (NotifyEvent | undefined)[];
}

function toReceivers(texts: WorkspaceText["notify"]): readonly Notify[] {
  return listed(texts).flatMap(([{ url, on = notifyEvents, format, allowInsecure = false }]) => {
    const { secret } = url ?? {};
    if (secret === undefined) return [];
    return [{ url: { secret }, on: listed(on).map(([event]) => event), ...(format && { format }), allowInsecure }];
  });
}

/** Problems of secret references that are not valid. A Workspace has no variables, so they cannot be interpolated. */
function notifyProblems(document: Document): readonly Problem[] {
  return notifyReferences(document).flatMap(({ secret, path }) => {
    const isOpen = referencesOf(secret).length > 0;
    const fault = isOpen ? "a Workspace has no variables to interpolate" : referenceFault(secret);
    return fault === undefined ? [] : [problemAt("secret-reference", fault, { document, path })];
  });
}

export function notifyReferences({ value }: Pick<Document, "value">) {
  const { notify } = isObject(value) ? value : {};
  return (Array.isArray(notify) ? notify : []).flatMap((each, index) => {
    const secret = valueAtPath(each, ["url", "secret"]);
    return typeof secret === "string" ? [{ secret, path: ["notify", index, "url", "secret"] as const }] : [];
  });
}

export function namedFiles({ server }: Pick<Workspace, "server">) {
  return server.ca === undefined ? [] : [{ setting: "server.ca", path: server.ca }];
}
