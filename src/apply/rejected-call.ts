import { firstFew } from "../base/text-format.ts";
import type { CallFailed } from "../client/failure.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { fieldOf } from "../model/kinds.ts";
import { preservedValue, requiredByServer } from "../model/server-required.ts";
import type { Call, Change } from "../model/types.ts";

/** Adds the parameters that a server reports as missing to the call; undefined unless all of their values are known. */
export function rewriteRejectedCall(
  catalogue: Catalogue,
  change: Change,
  call: Call,
  failure: CallFailed,
): Call | undefined {
  if (failure.status !== 400) return undefined;
  const missing = missingIn(catalogue, change, failure) ?? [];
  const known = missing.flatMap((name) => {
    const value = preservedValue(name, change.live);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (missing.length === 0 || known.length < missing.length) return undefined;
  return { ...call, parameters: { ...call.parameters, ...Object.fromEntries(known) } };
}

/** Advice on a rejected change; undefined if the server's message suffices. */
export function adviceOn(catalogue: Catalogue, change: Change, failure: CallFailed): string | undefined {
  const { status, method, serverMessage = "" } = failure;
  if (method === "POST" && isTaken(failure)) return takenAdvice;
  if (status !== 400 || method !== "PUT") return undefined;
  const blind =
    missingIn(catalogue, change, failure)?.filter((name) => preservedValue(name, change.live) === undefined) ?? [];
  if (blind.length > 0)
    return `declare ${firstFew(blind)}: its current value cannot be read, so it cannot be preserved`;
  if (!/^(400 )?(bad request)?$/i.test(serverMessage)) return undefined;
  const addresses = Object.keys(change.declared).filter((name) => fieldOf(catalogue, change, name)?.["x-url"]);
  if (addresses.length === 0) return undefined;
  return `the server gives no reason; many servers reject addresses in a local network: check ${firstFew(addresses)}`;
}

const refusals: ReadonlySet<number | undefined> = new Set([400, 409, 422]);

/** Whether the server refuses to create what it has already: releases and kinds differ in the status. */
function isTaken({ status, serverMessage = "" }: CallFailed): boolean {
  return (
    refusals.has(status) &&
    /\b(?:already (?:exists?|been taken|taken|protected)|has already been)\b/i.test(serverMessage)
  );
}

const takenAdvice =
  "the server has one that its list does not show under this name, such as one of a group above or one created since; " +
  "look for it there, and plan again";

/** Parameters that the server reports as missing; undefined unless all of them are known to be required. */
function missingIn(catalogue: Catalogue, change: Change, { serverMessage = "" }: CallFailed): string[] | undefined {
  const missing = Array.from(serverMessage.matchAll(/(\w+) is missing/g), ([, name = ""]) => name);
  const required = new Set(requiredByServer(catalogue, { ...change, fields: change.declared }).map(({ name }) => name));
  return missing.length > 0 && missing.every((name) => required.has(name)) ? missing : undefined;
}
