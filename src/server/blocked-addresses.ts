import type { Integration } from "../model/catalogue.ts";
import type { Scalar } from "../model/types.ts";
import { json, refused, type ServerReply } from "./reply.ts";
import type { World } from "./world.ts";

/** The feature of a seed that makes the server refuse local addresses, as deployed servers do unless they are told not to. */
const feature = "block_local_addresses";

/** The refusal of values that lead to the server's own network; undefined where nothing does, or where they are let through. */
export function blockedAddresses(
  { state, behaviour }: World,
  { parameters }: Integration,
  values: Readonly<Record<string, Scalar>>,
): ServerReply | undefined {
  if (!state.features.has(feature)) return undefined;
  const blocked = Object.entries(values).filter(
    ([name, value]) => parameters.get(name)?.destination && isLocal(String(value)),
  );
  if (blocked.length === 0) return undefined;
  if (!behaviour.validationTold) return refused(400, "Bad Request");
  const fields = blocked.map(([name]) => `:${name}=>["is blocked: Requests to the local network are not allowed"]`);
  return json(400, { message: `Failed to update integration. {${fields.join(", ")}}` });
}

const local = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[::1?\]|\[f[cd])/i;

function isLocal(value: string): boolean {
  return URL.canParse(value) && local.test(new URL(value).hostname);
}
