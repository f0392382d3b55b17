import type { Place } from "../../../model/types.ts";

/** An expression of Terraform's language, as far as it can be worked out without Terraform. */
export type HclExpression =
  | { readonly form: "value"; readonly value: string | number | boolean | null }
  | { readonly form: "template"; readonly parts: readonly HclExpression[] }
  | { readonly form: "list"; readonly items: readonly HclExpression[] }
  | { readonly form: "mapping"; readonly pairs: readonly (readonly [key: HclExpression, value: HclExpression])[] }
  | { readonly form: "path"; readonly steps: readonly (string | HclExpression)[]; readonly text: string }
  | { readonly form: "call"; readonly name: string; readonly inputs: readonly HclExpression[] }
  /** Something else, in words that show nothing of it. */
  | { readonly form: "other"; readonly words: string };

export interface HclAttribute {
  readonly value: HclExpression;
  readonly place: Place;
}

/** `resource "type" "name" { … }`, or a whole file, which has neither type nor labels. */
export interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly attributes: ReadonlyMap<string, HclAttribute>;
  readonly blocks: readonly HclBlock[];
  readonly place: Place;
}
