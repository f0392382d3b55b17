/**
 * A message that ends in a printed mapping of fields to sentences, as `Failed to update. {:url=>["is blocked"]}`, in plain
 * words: `Failed to update: url is blocked`. Any other text stays as it is.
 */
export function inPlainWords(message: string): string {
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
