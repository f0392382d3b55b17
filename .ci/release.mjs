// Writes a release to release/: the package with its dependencies, so that it installs without a registry and in the
// versions that were tested; one file that needs no Node; a list of the components; checksums; the changelog's section.
// `npm run release -- v1.2.3` refuses a tag that is not the version of package.json.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSingleFile, node } from "./single-file.mjs";

const root = join(import.meta.dirname, "..");
const release = join(root, "release");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version } = manifest;

const [tag] = process.argv.slice(2);
if (tag !== undefined && tag !== `v${version}`)
  refuse(`the tag ${tag} is not v${version}, the version of package.json`);
const notes = readNotes();
rmSync(release, { recursive: true, force: true });
mkdirSync(release);
rmSync(join(root, "dist"), { recursive: true, force: true });
execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
const stage = stagePackage();
execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", release], { cwd: stage });
writeFileSync(join(release, `evenkeel-${version}.cdx.json`), listComponents(stage));
rmSync(stage, { recursive: true });
await buildSingleFile(join(release, "evenkeel-linux-x64"), Object.keys(manifest.peerDependencies));
writeFileSync(join(release, "SHA256SUMS"), checksums());
writeFileSync(join(release, "notes.md"), notes);
for (const name of readdirSync(release)) console.log(`release/${name}`);

function refuse(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** This version's section of the changelog, without its heading. */
function readNotes() {
  const sections = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m);
  const own = sections.find((section) => /^\S+/.exec(section)?.[0] === version);
  if (!own) refuse(`CHANGELOG.md has no section "## ${version}"; add it before the tag`);
  return `${own.slice(own.indexOf("\n")).trim()}\n`;
}

/** A copy of what is published: a package that bundles its dependencies has another manifest and a smaller lock file. */
function stagePackage() {
  const stage = mkdtempSync(join(tmpdir(), "evenkeel-release-"));
  const { scripts: _, devDependencies: __, ...published } = manifest;
  const bundled = { ...published, bundleDependencies: Object.keys(manifest.dependencies) };
  const { packages, ...lock } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const own = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  const dependencies = own.filter(([name]) => name && existsSync(join(root, name)));
  for (const name of [...manifest.files, ...dependencies.map(([name]) => name)])
    cpSync(join(root, name), join(stage, name), { recursive: true });
  const files = {
    "package.json": bundled,
    "package-lock.json": { ...lock, packages: { "": bundled, ...Object.fromEntries(dependencies) } },
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(stage, name), JSON.stringify(value, null, 2));
  return stage;
}

/** A software bill of materials in CycloneDX: the package's dependencies, and the Node of the single file. */
function listComponents(stage) {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const bill = JSON.parse(execFileSync("npm", args, { cwd: stage, encoding: "utf8" }));
  const purl = `pkg:npm/${node.name}@${node.version}`;
  bill.components.push({ "bom-ref": purl, type: "application", name: node.name, version: node.version, purl });
  bill.metadata.component.name = manifest.name;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function checksums() {
  const lines = readdirSync(release).map((name) => {
    const digest = createHash("sha256").update(readFileSync(join(release, name)));
    return `${digest.digest("hex")}  ${name}\n`;
  });
  return lines.join("");
}
