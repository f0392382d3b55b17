import type { JsonObject } from "../base/json.ts";
import type { AnswerShape } from "./answer-shape.ts";

/**
 * # Terminology
 *
 * - **Workspace**: a folder with `evenkeel.yaml`, which configures the server, the manifests and limits.
 * - **Manifest**: a YAML file of the workspace; contains one or more **documents**, most of them **policies**.
 * - **Resource**: one managed object in normal form: project, kind, key, fields. An integration's key is its
 *   slug, a license's key its name. **Desired** resources come from manifests, **live** ones from the server.
 * - **Change**: brings one live resource to its desired state; a **plan** is the sorted list of changes.
 * - **Action**: create, update, replace, disable or delete. **Call**: a request that applies a
 *   change. A change may need several: a replacement, `before`, items.
 * - **Unmanaged**: live, but not listed by any policy. **Unverified**: declared, but not returned by the server.
 * - **Problem**: an error or warning with its position. **Outcome**: the result of applying a change.
 * - **Catalogue**: everything that can be configured, in the names of one **dialect**. **Endpoint**: a row of the API table.
 *
 * No type in this file, and therefore no plan, can contain a secret: a secret is a {@link SecretReference} until the
 * client writes a request.
 */

/** The kind of a resource: the word in addresses, such as `integration`; of groups `group:integration` (owner.ts). */
export type Kind = string;

/** `replace` deletes a resource and creates it again, because the server cannot change it. */
export type Action = "create" | "update" | "replace" | "disable" | "delete";

export type CallAction = Exclude<Action, "replace">;

export type Scalar = string | number | boolean | null;

export type Plain = Scalar | readonly Plain[] | { readonly [name: string]: Plain };

/**
 * A reference to a secret: `env:NAME`, `file:PATH`, `PROVIDER:NAME`, or `manifest:FILE:LINE:COLUMN` for an allowed
 * literal. An empty one stands for a live value that is not shown.
 */
export interface SecretReference {
  readonly secret: string;
  /** If it increases, the secret is sent again; requires a ledger. */
  readonly version?: number;
}

export type Value = Plain | SecretReference;

export type Fields = Readonly<Record<string, Value>>;

/** A value that is filled in property by property: spreading each part would allocate an object. */
export type Filled<Whole> = { -readonly [Name in keyof Whole]: Whole[Name] };

export interface Resource {
  readonly kind: Kind;
  readonly key: string;
  readonly fields: Fields;
}

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The source of a value. Its position is computed on demand, because that requires parsing. */
export interface Origin {
  readonly place: () => Place;
  /** The position of one of its fields; omitted if there is none but that of the whole. */
  readonly fieldPlace?: (name: string) => Place;
  /** The policy that sets one of its fields, if they are from several. */
  readonly fieldPolicy?: ((name: string) => string) | undefined;
  readonly reason?: string | undefined;
  /** The policy and its file, available without parsing. */
  readonly policy?: string;
  readonly file?: string;
  readonly until?: string | undefined;
}

/** `absent`: the resource must be deleted, or disabled if its kind has `off`. */
export interface Desired extends Resource {
  /** Resources of one project with the same identity are the same resource. */
  readonly identity: string;
  readonly presence: "present" | "absent";
  readonly origin: Origin;
  /** Results of look-ups for its fields (`x-lookup`). */
  readonly lookedUp?: {
    /** Values in the manifest, by look-up and result. */
    readonly names: Readonly<Record<string, string>>;
    readonly results: LookUpResults;
    /** Fields, as in the manifest, that name resources of this run's own writes: looked up after those writes. */
    readonly pending: Fields;
  };
}

/**
 * Results of look-ups by parameter and name: `{ user_id: { bob: 7 } }`. An address means: known once the run has written
 * that resource.
 */
export type LookUpResults = Readonly<Record<string, Readonly<Record<string, Scalar>>>>;

/** Marks of returned values (`secretMark`) by field, within mappings too; never the values. */
export type ReturnedMarks = { readonly [name: string]: string | ReturnedMarks };

export interface Live extends Resource {
  /** The server's ID, if calls identify the resource by it. */
  readonly id?: number;
  readonly active: boolean;
  /** The row as read, without secrets; omitted for integrations and for undeclared resources. */
  readonly row?: JsonObject;
  readonly updatedAt?: string;
  /** Marks of returned fields that may contain secrets (`x-returned`). */
  readonly returned?: ReturnedMarks;
  /** Undeclared parameters that some servers require in every write, if they could be read. */
  readonly undeclared?: Fields;
  /** Inherited from the group: servers accept a write, but change nothing. */
  readonly inherited?: true;
}

/**
 * A project as in manifests and calls, or a group: then `name` and both paths have a slash at the end (owner.ts).
 * `path` is unknown if only the ID was given and nothing required the path.
 */
