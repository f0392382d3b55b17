/** All dialects: the specification's own names, and one for each file of `schemas/dialects/`. */
export const dialectNames = ["neutral", "gitlab"] as const;

export type DialectName = (typeof dialectNames)[number];
