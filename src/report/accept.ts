import type { Acceptance, Hunk } from "../author/accept/accept.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { ProposedRequest } from "../run/merge-requests.ts";
import type { Palette } from "./terminal.ts";

/** An acceptance; its files were written unless `dryRun`. */
export interface AcceptReport extends Acceptance {
  readonly dryRun: boolean;
  readonly request?: ProposedRequest;
}

export function acceptText({ accepted, inSync, dryRun, request }: AcceptReport, palette: Palette): string {
  const things = accepted.map(({ address, hunks, notes }) =>
    [
      palette.strong(printable(address)),
      ...notes.map((note) => `  ${printable(note)}`),
      ...hunks.flatMap((hunk) => hunkLines(hunk, palette)),
    ].join("\n"),
  );
  const files = new Set(accepted.flatMap(({ hunks }) => hunks.map(({ file }) => file)));
  const verb = dryRun ? "would change" : request ? "changed in a merge request" : "changed";
  const total = `Accepted ${counted(accepted.length, "live value")}: ${counted(files.size, "file")} ${verb}.`;
  const same = inSync.map((address) => `${printable(address)} is as the manifests say: nothing to accept.`);
  return [...things, ...same, accepted.length > 0 ? palette.strong(total) : "", requestText(request)]
    .filter(Boolean)
    .join("\n");
}

function requestText(request: ProposedRequest | undefined): string {
  if (!request) return "";
  return printable(`${request.updated ? "Updated" : "Opened"} ${request.url} (branch ${request.branch}).`);
}

function hunkLines({ file, line, removed, added }: Hunk, palette: Palette): readonly string[] {
  return [
    `  ${palette.faint(printable(`${file}:${line}`))}`,
    ...removed.map((text) => palette.remove(`  - ${shownLine(text)}`)),
    ...added.map((text) => palette.add(`  + ${shownLine(text)}`)),
  ];
}

/** Redacted: a manifest may hold a literal secret where the workspace allows it. */
function shownLine(text: string): string {
  return printable(knownSecrets.clean(text));
}

export function acceptJson({ accepted, inSync, problems, dryRun, request }: AcceptReport): string {
  const things = accepted.map(({ hunks, ...thing }) => ({
    ...thing,
    edits: hunks.map(({ removed, added, ...hunk }) => ({
      ...hunk,
      removed: removed.map((line) => knownSecrets.clean(line)),
      added: added.map((line) => knownSecrets.clean(line)),
    })),
  }));
  const proposed = request && { merge_request: request };
  const report = { accepted: things, in_sync: inSync, dry_run: dryRun, ...proposed, ...bySeverity(problems) };
  return JSON.stringify(report, null, 2);
}
