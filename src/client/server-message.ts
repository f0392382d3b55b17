/** The server's own words, as one line that is fit for a terminal and a log. */

const longestMessage = 300;
const longestRead = 16 * 1024;
/** Longer than any secret: one that is cut would not be recognised. */
const longestCleaned = 2 * 1024 * 1024;
const deepest = 4;
const mostEntries = 20;

/** Field names that say nothing beside their value. */
const silent: ReadonlySet<string> = new Set(["message", "error", "base"]);

/** What an error body says, or the start of it: `message`, else `error`, each a string, a list or an object (platform errors). */
export function serverMessageIn(body: unknown): string | undefined {
  return saidIn(body)?.slice(0, longestCleaned);
}

function saidIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { message, error, error_description: description } = body;
  if (typeof message === "string") return inPlainWords(message.slice(0, longestCleaned));
  if (message !== undefined && message !== null) return flat(message, 0);
  if (error === undefined || error === null) return undefined;
  return typeof description === "string" ? `${flat(error, 0)}: ${description}` : flat(error, 0);
}

/** What a body that is not JSON says: a page's title, else its text. Secrets go first, since they may look like tags. */
export function serverMessageInText(text: string, clean: (text: string) => string): string {
  const start = clean(text.slice(0, longestCleaned)).slice(0, longestRead);
  const title = /<title[^>]{0,200}>([^<]{1,500})/i.exec(start)?.[1];
  return title ?? start.replace(/<[^<>]*>/g, " ");
}

/** One line without control characters, at most 300 characters long. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, longestRead)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, " ")
    .trim();
  return line.length <= longestMessage ? line : `${line.slice(0, longestMessage - 1).toWellFormed()}…`;
}

function flat(value: unknown, depth: number): string {
  if (depth > deepest) return "…";
  if (Array.isArray(value))
    return joined(
      value.slice(0, mostEntries).map((entry) => flat(entry, depth + 1)),
      ", ",
    );
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).slice(0, mostEntries);
  return joined(
    entries.map(([name, entry]) => (silent.has(name) ? flat(entry, depth + 1) : `${name} ${flat(entry, depth + 1)}`)),
    "; ",
  );
}

function joined(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== "").join(separator);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * A message that ends in a printed mapping of fields to sentences, as `Failed to update. {:url=>["is blocked"]}`, in plain
 * words: `Failed to update: url is blocked`. Any other text stays as it is.
 */
function inPlainWords(message: string): string {
  const text = message.trim();
  const open = text.indexOf("{");
  if (open < 0 || !text.endsWith("}")) return message;
  const words = fieldsIn(text.slice(open + 1, -1).trim());
  const start = text.slice(0, open).trim().replace(/[.:]$/, "");
  return words === undefined ? message : `${start}${start && ": "}${words}`;
}

/** `:url=>["a", "b"]`, `"url" => ["a"]` or `url: ["a"]`. */
const field = /:?"?([\w.]{1,100})"?\s*(?:=>|:)\s*\[((?:"(?:[^"\\]|\\.)*"[,\s]*)*)\][,\s]*/y;

const quoted = /"((?:[^"\\]|\\.)*)"/g;

/** Undefined where it is printed otherwise. */
function fieldsIn(text: string): string | undefined {
  const words: string[] = [];
  let end = 0;
  while (end < text.length) {
    field.lastIndex = end;
    const [whole, name, sentences = ""] = field.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const said = Array.from(sentences.matchAll(quoted), ([, sentence = ""]) => sentence.replace(/\\(.)/g, "$1"));
    words.push(name === "base" ? said.join(", ") : `${name} ${said.join(", ")}`);
    end += whole.length;
  }
  return words.join("; ");
}
