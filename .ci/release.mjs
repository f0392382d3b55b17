// Makes what a release consists of, in release/: the package with all its dependencies in it, so that it installs without
// a registry and in the versions that were tested; checksums; the changelog's section. `npm run release -- v1.2.3` refuses a
// tag that is not the version of package.json.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const made = join(root, "release");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version } = manifest;

function refuse(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** What the changelog says of this version, without its heading. */
function section() {
  const parts = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m);
  const own = parts.find((part) => /^\S+/.exec(part)?.[0] === version);
  if (!own) refuse(`CHANGELOG.md has no section "## ${version}"; add it before the tag`);
  return `${own.slice(own.indexOf("\n")).trim()}\n`;
}

/** Folders of what users install, as the lock file has it: `node_modules/NAME`. */
function dependencies() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const names = Object.keys(packages).filter((name) => name && !packages[name].dev && !packages[name].devOptional);
  return names.filter((name) => existsSync(join(root, name)));
}

/** Packs a copy of what is published, since the manifest of a package with its dependencies in it is another one. */
function pack() {
  const stage = mkdtempSync(join(tmpdir(), "evenkeel-release-"));
  const { scripts: _, devDependencies: __, ...published } = manifest;
  const bundled = { ...published, bundleDependencies: Object.keys(manifest.dependencies) };
  for (const name of manifest.files) cpSync(join(root, name), join(stage, name), { recursive: true });
  for (const name of dependencies()) cpSync(join(root, name), join(stage, name), { recursive: true });
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(bundled, null, 2)}\n`);
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", made], { cwd: stage });
  rmSync(stage, { recursive: true });
  return `evenkeel-${version}.tgz`;
}

const [tag] = process.argv.slice(2);
if (tag !== undefined && tag !== `v${version}`)
  refuse(`the tag ${tag} is not v${version}, the version of package.json`);
const notes = section();
rmSync(made, { recursive: true, force: true });
mkdirSync(made);
execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
const tarball = pack();
const digest = createHash("sha256")
  .update(readFileSync(join(made, tarball)))
  .digest("hex");
writeFileSync(join(made, "SHA256SUMS"), `${digest}  ${tarball}\n`);
writeFileSync(join(made, "notes.md"), notes);
console.log(`release/${tarball}\nrelease/SHA256SUMS\nrelease/notes.md`);
