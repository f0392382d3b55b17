import { printable } from "../base/printable.ts";
import { terminalWidth } from "../base/text-format.ts";
import type { Palette } from "./palette.ts";

/** A command line to continue with, and what it does. */
export type NextStep = readonly [command: string, meaning: string];

/** The commands that follow, in two columns, or in pairs of lines if the columns would be wider than a terminal; empty for none. */
export function nextStepsText(steps: readonly NextStep[], palette: Palette): string {
  if (steps.length === 0) return "";
  const width = Math.max(...steps.map(([command]) => command.length));
  const isWide = steps.some(([, meaning]) => width + meaning.length + 4 > terminalWidth);
  const lines = steps.map(([command, meaning]) =>
    isWide ? `  ${printable(command)}\n      ${meaning}` : `  ${printable(command.padEnd(width))}  ${meaning}`,
  );
  return [palette.strong("Next:"), ...lines].join("\n");
}
