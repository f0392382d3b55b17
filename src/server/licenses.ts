import { licenseTier } from "../model/availability.ts";
import { legacyStatuses, olderStatuses } from "../model/license-status.ts";
import { paged } from "./pages.ts";
import { dropLicense, putLicense } from "./records.ts";
import { invalid, json, noContent, notFound, refused } from "./reply.ts";
import { type ProjectHandler, type ProjectRefusal, tierRefusal, type Visit, type World } from "./server-context.ts";
import { type LicenseRecord, nextNumber, type ProjectState } from "./state.ts";

const noLicense = notFound("SoftwareLicensePolicy");

/** Managed licenses are refused in a tier that has none, before anything else is looked at. */
function inTier(answer: ProjectHandler): ProjectHandler {
  return (world, visit, project) =>
    tierRefusal(world, "managed licenses", licenseTier) ?? answer(world, visit, project);
}

const none = json(200, []);

function reading(answer: ProjectHandler): ProjectHandler {
  return inTier((world, ...asked) => (world.behaviour.licensesGone ? none : answer(world, ...asked)));
}

const gone = refused(400, "Bad request - Managed License API endpoint were removed, use license approval policies");

function writing(answer: ProjectHandler): ProjectHandler {
  return inTier((world, ...asked) => (world.behaviour.licensesGone ? gone : answer(world, ...asked)));
}

/** The managed license endpoints (docs/api.md#managed-licenses). */
export const listLicenses = reading((world, visit, project) =>
  paged(world, visit, project.licenses, (license) => row(world, license)),
);

export const getLicense = reading((world, visit, project) => {
  const license = find(project, visit);
  return license ? json(200, row(world, license)) : noLicense;
});

export const createLicense = writing((world, visit, project) => {
  const name = String(visit.given.name).trim();
  if (name === "") return invalid(["name is empty"]);
  if (isTaken(world, project, name)) return json(400, { message: ["Software license has already been taken"] });
  const license = { id: nextNumber(world.state, "license"), name, approval_status: statusOf(visit) };
  putLicense(world.state, project, license);
  return json(201, row(world, license));
});

/** Whether a change is of a license that is not there, which is told before anything is said of its parameters. */
export const unknownLicense: ProjectRefusal = (world, visit, project) =>
  tierRefusal(world, "managed licenses", licenseTier) ??
  (world.behaviour.licensesGone || find(project, visit) ? undefined : noLicense);

export const updateLicense = writing((world, visit, project) => {
  const known = find(project, visit);
  if (!known) return noLicense;
  if (visit.given.approval_status === undefined) return json(200, row(world, known));
  const license = { ...known, approval_status: statusOf(visit) };
  putLicense(world.state, project, license);
  return json(200, row(world, license));
});

export const deleteLicense = writing((world, visit, project) => {
  const license = find(project, visit);
  if (!license) return noLicense;
  dropLicense(world.state, project, license);
  return noContent;
});

/** All digits are an ID; anything else a name, in any case. */
function find(project: ProjectState, { segments }: Visit): LicenseRecord | undefined {
  const key = segments.managed_license_id ?? "";
  if (/^\d+$/.test(key)) return project.licenses.find(({ id }) => id === Number(key));
  return project.licenses.find(({ name }) => name.toLowerCase() === key.toLowerCase());
}

function isTaken({ behaviour }: World, project: ProjectState, name: string): boolean {
  if (behaviour.licenseCaseCounts) return project.licenses.some((license) => license.name === name);
  return project.licenses.some((license) => license.name.toLowerCase() === name.toLowerCase());
}

function statusOf({ given }: Visit): string {
  const status = String(given.approval_status);
  return legacyStatuses.get(status) ?? status;
}

/** By the words of answers, what is said for each stored word; the word itself where nothing is. */
const answerWords: Readonly<Record<World["behaviour"]["answerWords"], ReadonlyMap<string, string>>> = {
  legacy: olderStatuses,
  stored: new Map(),
  current: legacyStatuses,
};

function row({ behaviour }: World, { id, name, approval_status }: LicenseRecord): LicenseRecord {
  return { id, name, approval_status: answerWords[behaviour.answerWords].get(approval_status) ?? approval_status };
}
