import { createHash } from "node:crypto";
import { type Markup, markup, ownMarkup } from "./markup.ts";
import page from "./page.json" with { type: "json" };

export const { style, script }: { readonly style: string; readonly script: string } = page;

export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 6h12M2 10h12" stroke="#2b5fb8" stroke-width="2.5" stroke-linecap="round"/></svg>';

/** A complete document. `head` links or contains the style sheet. */
export function htmlDocument(title: string, head: Markup, body: Markup): Markup {
  return markup`${ownMarkup("<!doctype html>")}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}
</head>
<body>
${body}
</body>
</html>`;
}

/** Only the style sheet and the script in the file may run; the page loads and sends nothing. */
export const reportPolicy = [
  "default-src 'none'",
  `script-src '${hash(script)}'`,
  `style-src '${hash(style)}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Policy of a report file without a script. */
const staticPolicy = `default-src 'none'; style-src '${hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'`;

export function reportDocument(title: string, body: Markup, hasScript: boolean): string {
  const code = hasScript ? markup`<script type="module">${ownMarkup(script)}</script>` : "";
  const head = markup`<meta http-equiv="Content-Security-Policy" content="${ownMarkup(hasScript ? reportPolicy : staticPolicy)}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style>${ownMarkup(style)}</style>`;
  return String(htmlDocument(title, head, markup`${body}${code}`));
}

function hash(source: string): string {
  return `sha256-${createHash("sha256").update(source).digest("base64")}`;
}