export interface Project {
  /** Full path in the server's spelling, or the ID in decimal: the first part of every address. */
  readonly name: string;
  readonly id?: number;
  readonly path?: string;
  /** Full path in the server's spelling, if it was read although manifests have the path; otherwise see `path`. */
  readonly fullPath?: string;
  /** Archived or scheduled for deletion; omitted if its row was not read. */
  readonly archived?: boolean;
  /** Its row in the server's list (owner-row.ts); omitted if it was not read. */
  readonly row?: JsonObject;
  /** The fields that declared kinds read of its row, as this run has read it; never that of an earlier run. */
  readonly ownRow?: JsonObject;
}

export interface DesiredProject {
  readonly project: Project;
  readonly resources: readonly Desired[];
  readonly kinds: ReadonlySet<Kind>;
  /** Kinds whose unlisted live resources are removed, and where that is declared. */
  readonly exclusive: ReadonlyMap<Kind, Origin>;
  /** The location of `until` in the expired policy that declared a resource, by the resource's identity. */
  readonly expired?: ReadonlyMap<string, Origin>;
}

export type Severity = "error" | "warning";

/** An error or warning that the user can act on. */
export interface Problem {
  readonly severity: Severity;
  /** Stable name of the rule, such as `unknown-parameter`. */
  readonly rule: string;
  readonly message: string;
  readonly place?: Place;
  /** Dotted path inside the document, such as `integrations.irc-gateway.server_port`. */
  readonly path?: string;
  readonly project?: string;
  /** The relevant line of an expression, and a caret below the position. */
  readonly excerpt?: string;
  /** True for a violation of a rule of kind `Rule`, not a problem of the plan itself. */
  readonly fromRule?: true;
}

/** One request: the path is relative to /api/v4, and parameters may contain secret references. */
export interface Call {
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly parameters?: Fields;
  /** Parameters with legacy values, for a server that rejects the current ones. */
  readonly older?: Readonly<Record<string, string>> | undefined;
  readonly body?: "form" | "json";
  /** Paging of a list: `paged` takes `per_page`. */
  readonly list?: "paged" | "whole";
  /** The required shape of a successful response; if omitted, any JSON is accepted. */
  readonly answer?: AnswerShape | undefined;
  /** A request that is sent first; without its success, this one is not sent. It may be repeated. */
  readonly before?: Call;
  /**
   * Sent even if the run was stopped: completes a change that an earlier request began (replacement, restoration,
   * items).
   */
  readonly finishes?: true;
  /** Reads a property of the server itself, which is not counted as part of a plan. */
  readonly uncounted?: true | undefined;
}

/**
 * The cause of a difference (docs/comparing.md): the server was changed since the last apply, the manifests were, or
 * both. Without a ledger every difference counts as drift (docs/watching.md).
 */
export type Cause = "drift" | "pending" | "both";

export type PolicyEffect = "tightened" | "loosened";

export interface Change {
  readonly address: string;
  readonly project: string;
  /** Set once it is known: another project can take a path while a plan is applied. */
  readonly projectId?: number;
  readonly kind: Kind;
  readonly key: string;
  readonly action: Action;
  /** The fields that differ, as read; null for a create. */
  readonly before: Fields | null;
  /** The fields that differ, as declared; null for a delete. */
  readonly after: Fields | null;
  /** All declared fields. Only kinds with `whole` send all of them in an update. */
  readonly declared: Fields;
  readonly lookedUp?: LookUpResults;
  /** Declared fields, as in the manifest, that are looked up after this run has written the resources that they name. */
  readonly pending?: Fields;
  /** Additional fields of a PUT that the server requires. */
  readonly extraFields?: Fields;
  readonly live: Live | undefined;
  /** Digest of the live values of all declared parameters; undefined if the resource was not live. */
  readonly liveDigest: string | undefined;
  /** An explanation for people; programs use `cause` and `resend`. */
  readonly reason: string;
  readonly cause: Cause;
  /** True if it is planned only because of `--resend`. */
  readonly resend?: true;
  /** Fields of a replacement that no policy declares and that get the server's defaults; omitted if there are none. */
  readonly resets?: readonly string[];
  /** Omitted if its kind is not a policy, or the effect is not known. */
  readonly policyEffect?: PolicyEffect;
  readonly origin: Origin;
}

export type OutcomeStatus = "applied" | "failed" | "skipped" | "stale" | "unknown";

export interface Outcome {
  readonly status: OutcomeStatus;
  readonly error?: string;
  /** Parameters that the server returned with a different value than was sent. */
  readonly not_kept?: readonly string[];
  /** Skipped because the project is archived, which does not make the run fail. */
  readonly archived?: true;
}

export type Tier = "free" | "premium" | "ultimate";

export type Environment = "production" | "development";

export interface Platform {
  /** `major.minor` or `major.minor.patch`. */
  readonly release: string;
  /** True if the release is neither configured nor read from the server. */
  readonly isReleaseAssumed?: boolean;
  readonly tier?: Tier | undefined;
  readonly environment?: Environment | undefined;
  /** The dialect of its names; omitted: the specification's own. */
  readonly dialect?: string | undefined;
}
