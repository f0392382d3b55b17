/**
 * Makes one dist/index.d.ts of the declarations in dist/types, which `tsc` has written, and deletes those: a package of
 * hundreds of files takes long to install, and editors would suggest names that the library does not export.
 */

import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

/** Data of schemas/ as declarations: the text of a JSON object is the type of its content. */
const schemas = {
  name: "schemas",
  resolveId: (id) => (id.endsWith(".json") ? `${dist}types/${basename(id)}.d.ts` : null),
  load: (id) => {
    if (!id.endsWith(".json.d.ts")) return null;
    const text = readFileSync(new URL(`../schemas/${basename(id, ".d.ts")}`, import.meta.url), "utf8");
    return `declare const content: ${text};\nexport default content;\n`;
  },
};

const bundle = await rollup({
  input: `${dist}types/src/index.d.ts`,
  external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  plugins: [schemas, dts()],
});
await bundle.write({ file: `${dist}index.d.ts`, format: "es" });
await bundle.close();
rmSync(`${dist}types`, { recursive: true });
