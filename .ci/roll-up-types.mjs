/**
 * Makes one dist/index.d.ts of the declarations in dist/types, which `tsc` has written, and deletes those: a package of
 * hundreds of files takes long to install, and editors would suggest names that the library does not export.
 */

import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

const bundle = await rollup({
  input: `${dist}types/src/index.d.ts`,
  external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  plugins: [dts()],
});
await bundle.write({ file: `${dist}index.d.ts`, format: "es" });
await bundle.close();
rmSync(`${dist}types`, { recursive: true });
