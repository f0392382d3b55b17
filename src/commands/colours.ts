import { Ansis } from "ansis";
import { type Palette, plain } from "../report/palette.ts";
import type { Host, OutputStream } from "./host.ts";

/** The palette of a stream; `color` is false for `--no-color`. */
export function paletteFor({ env }: Pick<Host, "env">, { isTTY }: OutputStream, color?: boolean): Palette {
  return color !== false && isColourful(env, isTTY) ? colours() : plain;
}

/** The text with its labels in colour: `error:`, `warning:`, `note:` or the position of a mistake begins a line. */
export function withLabels(text: string, { remove, warn, faint, strong }: Palette): string {
  const paints = { error: (label: string) => strong(remove(label)), warning: warn, note: faint };
  const labels = /^(?:(error|warning|note):|\S+:\d+:\d+(?= {2}))/gm;
  return text.replace(labels, (label, word: keyof typeof paints = "error") => paints[word](label));
}

function isColourful(env: Host["env"], isTTY = false): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTTY && env.TERM !== "dumb";
}

function colours(): Palette {
  const paint = new Ansis(1);
  return {
    add: paint.green,
    change: paint.yellow,
    remove: paint.red,
    strong: paint.bold,
    faint: paint.dim,
    warn: paint.yellow,
  };
}
