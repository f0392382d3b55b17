/** Built-in sources of secrets; no provider may have one of these names. */
export const builtInSchemes = ["env", "file", "manifest"] as const;

/** A parsed secret reference. */
export interface SchemeOf {
  readonly scheme: string;
  /** The text after the first colon. */
  readonly name: string;
}

/** Splits `vault:payments/hook` into `vault` and `payments/hook`; the scheme is empty if there is none. */
export function schemeOf(reference: string): SchemeOf {
  const colon = Math.max(reference.indexOf(":"), 0);
  return { scheme: reference.slice(0, colon), name: reference.slice(colon + 1) };
}

/** True if a reference needs a provider. */
export function isProvided(reference: string): boolean {
  const { scheme } = schemeOf(reference);
  return scheme !== "" && !builtInSchemes.some((each) => each === scheme);
}
