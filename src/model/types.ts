import type { AnswerShape } from "./answer-shape.ts";

/**
 * # Terminology
 *
 * - **Workspace**: a folder with `evenkeel.yaml`; says which server, which manifests, which limits.
 * - **Manifest**: a YAML file of the workspace; holds one or more **documents**, most of them **policies**.
 * - **Resource**: one managed thing in normal form: project, kind, key, fields. An integration's key is its
 *   slug, a license's key its name. **Desired** resources come from manifests, **live** ones from the server.
 * - **Change**: what brings one live resource to its desired state; a **plan** is the sorted list of them.
 * - **Action**: create, update, disable or delete. **Call**: the one request that carries a change out.
 * - **Unmanaged**: live, and listed by no policy. **Unverified**: declared, but not reported by the server.
 * - **Problem**: a mistake with its place. **Outcome**: what became of a change when it was applied.
 * - **Catalogue**: what there is to configure, in the names of one **dialect**. **Endpoint**: a row of the API's table.
 *
 * Nothing in this file, and so nothing in a plan, can hold a secret: a secret is a {@link SecretReference}
 * until the client writes a request.
 */

/** The word for one resource of a kind, as in addresses: `integration`, `license`. */
export type Kind = string;

export type Action = "create" | "update" | "disable" | "delete";

export type Scalar = string | number | boolean | null;

/** A value as it stands in JSON: lists and mappings too. */
export type Plain = Scalar | readonly Plain[] | { readonly [name: string]: Plain };

/** Names a secret: `env:NAME`, `file:PATH`, `PROVIDER:NAME`, or `manifest:FILE:LINE:COLUMN` for a literal that the workspace allows. */
export interface SecretReference {
  readonly secret: string;
  /** A bump asks for the secret to be sent again; only with a ledger. */
  readonly version?: number;
}

export type Value = Plain | SecretReference;

export type Fields = Readonly<Record<string, Value>>;

/** Anything managed, desired or live, in the one form that the diff knows. */
export interface Resource {
  readonly kind: Kind;
  readonly key: string;
  readonly fields: Fields;
}

/** A position in a file: `file` relative to the workspace, `line` and `column` from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where a value was written. The position is worked out only when somebody asks, since that costs a parse. */
export interface Origin {
  readonly place: () => Place;
  /** Why there is the policy that says it, in its own words. */
  readonly reason?: string | undefined;
  /** The policy that says it, and its file; known without a parse. */
  readonly policy?: string;
  readonly file?: string;
  /** The last day on which that policy counts. */
  readonly until?: string | undefined;
}

/** `absent`: make sure that it is off. */
export interface Desired extends Resource {
  /** Resources of one project with the same identity are one. */
  readonly identity: string;
  readonly presence: "present" | "absent";
  readonly origin: Origin;
}

export interface Live extends Resource {
  /** The server's own number, where calls address the resource by it. */
  readonly id?: number;
  readonly active: boolean;
  readonly updatedAt?: string;
  /** Undeclared parameters that some servers demand in every write, as far as they could be read. */
  readonly undeclared?: Fields;
  /** It is its group's: servers answer a write to it, and change nothing. */
  readonly inherited?: true;
}

/** A project as manifests and calls name it. `path` is unknown where only its ID was given and nothing needed more. */
export interface Project {
  /** Full path as the server spells it, or the ID in decimal: the first part of every address. */
  readonly name: string;
  readonly id?: number;
  readonly path?: string;
  /** Full path in the server's spelling, where it was asked though manifests say the path; else `path` has it. */
  readonly fullPath?: string;
}

/** All that policies say of one project. */
export interface DesiredProject {
  readonly project: Project;
  readonly resources: readonly Desired[];
  /** Kinds that policies speak of; no other kind is read. */
  readonly kinds: ReadonlySet<Kind>;
  /** Kinds of which whatever is live and unlisted goes, and who says so. */
  readonly exclusive: ReadonlyMap<Kind, Origin>;
  /** Where the last day of the policy is stated that decided a resource until then, by the resource's identity. */
  readonly expired?: ReadonlyMap<string, Origin>;
}

export type Severity = "error" | "warning";

/** A mistake, or a doubt, that a person can act on. */
export interface Problem {
  readonly severity: Severity;
  /** Stable name of the rule, such as `unknown-parameter`. */
  readonly rule: string;
  readonly message: string;
  readonly place?: Place;
  /** Dotted path inside the document, such as `integrations.irc-gateway.server_port`. */
  readonly path?: string;
  readonly project?: string;
  /** The line of an expression that it is about, and a caret below the place. */
  readonly excerpt?: string;
  /** It is what a rule of kind `Rule` has against the plan, and nothing of the plan itself. */
  readonly fromRule?: true;
}

/** One request: the path is relative to /api/v4, parameters still hold secret references. */
export interface Call {
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly parameters?: Fields;
  /** Parameters in the words of older releases, for a server that refuses today's. */
  readonly older?: Readonly<Record<string, string>>;
  /** How parameters travel in a body; form fields where nothing is said. */
  readonly body?: "form" | "json";
  /** Whether a list takes `per_page`. */
  readonly list?: "paged" | "whole";
  /** What a success must hold; where it is left out, any JSON will do. */
  readonly answer?: AnswerShape;
  /** Whether it is no read of a plan, but one about the server itself. */
  readonly uncounted?: true;
}

/**
 * Why live and desired state differ (docs/comparing.md): the server was changed since the last apply, the manifests were, or
 * both. Without a ledger every difference counts as drift (docs/watching.md).
 */
export const causes = ["drift", "pending", "both"] as const;

/** Whether a change makes a policy stricter or laxer (docs/api.md). */
export type PolicyEffect = "tightened" | "loosened";

export type Cause = (typeof causes)[number];

export interface Change {
  readonly address: string;
  readonly project: string;
  readonly kind: Kind;
  readonly key: string;
  readonly action: Action;
  /** The fields that differ, as read; null for a create. */
  readonly before: Fields | null;
  /** The fields that differ, as declared; null for a delete. */
  readonly after: Fields | null;
  /** Every declared field: what a PUT carries. */
  readonly declared: Fields;
  /** What a PUT carries beside it, since the server demands that. */
  readonly extraFields?: Fields;
  readonly live: Live | undefined;
  /** Digest of all declared parameters as read; undefined where nothing was live. */
  readonly liveDigest: string | undefined;
  /** In words for people; what programs tell from it stands in `cause` and `resend`. */
  readonly reason: string;
  readonly cause: Cause;
  /** It is planned only because `--resend` asks for it. */
  readonly resend?: true;
  /** Left out where its kind is no policy, or the change leaves that open. */
  readonly policyEffect?: PolicyEffect;
  readonly origin: Origin;
}

export type OutcomeStatus = "applied" | "failed" | "skipped" | "stale" | "unknown";

export interface Outcome {
  readonly status: OutcomeStatus;
  readonly error?: string;
  /** Parameters that the server answered with another value than was sent. */
  readonly not_kept?: readonly string[];
}

export type Tier = "free" | "premium" | "ultimate";

export type Environment = "production" | "development";

/** What the workspace states of its server; decides which integrations exist there. */
export interface Platform {
  /** `major.minor` or `major.minor.patch`. */
  readonly release: string;
  /** Nobody stated the release, and the server was not asked for it. */
  readonly isReleaseAssumed?: boolean;
  readonly tier?: Tier | undefined;
  readonly environment?: Environment | undefined;
  /** Whose names it speaks; the specification's own where that is left out. */
  readonly dialect?: string | undefined;
}
