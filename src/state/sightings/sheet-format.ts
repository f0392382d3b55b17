import { UserError } from "../../base/exit.ts";
import { isObject } from "../../base/json.ts";

const format = 1;

/** The text of a sheet. */
export function formattedText(content: object): string {
  return JSON.stringify({ format, ...content });
}

/** What a sheet's text holds; nothing where it is none. @throws UserError for one of a later format. */
export function parsedText(text: string | undefined): Readonly<Record<string, unknown>> {
  const read = jsonIn(text ?? "");
  if (!isObject(read) || typeof read.format !== "number") return {};
  if (read.format <= format) return read;
  throw new UserError(
    `what runs saw was written in format ${read.format}, and this version of evenkeel knows ${format}; upgrade evenkeel`,
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
