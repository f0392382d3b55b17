import type { EndpointName, Parameter } from "../model/endpoints.ts";

/** How the server answers where the spec and deployed servers differ, or where the spec leaves it open. One column a choice. */
export interface Behaviour {
  /** PUT activates whatever `active` says. */
  readonly putActivates: boolean;
  /** DELETE forgets parameters, not event flags; otherwise it keeps both. */
  readonly deleteWipes: boolean;
  /** DELETE of an integration that was never configured leaves an inactive one and answers 204; otherwise 404. */
  readonly deleteLeavesGhost: boolean;
  /** Parameters behave as the catalogue's `observed` column says; otherwise each but the secrets is returned as sent. */
  readonly quirks: boolean;
  /** Only required and typed is checked: unknown parameters are ignored, enum and pattern are not looked at. */
  readonly lenientParameters: boolean;
  /** Before release 15.0 license answers say approved and blacklisted; otherwise what was stored. */
  readonly legacyAnswers: boolean;
  /** "mit" may stand beside "MIT". */
  readonly licenseCaseCounts: boolean;
  /** Only the changes of deployed servers are let through, and deployments of CI/CD jobs are not changed; otherwise any. */
  readonly strictTransitions: boolean;
  /** An identical POST answers with the deployment that is there. */
  readonly deploymentsRepeat: boolean;
  /** created and updated_at are as in a list in every deployment answer. */
  readonly fullDeployments: boolean;
  /** A filter over updated_at sorts by it. */
  readonly filterSorts: boolean;
  /** Lists longer than this do not say how long they are. */
  readonly totalsUpTo: number;
  /** Storage moves can be listed. */
  readonly movesListed: boolean;
  /** Only an admin sees `repository_storage`, and the filter is ignored for others; otherwise it is forbidden to them. */
  readonly storageHidden: boolean;
  /** Storage moves are taken as form fields too. */
  readonly movesTakeForms: boolean;
  /** Parameters that differ from the endpoint table. */
  readonly parameters: Partial<Record<EndpointName, Readonly<Record<string, Parameter>>>>;
}

const finalStatus: Parameter = { type: "string", required: true, enum: ["running", "success", "failed", "canceled"] };

export const behaviours = {
  spec: {
    putActivates: false,
    deleteWipes: false,
    deleteLeavesGhost: false,
    quirks: false,
    lenientParameters: false,
    legacyAnswers: false,
    licenseCaseCounts: false,
    strictTransitions: false,
    deploymentsRepeat: false,
    fullDeployments: false,
    filterSorts: false,
    totalsUpTo: Number.POSITIVE_INFINITY,
    movesListed: false,
    storageHidden: false,
    movesTakeForms: false,
    parameters: {},
  },
  observed: {
    putActivates: true,
    deleteWipes: true,
    deleteLeavesGhost: true,
    quirks: true,
    lenientParameters: true,
    legacyAnswers: true,
    licenseCaseCounts: true,
    strictTransitions: true,
    deploymentsRepeat: true,
    fullDeployments: true,
    filterSorts: true,
    totalsUpTo: 10_000,
    movesListed: true,
    storageHidden: true,
    movesTakeForms: true,
    parameters: {
      createDeployment: { status: finalStatus },
      updateDeployment: { status: finalStatus },
      moveProjects: { destination_storage_name: { type: "string" } },
      moveSnippets: { destination_storage_name: { type: "string" } },
      moveGroups: { destination_storage_name: { type: "string" } },
    },
  },
} as const satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof behaviours;
