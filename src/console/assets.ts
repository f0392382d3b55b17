import { createHash } from "node:crypto";
import { icon, script, style } from "../report/html/document.ts";
import type { Assets } from "./layout.ts";

function named(text: string, ending: string): string {
  return `/assets/console-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.${ending}`;
}

/** Where a page finds its style and its script. */
export const assets: Assets = { style: named(style, "css"), script: named(script, "js") };

/** The console's own files, by their paths. */
export const assetFiles: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  [assets.style, { type: "text/css; charset=utf-8", text: style }],
  [assets.script, { type: "text/javascript; charset=utf-8", text: script }],
  ["/assets/icon.svg", { type: "image/svg+xml", text: icon }],
]);
