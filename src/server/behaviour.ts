import type { EndpointName, Parameter } from "../model/endpoints.ts";

type Parameters = Partial<Record<EndpointName, Readonly<Record<string, Parameter>>>>;

const finalStatus: Parameter = { type: "string", required: true, enum: ["running", "success", "failed", "canceled"] };
const anyStorage = { destination_storage_name: { type: "string" } } as const;

/** The parameters of deployed servers that differ from the endpoint table. */
const observedParameters: Parameters = {
  createDeployment: { status: finalStatus },
  updateDeployment: { status: finalStatus },
  moveProjects: anyStorage,
  moveSnippets: anyStorage,
  moveGroups: anyStorage,
};

/** Where the spec and deployed servers differ, or the spec leaves it open: one row a choice, `[spec, observed]`. */
const choices = {
  /** PUT activates whatever `active` says. */
  putActivates: [false, true],
  /** DELETE forgets parameters, not event flags; otherwise it keeps both. */
  deleteWipes: [false, true],
  /** DELETE of an integration that was never configured leaves an inactive one and answers 204; otherwise 404. */
  deleteCreatesInactive: [false, true],
  /** Parameters behave as the catalogue's `observed` column says; otherwise each but the secrets is returned as sent. */
  quirks: [false, true],
  /** Only required and typed is checked: unknown parameters are ignored, enum and pattern are not looked at. */
  lenientParameters: [false, true],
  /** Before release 15.0 license answers say approved and blacklisted; otherwise what was stored. */
  legacyAnswers: [false, true],
  /** "mit" may stand beside "MIT". */
  licenseCaseCounts: [false, true],
  /** Only the changes of deployed servers are let through, and deployments of CI/CD jobs are not changed; otherwise any. */
  strictTransitions: [false, true],
  /** An identical POST answers with the deployment that is there. */
  deploymentsRepeat: [false, true],
  /** created and updated_at are as in a list in every deployment answer. */
  fullDeployments: [false, true],
  /** A filter over updated_at sorts by it. */
  filterSorts: [false, true],
  /** Lists longer than this do not say how long they are. */
  totalsUpTo: [Number.POSITIVE_INFINITY, 10_000],
  /** Storage moves can be listed. */
  movesListed: [false, true],
  /** Only an admin sees `repository_storage`, and the filter is ignored for others; otherwise it is forbidden to them. */
  storageHidden: [false, true],
  /** Storage moves are taken as form fields too. */
  movesTakeForms: [false, true],
} as const satisfies Readonly<Record<string, readonly [spec: boolean | number, observed: boolean | number]>>;

/** How the server answers: one column of the choices, and the parameters that differ from the endpoint table. */
export type Behaviour = { readonly [Choice in keyof typeof choices]: (typeof choices)[Choice][number] } & {
  readonly parameters: Parameters;
};

export const behaviours = {
  spec: { ...column(0), parameters: {} },
  observed: { ...column(1), parameters: observedParameters },
} as const satisfies Record<string, Behaviour>;

function column(index: 0 | 1): Omit<Behaviour, "parameters"> {
  const entries = Object.entries(choices).map(([choice, values]) => [choice, values[index]]);
  return Object.fromEntries(entries) as Omit<Behaviour, "parameters">;
}

export type BehaviourName = keyof typeof behaviours;
