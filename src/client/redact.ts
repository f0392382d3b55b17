/** Takes values that nobody may see out of texts that others wrote. */
export interface Redactor {
  /** From now on `value` is replaced by `name`, also where it is written as JSON or in a URL. */
  learn(value: string, name: string): void;
  clean(text: string): string;
}

/** A redactor that knows nothing yet. */
export function createRedactor(): Redactor {
  const names = new Map<string, string>();
  let pattern: RegExp | undefined;
  return {
    learn(value, name) {
      if (value === "" || names.has(value)) return;
      for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
      pattern = undefined;
    },
    clean(text) {
      if (names.size === 0) return text;
      pattern ??= patternOf(names);
      return text.replace(pattern, (found) => names.get(found) ?? "");
    },
  };
}

function formsOf(value: string): string[] {
  const wellFormed = value.toWellFormed();
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(wellFormed),
    new URLSearchParams([["", value]]).toString().slice(1),
    asMarkup(value, "&#39;", "&quot;"),
    asMarkup(value, "'", '"'),
  ];
}

function asMarkup(value: string, quote: string, doubleQuote: string): string {
  const escaped = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return escaped.replaceAll("'", quote).replaceAll('"', doubleQuote);
}

/** Longest first, so that a secret that begins like another is replaced whole. */
function patternOf(names: ReadonlyMap<string, string>): RegExp {
  const forms = [...names.keys()].sort((a, b) => b.length - a.length);
  return new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");
}
