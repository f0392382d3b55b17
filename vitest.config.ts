import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";

const mark = "\0text:";

/** The HTML report imports the parts of its page as text, which the build takes from the import's attribute. */
const text: Plugin = {
  name: "text",
  enforce: "pre",
  resolveId: (source, importer = "") =>
    source.startsWith("./page/") ? `${mark}${join(dirname(importer), source)}.text` : null,
  load: (id) =>
    id.startsWith(mark)
      ? `export default ${JSON.stringify(readFileSync(id.slice(mark.length, -".text".length), "utf8"))}`
      : null,
};

export default defineConfig({
  plugins: [text],
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/build.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
