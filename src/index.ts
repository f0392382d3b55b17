/**
 * Evenkeel as a library: `plan` and `apply`, followed by their stages in the order in which a manifest passes through
 * them. Importing this module does nothing.
 */

import { type Catalogue, catalogueOf } from "./model/catalogue.ts";

export { UserError } from "./base/exit.ts";
export { version } from "./base/version.ts";
export {
  type Answer,
  type ClientOptions,
  connectReader,
  connectWriter,
  type Reader,
  type Writer,
} from "./client/client.ts";
export { CallFailed } from "./client/failure.ts";
export { type Network, readNetwork } from "./client/network.ts";
export type { EffectProbe, Settled } from "./client/reader.ts";
export { desiredOf as desired } from "./manifest/layers.ts";
export type { Policy } from "./manifest/policies.ts";
export { needsLookup, projectsOf } from "./manifest/projects.ts";
export { type Validated, validate } from "./manifest/validate.ts";
export type { AnswerShape } from "./model/answer-shape.ts";
export { call } from "./model/call.ts";
export {
  type Catalogue,
  catalogueOf as catalogue,
  type Integration,
  type IntegrationParameter,
} from "./model/catalogue.ts";
export { endpoints } from "./model/endpoints.ts";
export { checkParameters, type ParameterFault } from "./model/parameter-check.ts";
export { policyEffectOf } from "./model/policy-effect.ts";
export { problemLine } from "./model/problem-line.ts";
export type * from "./model/types.ts";
export { type Difference, diff, type Unverified } from "./plan/diff/diff.ts";
export type { DiffOptions } from "./plan/diff/options.ts";
export { checkGuards, type Guards, type Objection, type Waivers } from "./plan/guards.ts";
export { type PlanInput, planOf } from "./plan/make-plan.ts";
export type { Plan, PlannedChange, Summary } from "./plan/plan.ts";
export { callOf, callsOf } from "./plan/requests.ts";
export type { RevisionChange } from "./plan/revision/compare-projects.ts";
export { compareRevisions, type RevisionDiff, type RevisionSide } from "./plan/revision/revision.ts";
export { declaredListeners, liveListeners } from "./plan/routes/listeners.ts";
export type { EventDetails, Listener } from "./plan/routes/routes.ts";
export { type Route, routesOf } from "./plan/routes/routes.ts";
export { withOutcomes } from "./plan/run-end.ts";
export { outcomesText } from "./report/outcomes.ts";
export { plain } from "./report/terminal.ts";
export { planWithProblemsText as planText } from "./report/text.ts";
export {
  type ApplyOptions,
  type ApplyRecord,
  applyChanges,
  type Batch,
  type ChangeEvent,
  type Outcomes,
  type Step,
  type Watcher,
} from "./run/apply/apply.ts";
export { apply, rehearse } from "./run/apply.ts";
export {
  type DeploymentOptions,
  deploying,
  listMergeRequests,
  readDeployment as getDeployment,
  readDeployments as listDeployments,
  recordDeployment as createDeployment,
  updateDeployment,
} from "./run/deployments.ts";
export { readProjects } from "./run/live/owner-list.ts";
export { readActive, readLive } from "./run/live/read-live.ts";
export { plan } from "./run/plan.ts";
export type { Applied, ApplyHooks, ApplyWrapper, Planned, Rehearsed, Request } from "./run/request.ts";
export { type OpenedRevisions, openRevisions, type RevisionRequest } from "./run/revisions.ts";
export { createSecrets, type Secrets } from "./secrets/secrets.ts";
export { parseSeed, type Seed } from "./server/seed.ts";
export { createServer, type Server, type ServerOptions } from "./server/server.ts";
export { type Document, type Loaded, loadWorkspace as load, type Workspace } from "./workspace/load.ts";

/** The integrations in the specification's own names, by slug; `catalogue(dialect)` has those of any dialect. */
export const integrations: Catalogue["integrations"] = catalogueOf().integrations;
