import { holdsIn } from "../model/dialect.ts";
import type { Parameter } from "../model/endpoints.ts";
import { hasLegacyStatuses } from "../model/license-status.ts";
import { releasesOf } from "./release-facts.ts";
import type { RouteName } from "./routes.ts";

type Parameters = Partial<Record<RouteName, Readonly<Record<string, Parameter>>>>;

const finalStatus: Parameter = { type: "string", required: true, enum: ["running", "success", "failed", "canceled"] };
const anyStorage = { destination_storage_name: { type: "string" } } as const;

/** The parameters of deployed servers that differ from the endpoint table. */
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

/** Where the specification and deployed servers differ, or the spec leaves it open; what deployed servers do depends on their release. */
interface Choice<Value> {
  readonly spec: (release: string) => Value;
  readonly observed: (release: string) => Value;
}

type Chosen = string | number | boolean;

/** What the spec says of all releases, and what all deployed servers do. */
function choice<Value extends Chosen>(spec: Value, observed: Value): Choice<Value> {
  return { spec: () => spec, observed: () => observed };
}

/** What the spec says of all releases; deployed servers do one thing in the releases of a fact, and another in the others. */
function by<Value extends Chosen>(fact: string, spec: Value, observed: { in: Value; otherwise: Value }): Choice<Value> {
  return { spec: () => spec, observed: (release) => (holds(fact, release) ? observed.in : observed.otherwise) };
}

/** Something that the specification does not know, and deployed servers do in the releases of a fact. */
function since(fact: string): Choice<boolean> {
  return by<boolean>(fact, false, { in: true, otherwise: false });
}

function holds(fact: string, release: string): boolean {
  return holdsIn(releasesOf(fact), release);
}

/** The approval statuses that requests may say. */
type LicenseWords = "all" | "legacy" | "current";

const currentWords = (release: string): LicenseWords => (hasLegacyStatuses(release) ? "all" : "current");

