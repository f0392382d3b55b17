import { printable } from "../base/printable.ts";
import type { Shift } from "../routes/audience.ts";
import type { Route } from "../routes/routes.ts";
import { columns } from "./columns.ts";
import type { Palette } from "./palette.ts";

/** Who hears of an event, for people: integration, channel and why. `many` names the events. */
export function routesText(routes: readonly Route[], many: string, palette: Palette): string {
  if (routes.length === 0) return `Nobody hears of ${many} here.`;
  const rows = routes.map(({ slug, channel, reason }) => [slug, channel ?? "", reason].map(printable));
  return columns(["INTEGRATION", "CHANNEL", "REASON"], rows, palette);
}

/** Who would stop and who would start hearing of what. */
export function shiftText({ lost, gained }: Shift, palette: Palette): string {
  if (lost.length + gained.length === 0) return "Nobody stops or starts hearing of anything.";
  const marked = (mark: string, sentences: readonly string[]) => sentences.map((each) => `${mark} ${printable(each)}`);
  return [...marked(palette.remove("-"), lost), ...marked(palette.add("+"), gained)].join("\n");
}
