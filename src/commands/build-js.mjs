// Bundles entry points into the folder of the last --outdir=: `npm run build:js`. esbuild makes a chunk of what the same
// commands share, and loading so many takes longer than running what is in them. So those that the command line needs at once
// become one chunk, and those that `validate` needs beside them, as do all commands that read manifests, become another.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { build } from "esbuild";

const words = process.argv.slice(2);
const outdir = words.findLast((word) => word.startsWith("--outdir=")).slice("--outdir=".length);
const folder = mkdtempSync(join(tmpdir(), "evenkeel-build-"));
const shared = {
  bundle: true,
  minifySyntax: true,
  format: "esm",
  platform: "node",
  target: "node20",
  outdir: folder,
  metafile: true,
  logLevel: "warning",
};
const statement = /^(import|export)(?: \{([^}]*)\} from)? "(\.\.?\/)([^"]+)";$/gm;

const pathOf = (output) => relative(folder, output);

const outputs = await bundled({
  entryPoints: words.filter((word) => !word.startsWith("--")),
  packages: "external",
  splitting: true,
});
const validate = [...outputs.keys()].find((name) => name.startsWith("validate-"));
const atStart = chunksOf(["cli.js"]);
const later = chunksOf(["cli.js", validate]).filter((name) => !atStart.includes(name));
for (const chunks of [atStart, later]) await merge(chunks);
for (const name of readdirSync(folder, { recursive: true })) if (name.endsWith(".js")) writeAscii(join(folder, name));
cpSync(folder, outdir, { recursive: true });
rmSync(folder, { recursive: true });

/** What esbuild wrote, by path in the folder. */
async function bundled(options) {
  const { metafile } = await build({ ...shared, ...options });
  return new Map(Object.entries(metafile.outputs).map(([path, output]) => [pathOf(path), output]));
}

/** The chunks that files import, directly or not. */
function chunksOf(names, found = new Set()) {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const imported = outputs.get(name).imports.filter(({ kind, external }) => kind === "import-statement" && !external);
    const files = imported.map(({ path }) => pathOf(path));
    chunksOf(files, found);
  }
  return [...found].filter((name) => name.startsWith("chunk-"));
}

/** Makes one chunk of several, and has all other files import from it. */
async function merge(chunks) {
  const names = namesIn(chunks);
  const contents = Array.from(names, ([chunk, all]) => `export { ${itemsOf(all)} } from "./${chunk}";`).join("\n");
  const isOther = { filter: /./, namespace: "file" };
  const others = {
    name: "others",
    setup: ({ onResolve }) =>
      onResolve(isOther, ({ path }) => (names.has(basename(path)) ? undefined : { path, external: true })),
  };
  const options = { stdin: { contents, resolveDir: folder }, plugins: [others], entryNames: "chunk-[hash]" };
  const [file] = (await bundled({ ...options, ignoreAnnotations: true })).keys();
  for (const chunk of chunks) {
    rmSync(join(folder, chunk));
    outputs.delete(chunk);
  }
  for (const name of outputs.keys()) redirect(join(folder, name), file, names);
}

/** What each chunk exports, and under which name the merged one does, where no two are the same. */
function namesIn(chunks) {
  const taken = new Set();
  const uniqueOf = (name, index) => (taken.has(name) ? `${name}_${index}` : name);
  const entryOf = (name, index) => {
    const unique = uniqueOf(name, index);
    taken.add(unique);
    return [name, unique];
  };
  const entriesOf = (chunk, index) => outputs.get(chunk).exports.map((name) => entryOf(name, index));
  return new Map(chunks.map((chunk, index) => [chunk, new Map(entriesOf(chunk, index))]));
}

function itemsOf(names) {
  return Array.from(names, ([name, unique]) => `${name} as ${unique}`).join(", ");
}

/**
 * V8 keeps a file with one character beyond Latin-1 in twice the memory; esbuild leaves those in patterns, templates and
 * comments.
 */
function writeAscii(path) {
  const text = readFileSync(path, "utf8");
  const escaped = text.replace(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (escaped !== text) writeFileSync(path, escaped);
}

function redirect(path, file, names) {
  const text = readFileSync(path, "utf8");
  const redirected = text.replace(statement, (whole, word, list = "", up, from) => {
    const unique = names.get(from);
    if (!unique) return whole;
    const items = list.split(",").flatMap((item) => {
      const [name, local = name] = item.trim().split(" as ");
      return name === "" ? [] : [`${unique.get(name)} as ${local}`];
    });
    return items.length === 0 ? `${word} "${up}${file}";` : `${word} { ${items.join(", ")} } from "${up}${file}";`;
  });
  if (redirected !== text) writeFileSync(path, redirected);
}
