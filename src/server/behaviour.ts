import { holdsIn } from "../model/dialect.ts";
import type { EndpointName, Parameter } from "../model/endpoints.ts";
import { hasLegacyStatuses } from "../model/license-status.ts";
import { releasesOf } from "./release-facts.ts";

type Parameters = Partial<Record<EndpointName, Readonly<Record<string, Parameter>>>>;

const finalStatus: Parameter = { type: "string", required: true, enum: ["running", "success", "failed", "canceled"] };
const anyStorage = { destination_storage_name: { type: "string" } } as const;

/** Parameters that deployed servers treat differently from the endpoint table. */
const observedParameters: Parameters = {
  listProjects: {
    order_by: { type: "string", enum: ["id", "name", "path", "created_at", "updated_at"], default: "created_at" },
    sort: { type: "string", enum: ["asc", "desc"], default: "desc" },
  },
  createDeployment: { status: finalStatus },
  updateDeployment: { status: finalStatus },
  moveProjects: anyStorage,
  moveSnippets: anyStorage,
  moveGroups: anyStorage,
};

/**
 * A choice where deployed servers differ from the specification, or it leaves something open. Deployed servers depend
 * on their release.
 */
interface Choice<Value> {
  readonly spec: (release: string) => Value;
  readonly observed: (release: string) => Value;
}

type Chosen = string | number | boolean;

/** The behaviour by the specification, and that of all deployed servers. */
function choice<Value extends Chosen>(spec: Value, observed: Value): Choice<Value> {
  return { spec: () => spec, observed: () => observed };
}

/** The behaviour by the specification, that of deployed servers in the releases of a fact, and that in other releases. */
function by<Value extends Chosen>(fact: string, spec: Value, observed: { in: Value; otherwise: Value }): Choice<Value> {
  return { spec: () => spec, observed: (release) => (holds(fact, release) ? observed.in : observed.otherwise) };
}

/** A behaviour of deployed servers in the releases of a fact, which the specification does not have. */
function since(fact: string): Choice<boolean> {
  return by<boolean>(fact, false, { in: true, otherwise: false });
}

function holds(fact: string, release: string): boolean {
  return holdsIn(releasesOf(fact), release);
}

/** The approval statuses that requests may contain. */
type LicenseWords = "all" | "legacy" | "current";

const currentWords = (release: string): LicenseWords => (hasLegacyStatuses(release) ? "all" : "current");

