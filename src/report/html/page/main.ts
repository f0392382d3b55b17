import { counted } from "../../../base/text-format.ts";
import { addCopyButtons } from "./copy-commands.ts";
import { followRun } from "./live-run.ts";
import { startFilters } from "./plan-page.ts";

/** Every page: the key for the search, ages, and what only some pages have. */

addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector<HTMLInputElement>("input[type=search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-age]")) {
  const hours = Math.floor((Date.now() - Date.parse(time.dateTime)) / 3_600_000);
  if (hours >= 1) time.after(` (${hours < 48 ? counted(hours, "hour") : counted(Math.floor(hours / 24), "day")} ago)`);
}

addCopyButtons();
const live = document.querySelector<HTMLElement>("[data-live]");
if (live?.dataset.live) followRun(live, live.dataset.live);
if (document.getElementById("changes-title")) startFilters();
