import { memoized } from "../base/memoize.ts";
import { version } from "../base/version.ts";
import type { RefreshScope } from "../live/refresh-scope.ts";
import type { Basis, Kind, Project } from "../model/types.ts";
import type { Ledger } from "../state/ledger/ledger.ts";

/**
 * The lists of each project that a ledger knows: by a fingerprint of a list's text and of all else that a comparison is made
 * from, which are the kind, what is declared, the project, the release of the server and of Evenkeel.
 */
export function listsKnownTo(ledger: Ledger, release: string | undefined): NonNullable<RefreshScope["lists"]> {
  const { catalogue, hashed } = ledger;
  const kindText = memoized((kind: Kind) =>
    hashed(JSON.stringify([version, catalogue.dialect, release, kind, catalogue.kinds.get(kind)?.file])),
  );
  const basisText = memoized((basis: Basis) => hashed(basis.text()), new WeakMap());
  const silent = new Map<Basis, number>();
  return ({ project, basis }) => {
    if (!basis) return undefined;
    const about = `${basisText(basis)} ${JSON.stringify(factsOf(project))}`;
    return {
      known: ledger.knownLists(project.name),
      hashOf: (kind, total, body) => hashed(`list ${kindText(kind)} ${about} ${total} `, body),
      remember: (hashes) => ledger.rememberLists(project.name, hashes),
      silent,
    };
  };
}

const factsOf = ({ name, id, path, fullPath }: Project) => [name, id, path, fullPath];
