import { counted } from "../../../base/text-format.ts";
import { startFilters } from "./filters.ts";

/** Starts every page: search shortcut, ages, copy buttons, and the parts that only some pages have. */

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

/** Milliseconds that a copy button shows its confirmation, and between two polls of a run. */
const [confirmation, pace] = [1500, 2000];

for (const command of document.querySelectorAll<HTMLElement>("code.command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy ${command.textContent}`);
  button.addEventListener("click", () => void copy(command, button));
  command.after(button);
}

/** Selects the command if the clipboard is not accessible. */
async function copy(command: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(command.textContent ?? "");
  } catch {
    getSelection()?.selectAllChildren(command);
    return;
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, confirmation);
}

async function followRun(node: HTMLElement, address: string): Promise<void> {
  const { progress } = await (await fetch(address)).json();
  if (!progress) return location.reload();
  const [bar, label] = [node.querySelector("progress"), node.querySelector("span")];
  if (!bar || !label) return;
  bar.max = Math.max(1, progress.total);
  bar.value = progress.done;
  if (label.textContent !== progress.text) label.textContent = progress.text;
  setTimeout(() => void followRun(node, address).catch(() => {}), pace);
}

const live = document.querySelector<HTMLElement>("[data-live]");
if (live?.dataset.live) void followRun(live, live.dataset.live).catch(() => {});
if (document.getElementById("changes-title") && document.getElementById("search")) startFilters();