/** One row a choice. Facts about releases stand in `schemas/dialects/`, with their sources. */
const choices = {
  /** PUT activates whatever `active` says. */
  putActivates: choice(false, true),
  /** DELETE forgets parameters, not event flags; otherwise it keeps both. */
  deleteWipes: choice(false, true),
  /** DELETE of an integration that was never configured leaves an inactive one and answers 204; otherwise 404. */
  deleteCreatesInactive: by<boolean>("delete-unknown-404", false, { in: false, otherwise: true }),
  /** DELETE of an integration that changed after what `If-Unmodified-Since` says answers 412; otherwise it is not listened to. */
  conditionalRemovals: choice(false, true),
  /** Parameters behave as the catalogue's `observed` column says; otherwise each but the secrets is returned as sent. */
  quirks: choice(false, true),
  /** Only required and typed is checked: unknown parameters are ignored, enum and pattern are not looked at. */
  lenientParameters: choice(false, true),
  /** Whatever was never set is answered as null; otherwise only what is kept apart is. */
  unsetNull: since("unset-null"),
  /** Every write moves updated_at, also one that changes nothing. */
  writesMove: since("updated-at-moves"),
  /** Answers say whether an integration is inherited; an inherited one changes only with `use_inherited_settings=false`. */
  inheritedSettings: since("inherited-integrations"),
  /** The reasons of a validation are told; otherwise there is none but "400 Bad Request". */
  validationTold: since("validation-sentences"),
  /** Where a seed asks for it, a project may have one issue tracker of its kind at a time. */
  oneIssueTracker: since("one-issue-tracker"),
  /** What an integration is called in the answer that it was never configured. */
  notFoundAs: by<"Integration" | "Service">("not-found-as-service", "Integration", {
    in: "Service",
    otherwise: "Integration",
  }),
  /** Lists of deployments can be filtered by the statuses that only servers set. */
  moreStatuses: since("deployment-status-filter"),
  /** Deployments can be sorted and filtered by the time when they were over. */
  knowsFinish: since("deployments-by-finish"),
  /** A deployment of no commit, ref or environment is taken; or refused, since it is not there or since it is empty. */
  blankTold: by<"taken" | "as not there" | "as empty">("blank-deployments-told", "taken", {
    in: "as empty",
    otherwise: "as not there",
  }),
  /** Which words license answers have: approved and blacklisted, today's, or whichever were stored. */
  answerWords: {
    spec: (release) => (hasLegacyStatuses(release) ? "stored" : "current"),
    observed: (release) => (holds("legacy-license-words", release) ? "legacy" : "current"),
  } as Choice<"legacy" | "stored" | "current">,
  /** The approval statuses that requests may say. */
  licenseWords: {
    spec: currentWords,
    observed: (release) => (holds("license-words-legacy-only", release) ? "legacy" : currentWords(release)),
  } as Choice<LicenseWords>,
  /** Without an approval status, a change of a license changes nothing; otherwise it is refused. */
  approvalOptional: choice(false, true),
  /** Licenses are still routed, but there are none: lists and single ones are answered with [], writes are refused. */
  licensesGone: since("licenses-dead"),
  /** "mit" may stand beside "MIT". */
  licenseCaseCounts: choice(false, true),
  /** Only the changes of deployed servers are let through, and deployments of CI/CD jobs are not changed; otherwise any. */
  strictTransitions: choice(false, true),
  /** An identical POST answers with the deployment that is there. */
  deploymentsRepeat: choice(false, true),
  /** created and updated_at are as in a list in every deployment answer. */
  fullDeployments: choice(false, true),
  /** An environment has a slug; an address that was never set is null. */
  environmentSlugs: choice(false, true),
  /** `order_by=iid` and `created_at` are run as `id`. */
  ordersById: choice(false, true),
  /** Deployments can be sorted by `ref`. */
  ordersByRef: by<boolean>("deployments-order-by-ref", true, { in: true, otherwise: false }),
  /** A filter over updated_at: whatever sort is asked for is kept, it sorts by updated_at, or it is refused without that sort. */
  timeFilter: by<"keeps" | "sorts" | "refuses">("deployments-filter-sort", "keeps", {
    in: "refuses",
    otherwise: "sorts",
  }),
  /** A deployment that does not exist has no merge requests; otherwise it is not found. */
  unknownShipsNothing: choice(false, true),
  /** Lists longer than this do not say how long they are. */
  totalsUpTo: choice(Number.POSITIVE_INFINITY, 10_000),
  /** Projects from this one on are not reached by page numbers. */
  projectOffsets: choice(Number.POSITIVE_INFINITY, 50_000),
  /** A former path of a project: means the project, leads to it by a redirect (GET alone), or is not found. */
  formerPaths: by<"unknown" | "followed" | "redirected">("moved-projects-redirect", "unknown", {
    in: "redirected",
    otherwise: "followed",
  }),
  /** Only an admin sees `repository_storage`, and the filter is ignored for others; otherwise it is forbidden to them. */
  storageHidden: choice(false, true),
  /** Endpoints that the specification does not have are routed: storage moves can be listed. */
  beyondSpec: choice(false, true),
  /** Storage moves are taken as form fields too. */
  movesTakeForms: choice(false, true),
} as const;

type ValueOf<Each> = Each extends Choice<infer Value> ? Value : never;

type Choices = { readonly [Name in keyof typeof choices]: Widened<ValueOf<(typeof choices)[Name]>> };

type Widened<Value> = Value extends boolean ? boolean : Value extends number ? number : Value;

/** How the server answers: what is chosen, and the parameters that differ from the endpoint table. */
export type Behaviour = Choices & { readonly parameters: Parameters };

export type BehaviourName = "spec" | "observed";

/** How a server of this release answers: as the specification says of all releases, or as deployed servers of it were seen to. */
export function behaviourOf(name: BehaviourName, release: string): Behaviour {
  const entries = Object.entries(choices).map(([key, row]) => [key, row[name](release)]);
  return { ...(Object.fromEntries(entries) as Choices), parameters: name === "spec" ? {} : observedParameters };
}
