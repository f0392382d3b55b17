/** Every dialect: the specification's own names, and a file of `schemas/dialects/` each. */
export const dialectNames = ["neutral", "gitlab"] as const;

export type DialectName = (typeof dialectNames)[number];
