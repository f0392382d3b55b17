import { createHmac, randomBytes } from "node:crypto";

/** The key of this process's marks: `ID.SECRET`. Whoever has it can guess the secrets behind them. */
export const markKey = `${random(6)}.${random(32)}`;

const keys = new Map([[idOf(markKey), markKey]]);

/** Lets the marks that another process made be compared. */
export function learnMarkKey(key: string): void {
  keys.set(idOf(key), key);
}

/** A mark of a secret, equal for equal secrets within this process and worthless without its key. */
export function secretMark(secret: string): string {
  return markOf(secret, markKey);
}

/** Whether a mark is that of a secret; undefined where its key is not known. */
export function isMarkOf(secret: string, mark: string): boolean | undefined {
  const key = keys.get(idOf(mark));
  return key === undefined ? undefined : markOf(secret, key) === mark;
}

function markOf(secret: string, key: string): string {
  return `${idOf(key)}.${createHmac("sha256", key).update(secret).digest("base64url")}`;
}

function idOf(text: string): string {
  return text.slice(0, text.indexOf("."));
}

function random(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}
