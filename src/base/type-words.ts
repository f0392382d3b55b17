/** JSON Schema types, as the end of "expected …". */
const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  array: "a list",
  object: "a mapping",
};

/** `one of a, b`, or `a string or an integer`. */
export function expectedWords(types: string | readonly string[] | undefined, allowed: unknown): string | undefined {
  if (Array.isArray(allowed)) return `one of ${allowed.map(String).join(", ")}`;
  return (
    types &&
    [types]
      .flat()
      .map((type) => typeWords[type] ?? type)
      .join(" or ")
  );
}

/** The type of a value, as the end of "got …". Reveals only empty values, true and false. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "boolean") return String(value);
  return typeWords[typeof value] ?? "a mapping";
}

/** The same, but neither true nor false. */
export function typeWord(value: unknown): string {
  return typeof value === "boolean" ? "true or false" : typeOf(value);
}

/** A scalar value, truncated, or the type of any other value. */
export function valueInWords(value: unknown): string {
  if (typeof value === "object" || value === undefined) return typeOf(value);
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
