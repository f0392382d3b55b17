/**
 * Evenkeel as a library. `plan` and `apply` are the whole story; the stages that they are made of stand below, in the
 * order in which a manifest passes through them. Importing this module does nothing.
 */

export { type ApplyOptions, applyChanges, type Batch, type Outcomes, type Step, type Watcher } from "./apply.ts";
export { shiftBetween } from "./audience.ts";
export { type Integration, type IntegrationParameter, integrations } from "./catalogue.ts";
export {
  type Answer,
  type ClientOptions,
  connectReader,
  connectWriter,
  type Reader,
  type Writer,
} from "./client/client.ts";
export { CallFailed } from "./client/failure.ts";
export { createSecrets, type Secrets } from "./client/secrets.ts";
export { type DeploymentWish, deploying } from "./deployment-record.ts";
export {
  createDeployment,
  getDeployment,
  listDeployments,
  listMergeRequests,
  updateDeployment,
} from "./deployments.ts";
export { type Difference, type DiffOptions, diff, type Unverified } from "./diff.ts";
export { call, endpoints } from "./endpoints.ts";
export { Refusal } from "./exit.ts";
export { type Guards, judgePlan, type Objection, type Waivers } from "./guard.ts";
export { declaredListeners, listenersAfter, listenersBefore, liveListeners } from "./listeners.ts";
export { readActive, readLive, readProjects } from "./live.ts";
export { type Document, type Loaded, loadWorkspace as load, type Workspace } from "./load.ts";
export { desiredOf as desired, needsLookup, projectsOf } from "./manifest/layers.ts";
export type { Policy } from "./manifest/policies.ts";
export { type Validated, validate } from "./manifest/validate.ts";
export type * from "./model.ts";
export { withOutcomes } from "./outcomes.ts";
export { checkParameters, type ParameterFault } from "./parameter-faults.ts";
export { callOf, type Plan, type PlanInput, type PlannedChange, planOf, type Summary } from "./plan.ts";
export { apply, plan, rehearse } from "./reconcile.ts";
export { plain } from "./report/palette.ts";
export { problemLine } from "./report/problems.ts";
export { outcomesText, planText } from "./report/text.ts";
export type { Applied, ApplyHooks, Around, Planned, Rehearsed, Request } from "./request.ts";
export { type Happening, type Listener, type Route, routesOf } from "./routes.ts";
export { parseSeed, type Seed } from "./server/seed.ts";
export { createServer, type Server, type ServerOptions } from "./server/server.ts";
export { tendencyOf } from "./tendency.ts";
export { version } from "./version.ts";
