import type { Integration, IntegrationParameter } from "../model/catalogue.ts";
import type { Scalar } from "../model/types.ts";
import { json, refused, type ServerReply } from "./reply.ts";
import type { ProjectState } from "./state.ts";
import type { World } from "./world.ts";

type Values = Readonly<Record<string, Scalar>>;

/** Fields with what is wrong with each. */
type Faults = readonly (readonly [field: string, sentence: string])[];

/** What a seed's features make the server refuse, as deployed servers do. */
const checks = {
  block_local_addresses: localAddresses,
  validate_values: invalidValues,
} as const satisfies Record<string, (world: World, asked: Asked) => Faults>;

interface Asked {
  readonly project: ProjectState;
  readonly integration: Integration;
  /** What the request carries. */
  readonly given: Values;
  /** What the integration would hold then. */
  readonly result: Values;
}

/** The refusal of an integration that its model does not allow; undefined where it does, or where no feature asks for it. */
export function modelRefusal(world: World, asked: Asked): ServerReply | undefined {
  const asking = Object.entries(checks).filter(([feature]) => world.state.features.has(feature));
  const faults = asking.flatMap(([, check]) => check(world, asked));
  if (faults.length === 0) return undefined;
  if (!world.behaviour.validationTold) return refused(400, "Bad Request");
  const fields = faults.map(([field, sentence]) => `:${field}=>[${JSON.stringify(sentence)}]`);
  return json(400, { message: `Failed to update integration. {${fields.join(", ")}}` });
}

function localAddresses(_: World, { integration: { parameters }, given }: Asked): Faults {
  return Object.entries(given)
    .filter(([name, value]) => parameters.get(name)?.destination && isLocal(String(value)))
    .map(([name]) => [name, "is blocked: Requests to the local network are not allowed"]);
}

const local = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[::1?\]|\[f[cd])/i;

function isLocal(value: string): boolean {
  return URL.canParse(value) && local.test(new URL(value).hostname);
}

function invalidValues({ behaviour, slugs }: World, { project, integration, result }: Asked): Faults {
  const faults = [...integration.parameters.values()].flatMap((parameter) => valueFaults(parameter, result));
  const isTaken = behaviour.oneIssueTracker && integration.alone && hasAnother(project, integration, slugs);
  return isTaken ? [...faults, ["base", alreadyInUse]] : faults;
}

const alreadyInUse = "Another issue tracker is already in use. Only one issue tracker service can be active at a time";

function valueFaults({ name, valid, required }: IntegrationParameter, values: Values): Faults {
  const isBlank = (each: string) => String(values[each] ?? "").trim() === "";
  const faults: [string, string][] = [];
  if (valid.pattern && !isBlank(name) && !new RegExp(valid.pattern).test(String(values[name])))
    faults.push([name, "is invalid"]);
  if (valid.pattern && required && isBlank(name)) faults.push([name, "can't be blank"]);
  if (valid.instead && isBlank(name) && isBlank(valid.instead)) faults.push([name, "can't be blank"]);
  if (valid.with && isBlank(name) !== isBlank(valid.with))
    faults.push([isBlank(name) ? name : valid.with, "can't be blank"]);
  return faults;
}

function hasAnother({ integrations }: ProjectState, { slug }: Integration, slugs: World["slugs"]): boolean {
  return [...integrations.values()].some((record) => {
    const other = slugs.get(record.slug);
    return record.active && record.slug !== slug && other !== undefined && !("status" in other) && other.alone;
  });
}
