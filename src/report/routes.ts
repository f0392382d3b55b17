import { printable } from "../base/printable.ts";
import type { Shift } from "../routes/audience.ts";
import type { Route, UnknownRoute } from "../routes/routes.ts";
import { columns } from "./columns.ts";
import type { Palette } from "./palette.ts";

/** Who is notified of an event, and who may be: for people. `many` names the events. */
export interface ShownRoutes {
  readonly routes: readonly Route[];
  readonly unknown: readonly UnknownRoute[];
  readonly many: string;
}

/** A table of integration, channel and why; at its end those of which it is not known. */
export function routesText({ routes, unknown, many }: ShownRoutes, palette: Palette): string {
  if (routes.length + unknown.length === 0) return `No integration is notified of ${many} here.`;
  const known = routes.map(({ slug, channel, reason }) => [slug, channel ?? "", reason]);
  const open = unknown.map((each) => [each.slug, "", unknownWords(each)]);
  const rows = [...known, ...open].map((row) => row.map(printable));
  return columns(["INTEGRATION", "CHANNEL", "REASON"], rows, palette);
}

/** A sentence on those of which it is not known, for reports that only list who is notified; empty where there is none. */
export function unknownText({ unknown, many }: ShownRoutes): string {
  return unknown.map((each) => printable(`${each.slug} and ${many}: ${unknownWords(each)}`)).join("\n");
}

function unknownWords({ flag }: UnknownRoute): string {
  return `unknown, the server does not report ${flag}`;
}

/** Who would no longer receive which events, and who would. */
export function shiftText({ lost, gained }: Shift, palette: Palette): string {
  if (lost.length + gained.length === 0) return "Nobody is notified of anything else than before.";
  const marked = (mark: string, sentences: readonly string[]) => sentences.map((each) => `${mark} ${printable(each)}`);
  return [...marked(palette.remove("-"), lost), ...marked(palette.add("+"), gained)].join("\n");
}