/** One row for each choice. Facts about releases are in `schemas/dialects/`, with their sources. */
const choices = {
  /** PUT activates the integration and ignores `active`. */
  putActivates: choice(false, true),
  /** DELETE removes parameters but not event flags; otherwise it keeps both. */
  deleteWipes: choice(false, true),
  /** DELETE of an integration that was never configured responds with 204, since it is disabled; false: with 404. */
  deletesUnconfigured: by<boolean>("delete-unknown-404", true, { in: false, otherwise: true }),
  /** Such a DELETE creates an inactive integration. */
  deleteCreatesInactive: by<boolean>("delete-unknown-404", false, { in: false, otherwise: true }),
  /**
   * DELETE of an integration that changed since `If-Unmodified-Since` responds with 412; false: the header is ignored.
   */
  conditionalRemovals: choice(false, true),
  /** Parameters behave as in the `observed` column of the catalogue; false: all but secrets are returned as sent. */
  quirks: choice(false, true),
  /** A duplicate key is rejected with 409, whatever the kind says of deployed servers. */
  keysAreUnique: choice(true, false),
  /** Only presence and types are checked: unknown parameters, enums and patterns are ignored. */
  lenientParameters: choice(false, true),
  /** Parameters that were never set are null in responses; false: only those that are stored separately. */
  unsetNull: since("unset-null"),
  /** Every write updates updated_at, even if it changes nothing. */
  writesMove: since("updated-at-moves"),
  /** Responses contain whether an integration is inherited; an inherited one changes only with `use_inherited_settings=false`. */
  inheritedSettings: since("inherited-integrations"),
  /** The name of an integration in the response that it was never configured. */
  notFoundAs: by<"Integration" | "Service">("not-found-as-service", "Integration", {
    in: "Service",
    otherwise: "Integration",
  }),
  /** Lists of deployments can be filtered by the statuses that only servers set. */
  moreStatuses: since("deployment-status-filter"),
  /** Deployments can be sorted and filtered by the time when they finished. */
  knowsFinish: since("deployments-by-finish"),
  /** Response to a deployment without commit, ref or environment: accepted, or rejected as missing or as empty. */
  blankTold: by<"taken" | "as not there" | "as empty">("blank-deployments-told", "taken", {
    in: "as empty",
    otherwise: "as not there",
  }),
  /** The statuses in license responses: approved and blacklisted, the current ones, or those that were stored. */
  answerWords: {
    spec: (release) => (hasLegacyStatuses(release) ? "stored" : "current"),
    observed: (release) => (holds("legacy-license-words", release) ? "legacy" : "current"),
  } as Choice<"legacy" | "stored" | "current">,
  /** The approval statuses that requests may contain. */
  licenseWords: {
    spec: currentWords,
    observed: (release) => (holds("license-words-legacy-only", release) ? "legacy" : currentWords(release)),
  } as Choice<LicenseWords>,
  /** License endpoints exist without licenses: reads respond with [], writes are rejected. */
  licensesGone: since("licenses-dead"),
  /** "mit" and "MIT" are different licenses. */
  licenseCaseCounts: choice(false, true),
  /** Only the status changes of deployed servers are accepted, and none of deployments of CI/CD jobs; false: any. */
  strictTransitions: choice(false, true),
  /** An identical POST responds with the existing deployment. */
  deploymentsRepeat: choice(false, true),
  /** created_at and updated_at have the format of lists in every deployment response. */
  fullDeployments: choice(false, true),
  /** An environment has a slug; a URL that was never set is null. */
  environmentSlugs: choice(false, true),
  /** `order_by=iid` and `created_at` sort by `id`. */
  ordersById: choice(false, true),
  /** Deployments can be sorted by `ref`. */
  ordersByRef: by<boolean>("deployments-order-by-ref", true, { in: true, otherwise: false }),
  /** A filter by updated_at keeps the requested order, sorts by updated_at, or is rejected without that order. */
  timeFilter: by<"keeps" | "sorts" | "refuses">("deployments-filter-sort", "keeps", {
    in: "refuses",
    otherwise: "sorts",
  }),
  /** A deployment that does not exist has no merge requests; false: it is not found. */
  unknownShipsNothing: choice(false, true),
  /** Longer lists have no total. */
  totalsUpTo: choice(Number.POSITIVE_INFINITY, 10_000),
  /** The first project that page numbers cannot reach. */
  projectOffsets: choice(Number.POSITIVE_INFINITY, 50_000),
  /** The response for a former path of a project: the project, a redirect (GET only), or not found. */
  formerPaths: by<"unknown" | "followed" | "redirected">("moved-projects-redirect", "unknown", {
    in: "redirected",
    otherwise: "followed",
  }),
  /** Only an admin sees `repository_storage`, and the filter is ignored for others; false: it is forbidden for them. */
  storageHidden: choice(false, true),
  /** Endpoints beyond the specification exist: storage moves can be listed. */
  beyondSpec: choice(false, true),
  /** Storage moves are accepted as form fields too. */
  movesTakeForms: choice(false, true),
} as const;

type ValueOf<Each> = Each extends Choice<infer Value> ? Value : never;

type Choices = { readonly [Name in keyof typeof choices]: Widened<ValueOf<(typeof choices)[Name]>> };

type Widened<Value> = Value extends boolean ? boolean : Value extends number ? number : Value;

/** The behaviour of a server: its choices, and the parameters that differ from the endpoint table. */
export type Behaviour = Choices & { readonly parameters: Parameters };

export type BehaviourName = "spec" | "observed";

/** The behaviour of a release: by the specification, or as observed on deployed servers. */
export function behaviourOf(name: BehaviourName, release: string): Behaviour {
  const entries = Object.entries(choices).map(([key, row]) => [key, row[name](release)]);
  return { ...(Object.fromEntries(entries) as Choices), parameters: name === "spec" ? {} : observedParameters };
}
