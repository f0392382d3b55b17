import { memoized } from "../base/memoize.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { kindOf, type PolicyKind, policyKinds } from "../model/kinds.ts";
import type { Owner } from "../model/owner.ts";
import type { ResourceKind } from "../model/resource-kind.ts";

/** A kind that is a file, and how policies list it. */
export interface KindAsFile extends PolicyKind {
  readonly file: ResourceKind;
}

/** The kinds that a policy may name, in the order of the catalogue, and those of them that are files. */
interface NamedKinds {
  readonly kinds: readonly PolicyKind[];
  readonly files: readonly KindAsFile[];
}

/** The kinds that the keys of a policy name. Many policies have the same keys, so each set of them is looked up once. */
export function kindsNamedIn(catalogue: Catalogue, owner: Owner, policy: object): NamedKinds {
  return kindsByKeys(catalogue)(owner)(Object.keys(policy).join("\0"));
}

const kindsByKeys = memoized(
  (catalogue: Catalogue) =>
    memoized((owner: Owner) =>
      memoized((keys: string): NamedKinds => {
        const kinds = policyKinds(catalogue, owner).filter(isNamedBy(new Set(keys.split("\0"))));
        const files = kinds.flatMap((row) => {
          const { file } = kindOf(catalogue, row.kind);
          return file.keys ? [] : [{ ...row, file }];
        });
        return { kinds, files };
      }),
    ),
  new WeakMap(),
);

/** Whether a policy has a list of a kind, or lists that may name any kind. */
function isNamedBy(keys: ReadonlySet<string>): (kind: PolicyKind) => boolean {
  if (keys.has("absent") || keys.has("exclusive")) return () => true;
  return ({ section, off = section }) => keys.has(section) || keys.has(off);
}
