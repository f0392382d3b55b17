import { SaxesParser } from "saxes";

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  readonly children: Element[];
}

export function parseXml(text: string): Element {
  const document: Element = { name: "", attributes: {}, text: "", children: [] };
  const open = [document];
  const innermost = () => open.at(-1) ?? document;
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    const element: Element = { name, attributes: attributes as Record<string, string>, text: "", children: [] };
    innermost().children.push(element);
    open.push(element);
  });
  parser.on("text", (part) => {
    innermost().text += part;
  });
  parser.on("closetag", () => void open.pop());
  parser.write(text).close();
  const [root] = document.children;
  if (!root) throw new SyntaxError("the document has no root");
  return root;
}
