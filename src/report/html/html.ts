import { createHash } from "node:crypto";
import { inertJson } from "../../base/printable.ts";
import type { Plan } from "../../plan/plan.ts";
import page from "./page.json" with { type: "json" };

const { body, script, style } = page;

/**
 * What the page may do: run the one script and the one style that stand in it. It can load nothing and send nothing,
 * and even that script has no way to turn a string into markup.
 */
export const planPolicy = [
  "default-src 'none'",
  `script-src '${hashOf(script)}'`,
  `style-src '${hashOf(style)}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Cpath d='M2 6h12M2 10h12' stroke='%232b5fb8' stroke-width='2.5' stroke-linecap='round'/%3E%3C/svg%3E";

/**
 * The plan as one HTML file that needs no network, with what became of each change after an apply. The file holds the
 * whole plan document, so it is also a record of it; like the document it holds no secret. Every value is shown as text.
 */
export function planHtml(plan: Plan): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${planPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Evenkeel plan</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
${body}
<script type="application/json" id="plan">${inScript(plan)}</script>
<script type="module">${script}</script>
</body>
</html>`;
}

/** Without `<` nothing in it can end the element that it stands in. */
function inScript(plan: Plan): string {
  return inertJson(JSON.stringify(plan)).replaceAll("<", "\\u003c");
}

function hashOf(source: string): string {
  return `sha256-${createHash("sha256").update(source).digest("base64")}`;
}
