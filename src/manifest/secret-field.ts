import type { JsonObject } from "../base/json.ts";
import { typeWord } from "../base/type-words.ts";
import type { Problem, SecretReference } from "../model/types.ts";
import type { Document } from "./document.ts";
import type { Path } from "./positions.ts";
import { problemAt, type Rule } from "./problem.ts";
import { referenceFault } from "./secret-reference.ts";
import type { Workspace } from "./workspace.ts";

/** What is written where a secret may be: a reference, an allowed literal, or what is wrong with it. */
export type SecretField =
  | { readonly form: "secret"; readonly value: SecretReference; readonly literal?: string }
  | { readonly form: "fault"; readonly problem: Problem };

/** Where it is written. */
interface Spot {
  readonly document: Document;
  readonly path: Path;
}

/** A mapping with the key `secret`. `isText`: whether a text is expected there. */
export function secretReference(
  { document, path }: Spot,
  reference: JsonObject,
  isText: boolean,
  { ledger }: Workspace,
): SecretField {
  const { secret, version } = reference;
  const [, rule, message, at] = referenceFaults(reference, isText, ledger).find(([isBroken]) => isBroken) ?? [];
  if (rule && message) {
    const inside = [...path, ...(at === undefined ? [] : [at])];
    return { form: "fault", problem: problemAt(rule, message, { document, path: inside }) };
  }
  const versioned = version === undefined ? {} : { version: Number(version) };
  return { form: "secret", value: { secret: String(secret), ...versioned } };
}

type ReferenceFault = readonly [isBroken: boolean, rule: Rule, message: string, at?: string | undefined];

/** Only the first broken check is reported. */
function referenceFaults(
  { secret, version, ...others }: JsonObject,
  isText: boolean,
  ledger: string | undefined,
): readonly ReferenceFault[] {
  const [other] = Object.keys(others);
  const rule = "secret-reference";
  const fault = referenceFault(typeof secret === "string" ? secret : "");
  const isVersion = Number.isSafeInteger(version) && Number(version) >= 1;
  const forget = "a version needs a ledger; set ledger in evenkeel.yaml";
  return [
    [!isText, "parameter-type", "only a string parameter can be a secret"],
    [fault !== undefined, rule, fault ?? "", "secret"],
    [other !== undefined, rule, "a secret reference has only secret and version", other],
    [version !== undefined && !isVersion, rule, versionWords(version), "version"],
    [version !== undefined && ledger === undefined, "secret-version", forget, "version"],
  ];
}

function versionWords(version: unknown): string {
  return typeof version === "number" && version > 1
    ? `expected an integer of at most ${Number.MAX_SAFE_INTEGER}`
    : "expected an integer of at least 1";
}

/** A literal in the place of a secret, which only some workspaces allow. */
export function secretLiteral(spot: Spot, value: unknown, { allowPlaintextSecrets }: Workspace): SecretField {
  if (!allowPlaintextSecrets) {
    const message = `${spot.path.at(-1)} is a secret: use a reference such as { secret: env:NAME }`;
    return { form: "fault", problem: problemAt("plaintext-secret", message, spot) };
  }
  if (typeof value !== "string") {
    return { form: "fault", problem: problemAt("parameter-type", `expected a string, got ${typeWord(value)}`, spot) };
  }
  const { file, line, column } = spot.document.place(spot.path);
  return { form: "secret", value: { secret: `manifest:${file}:${line}:${column}` }, literal: value };
}
