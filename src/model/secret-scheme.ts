/** Where secrets come from without a provider; no provider may have one of these names. */
export const builtInSchemes = ["env", "file", "manifest"] as const;

/** A reference taken apart: who is asked, and for what. */
export interface SchemeOf {
  readonly scheme: string;
  /** What stands behind the first colon. */
  readonly name: string;
}

/** `vault:payments/hook` as `vault` and `payments/hook`; the scheme is empty where there is none. */
export function schemeOf(reference: string): SchemeOf {
  const colon = Math.max(reference.indexOf(":"), 0);
  return { scheme: reference.slice(0, colon), name: reference.slice(colon + 1) };
}

/** Whether a provider has to be asked for a reference. */
export function isProvided(reference: string): boolean {
  const { scheme } = schemeOf(reference);
  return scheme !== "" && !builtInSchemes.some((each) => each === scheme);
}
