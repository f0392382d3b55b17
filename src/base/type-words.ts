/** What a value may be, by the names of JSON Schema, in words that complete "expected …". */
const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  array: "a list",
  object: "a mapping",
};

/** `one of a, b`, or what the types are called, `a string or an integer`; undefined where neither is given. */
export function expectedWords(types: string | readonly string[] | undefined, allowed: unknown): string | undefined {
  if (Array.isArray(allowed)) return `one of ${allowed.join(", ")}`;
  return (
    types &&
    [types]
      .flat()
      .map((type) => typeWords[type] ?? type)
      .join(" or ")
  );
}

/** What a value is, in words that complete "got …"; of what it holds, only that it is empty, true or false. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "boolean") return String(value);
  return typeWords[typeof value] ?? "a mapping";
}

/** A wrong value in a few characters, or its type where it has parts. */
export function valueInWords(value: unknown): string {
  if (typeof value === "object" || value === undefined) return typeOf(value);
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
