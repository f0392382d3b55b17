import { licenseTier } from "../model/availability.ts";
import { legacyStatuses, olderStatuses } from "../model/license-status.ts";
import { paged } from "./pages.ts";
import { dropLicense, putLicense } from "./records.ts";
import { invalid, json, noContent, notFound, refused } from "./reply.ts";
import {
  type ParsedRequest,
  type ProjectHandler,
  type ProjectRefusal,
  type ServerContext,
  tierRefusal,
} from "./server-context.ts";
import { type LicenseRecord, nextNumber, type ProjectState } from "./state.ts";

const noLicense = notFound("SoftwareLicensePolicy");

/** In a tier without managed licenses, requests are rejected before any other check. */
function inTier(answer: ProjectHandler): ProjectHandler {
  return (context, call, project) =>
    tierRefusal(context, "managed licenses", licenseTier) ?? answer(context, call, project);
}

const none = json(200, []);

function reading(answer: ProjectHandler): ProjectHandler {
  return inTier((context, ...asked) => (context.behaviour.licensesGone ? none : answer(context, ...asked)));
}

const gone = refused(400, "Bad request - Managed License API endpoint were removed, use license approval policies");

function writing(answer: ProjectHandler): ProjectHandler {
  return inTier((context, ...asked) => (context.behaviour.licensesGone ? gone : answer(context, ...asked)));
}

/** The managed license endpoints (docs/api.md#managed-licenses). */
export const listLicenses = reading((context, call, project) =>
  paged(context, call, project.licenses, (license) => row(context, license)),
);

export const getLicense = reading((context, call, project) => {
  const license = find(project, call);
  return license ? json(200, row(context, license)) : noLicense;
});

export const createLicense = writing((context, call, project) => {
  const name = String(call.given.name).trim();
  if (name === "") return invalid(["name is empty"]);
  if (isTaken(context, project, name)) return json(400, { message: ["Software license has already been taken"] });
  const license = { id: nextNumber(context.state, "license"), name, approval_status: statusOf(call) };
  putLicense(context.state, project, license);
  return json(201, row(context, license));
});

/** Whether the license of a change does not exist, which is checked before parameters. */
export const unknownLicense: ProjectRefusal = (context, call, project) =>
  tierRefusal(context, "managed licenses", licenseTier) ??
  (context.behaviour.licensesGone || find(project, call) ? undefined : noLicense);

export const updateLicense = writing((context, call, project) => {
  const known = find(project, call);
  if (!known) return noLicense;
  if (call.given.approval_status === undefined) return json(200, row(context, known));
  const license = { ...known, approval_status: statusOf(call) };
  putLicense(context.state, project, license);
  return json(200, row(context, license));
});

export const deleteLicense = writing((context, call, project) => {
  const license = find(project, call);
  if (!license) return noLicense;
  dropLicense(context.state, project, license);
  return noContent;
});

/** Digits are an ID; anything else is a name in any case. */
function find(project: ProjectState, { segments }: ParsedRequest): LicenseRecord | undefined {
  const key = segments.managed_license_id ?? "";
  if (/^\d+$/.test(key)) return project.licenses.find(({ id }) => id === Number(key));
  return project.licenses.find(({ name }) => name.toLowerCase() === key.toLowerCase());
}

function isTaken({ behaviour }: ServerContext, project: ProjectState, name: string): boolean {
  if (behaviour.licenseCaseCounts) return project.licenses.some((license) => license.name === name);
  return project.licenses.some((license) => license.name.toLowerCase() === name.toLowerCase());
}

function statusOf({ given }: ParsedRequest): string {
  const status = String(given.approval_status);
  return legacyStatuses.get(status) ?? status;
}

/** The statuses in responses by stored status; others are unchanged. */
const answerWords: Readonly<Record<ServerContext["behaviour"]["answerWords"], ReadonlyMap<string, string>>> = {
  legacy: olderStatuses,
  stored: new Map(),
  current: legacyStatuses,
};

function row({ behaviour }: ServerContext, { id, name, approval_status }: LicenseRecord): LicenseRecord {
  return { id, name, approval_status: answerWords[behaviour.answerWords].get(approval_status) ?? approval_status };
}
