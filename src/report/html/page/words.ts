import { quantity } from "../../../base/text-format.ts";

/** Text with escapes for invisible characters, which could hide a part of a value or show it in another order. */
export function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0")}`,
  );
}

/** How long ago that was, in hours or days; empty for less than an hour. */
export function ageOf(iso: string): string {
  const hours = (Date.now() - Date.parse(iso)) / 3_600_000;
  if (!(hours >= 1)) return "";
  return `(${hours < 48 ? quantity(Math.floor(hours), "hour") : quantity(Math.floor(hours / 24), "day")} ago)`;
}
