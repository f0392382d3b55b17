import { printable } from "../base/printable.ts";
import { firstFew } from "../base/text-format.ts";
import type { RepositoryKind } from "../model/repository-kinds.ts";
import type { Remainder } from "../storage/status.ts";
import type { Palette } from "./palette.ts";

/** What is left on a storage, a line a kind, and what the numbers do not tell. */
export function statusText(storage: string, kinds: readonly Remainder[], palette: Palette): string {
  const width = Math.max(...kinds.map(({ kind }) => kind.length));
  const lines = kinds.map((each) => `  ${each.kind.padEnd(width)}  ${printable(countText(each))}`);
  return [palette.strong(printable(`Left on ${storage}`)), ...lines].join("\n");
}

const mostNames = 10;

function countText({ kind, left, moving, failed, names }: Remainder): string {
  if (left === null) return unknown(kind);
  const details = [part(moving, "moving"), part(failed, "failed to move")].filter(Boolean).join(", ");
  const listed = names.length > 0 ? `: ${firstFew(names, mostNames)}` : "";
  const limits = kind === "projects" ? "" : "; those that were never moved are not listed";
  return `${left}${details ? ` (${details})` : ""}${listed}${limits}`;
}

function part(count: number | null, words: string): string {
  return count ? `${count} ${words}` : "";
}

function unknown(kind: RepositoryKind): string {
  return `unknown: the server does not list the moves of ${kind}`;
}

/** For scripts: a count a kind, null where it is unknown. */
export function statusJson(storage: string, kinds: readonly Remainder[]): string {
  const by = (of: (remainder: Remainder) => unknown) => Object.fromEntries(kinds.map((each) => [each.kind, of(each)]));
  const counts = by(({ left }) => left);
  const details = {
    moving: by(({ moving }) => moving),
    failed: by(({ failed }) => failed),
    names: by(({ names }) => names),
  };
  return JSON.stringify({ storage, ...counts, ...details }, null, 2);
}
