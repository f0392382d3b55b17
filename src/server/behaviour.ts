import { type EndpointName, endpoints, type Parameter } from "../model/endpoints.ts";
import { hasLegacyStatuses } from "../model/license-status.ts";
import { holdsInRelease } from "./release-facts.ts";

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

/** The filters of deployments in a release of deployed servers: more values, and the time when they finished. */
function deploymentFilters(release: string): Readonly<Record<string, Parameter>> {
  const isValid = (value: string) => value !== "ref" || since("deployments-order-by-ref")(release);
  const known = Object.entries(endpoints.listDeployments.parameters ?? {}).map(([name, parameter]) => {
    const { enum: allowed, beyond } = parameter;
    const more = beyond && since(beyond.fact)(release) ? beyond.enum : [];
    return [name, allowed ? { ...parameter, enum: [...allowed, ...more].filter(isValid) } : parameter] as const;
  });
  const time: Parameter = { type: "datetime" };
  const finish = since("deployments-by-finish")(release) && { finished_after: time, finished_before: time };
  return { ...Object.fromEntries(known), ...finish };
}

/** A behaviour of deployed servers in the releases of a fact. */
function since(fact: string): (release: string) => boolean {
  return (release) => holdsInRelease(fact, release);
}

/** One value in the releases of a fact, another in all others. */
function by<Value extends string>(fact: string, inside: Value, outside: Value): (release: string) => Value {
  return (release) => (holdsInRelease(fact, release) ? inside : outside);
}

const currentWords = (release: string) => (hasLegacyStatuses(release) ? "all" : "current");

/**
 * The choices where deployed servers differ from the specification, or it leaves something open: the behaviour by the
 * specification, then that of deployed servers, or of a release. Facts about releases are in `schemas/dialects/`, with
 * their sources.
 */
const choices = {
  /** PUT activates the integration and ignores `active`. */
  putActivates: [false, true],
  /** DELETE removes parameters but not event flags; otherwise it keeps both. */
  deleteWipes: [false, true],
  /** DELETE of an integration that was never configured: responds with 204, also creates an inactive one, or with 404. */
  unconfigured: ["kept", by("delete-unknown-404", "missing", "created")],
  /**
   * DELETE of an integration that changed since `If-Unmodified-Since` responds with 412; false: the header is ignored.
   */
  conditionalRemovals: [false, true],
  /** Parameters behave as in the `observed` column of the catalogue; false: all but secrets are returned as sent. */
  quirks: [false, true],
  /** A duplicate key is rejected with 409, whatever the kind says of deployed servers. */
  keysAreUnique: [true, false],
  /** Only presence and types are checked: unknown parameters, enums and patterns are ignored. */
  lenientParameters: [false, true],
  /** Parameters that were never set are null in responses; false: only those that are stored separately. */
  unsetNull: [false, since("unset-null")],
  /** Every write updates updated_at, even if it changes nothing. */
  writesMove: [false, since("updated-at-moves")],
  /** Responses contain whether an integration is inherited; an inherited one changes only with `use_inherited_settings=false`. */
  inheritedSettings: [false, since("inherited-integrations")],
  /** The name of an integration in the response that it was never configured. */
  notFoundAs: ["Integration", by("not-found-as-service", "Service", "Integration")],
  /** Response to a deployment without commit, ref or environment: accepted, or rejected as missing or as empty. */
  blankTold: ["taken", by("blank-deployments-told", "as empty", "as not there")],
  /** The statuses in license responses: approved and blacklisted, the current ones, or those that were stored. */
  answerWords: [
    (release: string) => (hasLegacyStatuses(release) ? "stored" : "current"),
    by("legacy-license-words", "legacy", "current"),
  ],
  /** The approval statuses that requests may contain. */
  licenseWords: [
    currentWords,
    (release: string) => (since("license-words-legacy-only")(release) ? "legacy" : currentWords(release)),
  ],
  /** License endpoints exist without licenses: reads respond with [], writes are rejected. */
  licensesGone: [false, since("licenses-dead")],
  /** "mit" and "MIT" are different licenses. */
  licenseCaseCounts: [false, true],
  /** Only the status changes of deployed servers are accepted, and none of deployments of CI/CD jobs; false: any. */
  strictTransitions: [false, true],
  /** An identical POST responds with the existing deployment. */
  deploymentsRepeat: [false, true],
  /** created_at and updated_at have the format of lists in every deployment response. */
  fullDeployments: [false, true],
  /** An environment has a slug; a URL that was never set is null. */
  environmentSlugs: [false, true],
  /** `order_by=iid` and `created_at` sort by `id`. */
  ordersById: [false, true],
  /** A filter by updated_at keeps the requested order, sorts by updated_at, or is rejected without that order. */
  timeFilter: ["keeps", by("deployments-filter-sort", "refuses", "sorts")],
  /** A deployment that does not exist has no merge requests; false: it is not found. */
  unknownShipsNothing: [false, true],
  /** Longer lists have no total. */
  totalsUpTo: [Number.POSITIVE_INFINITY, 10_000],
  /** The first project that page numbers cannot reach. */
  projectOffsets: [Number.POSITIVE_INFINITY, 50_000],
  /** The response for a former path of a project: the project, a redirect (GET only), or not found. */
  formerPaths: ["unknown", by("moved-projects-redirect", "redirected", "followed")],
  /** Only an admin sees `repository_storage`, and the filter is ignored for others; false: it is forbidden for them. */
  storageHidden: [false, true],
  /** Endpoints beyond the specification exist: storage moves can be listed. */
  beyondSpec: [false, true],
  /** Storage moves are accepted as form fields too. */
  movesTakeForms: [false, true],
} as const;

type ValueOf<Each> = Each extends (release: string) => infer Value ? Value : Each;

type Choices = { readonly [Name in keyof typeof choices]: ValueOf<(typeof choices)[Name][number]> };

/** The behaviour of a server: its choices, and the parameters that differ from the endpoint table. */
export type Behaviour = Choices & { readonly parameters: Parameters };

export type BehaviourName = "spec" | "observed";

/** The behaviour of a release: by the specification, or as observed on deployed servers. */
export function behaviourOf(name: BehaviourName, release: string): Behaviour {
  const entries = Object.entries(choices).map(([key, [spec, observed]]) => {
    const value = name === "spec" ? spec : observed;
    return [key, typeof value === "function" ? value(release) : value];
  });
  const parameters = { ...observedParameters, listDeployments: deploymentFilters(release) };
  return { ...(Object.fromEntries(entries) as Choices), parameters: name === "spec" ? {} : parameters };
}
