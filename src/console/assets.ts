import { createHash } from "node:crypto";
import type { Assets } from "./layout.ts";
import page from "./page.json" with { type: "json" };

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 6h12M2 10h12" stroke="#2b5fb8" stroke-width="2.5" stroke-linecap="round"/></svg>';

function named(text: string, ending: string): string {
  return `/assets/console-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.${ending}`;
}

/** Where a page finds its style and its script. */
export const assets: Assets = { style: named(page.style, "css"), script: named(page.script, "js") };

/** The console's own files, by their paths. */
export const assetFiles: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  [assets.style, { type: "text/css; charset=utf-8", text: page.style }],
  [assets.script, { type: "text/javascript; charset=utf-8", text: page.script }],
  ["/assets/icon.svg", { type: "image/svg+xml", text: icon }],
]);
