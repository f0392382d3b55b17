import { inParallel } from "../../base/concurrency.ts";
import { grouped } from "../../base/grouped.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import { ownerOfName } from "../../model/owner.ts";
import { inlineText, isReference } from "../../model/values.ts";
import { type ChangedBy, type PlannedChange, planDigest } from "../../plan/plan.ts";
import type { Planned } from "../request.ts";

/** Options for the search for authors. */
interface AuthorSearch {
  /** Maximum number of projects whose events are read concurrently. */
  readonly concurrency: number;
  /** Called with the reason if no author is known. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

/**
 * Adds to each change that is drift who made it, as far as the server's audit events name it. Reads one page of events for
 * each project with drift; plans do not count them.
 */
export async function withAuthors<Result extends Planned>(
  reader: Reader,
  result: Result,
  { concurrency, warn }: AuthorSearch,
): Promise<Result> {
  const drifted = result.plan.resource_changes.filter(({ cause }) => cause !== "pending");
  const found = new Map<string, ChangedBy>();
  let refused: CallFailed | undefined;
  await inParallel([...grouped(drifted, ({ project }) => project)], concurrency, async ([project, changes]) => {
    if (refused) return;
    const events = await readEvents(reader, project);
    if (events instanceof CallFailed) refused = events;
    else for (const change of changes) noteAuthor(found, change, events);
  });
  if (refused) warn?.(explainRefused(refused));
  if (found.size === 0) return result;
  const changes = result.plan.resource_changes.map((change) => {
    const changed_by = found.get(change.address);
    return changed_by ? { ...change, changed_by } : change;
  });
  const plan = { ...result.plan, resource_changes: changes };
  return { ...result, plan: { ...plan, digest: planDigest(plan) } };
}

const lists = { project: "listAuditEvents", group: "listGroupAuditEvents" } as const;

/** The newest events, or the reason why the server does not list them. @throws CallFailed if it ends the run. */
async function readEvents(reader: Reader, project: string): Promise<readonly JsonObject[] | CallFailed> {
  try {
    const { body } = await reader.get(call(lists[ownerOfName(project)], { id: project }, { per_page: "100" }));
    return Array.isArray(body) ? body.filter(isObject) : [];
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
}

function explainRefused({ status, message }: CallFailed): string {
  const isUnavailable = status === 403 || status === 404;
  const why = isUnavailable
    ? "the server lists no audit events for this token; it needs the premium tier, and the role Maintainer or Owner"
    : message;
  return `who changed the drifted settings is not known: ${why}; --no-authors does not ask`;
}

function noteAuthor(found: Map<string, ChangedBy>, change: PlannedChange, events: readonly JsonObject[]): void {
  const event = events.find((each) => isOf(change, each));
  const { author_name: author, created_at: at } = event ?? {};
  if (typeof author === "string" && author !== "" && typeof at === "string") found.set(change.address, { author, at });
}

/**
 * True if an event is certainly the one that made a change: it names the resource, or for settings of a project the field;
 * and if it states the new value, that is the live one.
 */
function isOf({ key, change: { before, after } }: PlannedChange, event: JsonObject): boolean {
  const details = isObject(event.details) ? event.details : {};
  const { change, to, target_details, custom_message = "" } = details;
  const words = String(custom_message);
  const fields = Object.keys({ ...before, ...after });
  const field = fields.find((name) => isSameName(name, change) || hasWord(words, name));
  const isNamed = key === "" ? field !== undefined : isSameName(key, target_details) || hasWord(words, key);
  if (!isNamed || field === undefined || to === undefined || to === null) return isNamed;
  const live = before?.[field];
  return live === undefined || isReference(live) || inlineText(live) === String(to);
}

function isSameName(name: string, text: unknown): boolean {
  return typeof text === "string" && plainName(text) === plainName(name);
}

function hasWord(text: string, name: string): boolean {
  return ` ${plainName(text)} `.includes(` ${plainName(name)} `);
}

/** `merge_method`, `Merge method` and `merge method` are the same name. */
function plainName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[_\s,;:"'`]+/g, " ")
    .trim();
}
