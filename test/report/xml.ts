/** An element as the strict reader below finds it. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Element[];
}

const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** XML 1.0, 2.2: what a document may hold at all; surrogates only in pairs. */
const allowed = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

/**
 * Reads the XML that needs no DTD, comment or CDATA, by the grammar of XML 1.0 (4th edition names, ASCII alone).
 * @throws SyntaxError for whatever a conforming parser would refuse.
 */
export function parseXml(text: string): Element {
  if (!allowed.test(text)) throw new SyntaxError("a character that XML does not allow");
  const declaration = /^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/.exec(text)?.[0] ?? "";
  const { element, end } = elementAt(text, declaration.length);
  if (text.slice(end).trim() !== "") throw new SyntaxError(`text after the root at ${end}`);
  return element;
}

function elementAt(text: string, start: number): { readonly element: Element; readonly end: number } {
  const open = /<([A-Za-z_][\w.-]*)((?:\s+[A-Za-z_][\w.-]*="[^"<]*")*)\s*(\/?)>/y;
  open.lastIndex = start;
  const [, name = "", attributes = "", empty] = open.exec(text) ?? fail(text, start);
  const head = { name, attributes: attributesOf(attributes) };
  if (empty) return { element: { ...head, text: "", children: [] }, end: open.lastIndex };
  const children: Element[] = [];
  let inner = "";
  for (let at = open.lastIndex; ; ) {
    const next = text.indexOf("<", at);
    if (next < 0) fail(text, at);
    inner += unescaped(text.slice(at, next));
    if (text.startsWith(`</${name}>`, next)) {
      return { element: { ...head, text: inner, children }, end: next + name.length + 3 };
    }
    const { element, end } = elementAt(text, next);
    children.push(element);
    at = end;
  }
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w.-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, unescaped(value)]);
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new SyntaxError(`an attribute twice: ${text}`);
  return Object.fromEntries(pairs);
}

function unescaped(text: string): string {
  if (text.includes("]]>")) throw new SyntaxError("]]> in text");
  return text.replace(/&(?:(amp|lt|gt|quot|apos);)?/g, (_, name: string | undefined) => {
    return (name && characters[name]) ?? fail(text, 0);
  });
}

function fail(text: string, at: number): never {
  throw new SyntaxError(`not XML at ${at}: ${text.slice(at, at + 60)}`);
}
