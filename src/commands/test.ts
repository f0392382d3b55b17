import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type ExitCode, exit, UserError } from "../base/exit.ts";
import { orElse } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { counted, firstFew, paragraphs } from "../base/text-format.ts";
import { parseManifest } from "../manifest/document.ts";
import { readHead } from "../manifest/document-head.ts";
import { readKinds } from "../manifest/own-kinds.ts";
import { type PolicyTest, readTests, seedPaths } from "../manifest/tests.ts";
import { validate } from "../manifest/validate.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { neutral } from "../model/dialects.ts";
import { ownerName } from "../model/owner.ts";
import { bySeverity, problemLine, type ReportedProblem, reportedLine, reportedProblem } from "../model/problem-line.ts";
import type { ResourceKind } from "../model/resource-kind.ts";
import type { Problem } from "../model/types.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";
import { junitText } from "../report/junit.ts";
import type { Palette } from "../report/terminal.ts";
import { plan } from "../run/plan.ts";
import { parseSeed, type Seed, seedFaults } from "../server/seed.ts";
import { createServer } from "../server/server.ts";
import { type Loaded, loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import { filesBelow, isManifest, textIn } from "../workspace/walk.ts";
import type { Options } from "./command.ts";
import { printProblems, showing } from "./outputs.ts";
import type { Terminal } from "./terminal.ts";

interface Tested {
  readonly test: PolicyTest;
  readonly differences: readonly Problem[];
}

export const run = showing<Options<"test">>(
  async (terminal, _, paths) => {
    const began = performance.now();
    const workspace = loadWorkspace(terminal.folder);
    const isChosen = createFilter(terminal, workspace.root, paths);
    const loaded = withTestsIn(terminal, workspace, paths);
    const read = readTests(loaded.documents);
    const tests = read.tests.filter(({ document }) => isChosen(document.file));
    // The plan of a test contains the problems of the workspace.
    const known =
      tests.length > 0 ? read.problems.filter(({ place }) => isChosen(place?.file ?? "")) : validate(loaded).problems;
    const problems = known.filter(({ severity }) => severity === "error");
    if (paths.length > 0 && tests.length + problems.length === 0)
      throw new UserError(`no document of kind: Test in ${paths.join(", ")}; see docs/testing.md`, exit.usage);
    printProblems(terminal, bySeverity(problems));
    const tested: Tested[] = [];
    for (const test of tests) tested.push({ test, differences: await findDifferences(terminal, test, loaded) });
    const failed = tested.filter(({ differences }) => differences.length > 0).length;
    const code: ExitCode = failed + problems.length > 0 ? exit.problem : exit.done;
    const cases = [...tested.map(testCase), ...problems.map(problemCase)];
    const heading = { command: "test", seconds: (performance.now() - began) / 1000, finishedAt: new Date() };
    return {
      text: (palette) => testText(tested, loaded, palette),
      json: () => testDocument(tested, code === exit.done, problems),
      more: { junit: () => junitText(heading, cases) },
      code,
    };
  },
  ["json", "junit", "text"],
);

function createFilter({ cwd }: Terminal, root: string, paths: readonly string[]): (file: string) => boolean {
  const chosen = paths.map((path) => {
    if (!existsSync(resolve(cwd, path))) throw new UserError(`there is no file or folder ${path}`, exit.usage);
    return relative(root, resolve(cwd, path)).split(sep).join("/");
  });
  return (file) => paths.length === 0 || chosen.some((path) => path === "" || `${file}/`.startsWith(`${path}/`));
}

/** Adds tests below these paths that the patterns of the workspace leave out. */
function withTestsIn({ cwd }: Terminal, loaded: Loaded, paths: readonly string[]): Loaded {
  if (!loaded.workspace.manifests) return loaded;
  const read = new Set([...loaded.documents, ...loaded.problems.map(({ place }) => place)].map((each) => each?.file));
  const added = paths
    .flatMap((path) => filesBelow(cwd, path))
    .flatMap((found) => {
      const text = "path" in found && isManifest(found.path) ? textIn(found) : undefined;
      if (!("path" in found) || typeof text !== "string" || !/\bkind["']?\s*:\s*["']?Test\b/.test(text)) return [];
      const file = relative(loaded.root, found.path).split(sep).join("/");
      if (read.has(file) || workspaceAbove(dirname(found.path)) !== join(loaded.root, workspaceFile)) return [];
      read.add(file);
      const { documents, problems } = parseManifest(file, text);
      return { documents: documents.filter((document) => readHead(document).kind === "Test"), problems };
    });
  return {
    ...loaded,
    documents: [...loaded.documents, ...added.flatMap(({ documents }) => documents)],
    problems: [...loaded.problems, ...added.flatMap(({ problems }) => problems)],
  };
}

async function findDifferences(terminal: Terminal, test: PolicyTest, loaded: Loaded): Promise<readonly Problem[]> {
  const { kinds } = readKinds(loaded.documents);
  const read = readSeed(test, loaded, kinds);
  if ("problems" in read) return read.problems;
  const { plan, compared } = await makePlan(terminal, test, loaded, { seed: read.seed, kinds });
  const problems = plan.problems.filter((problem) => isOfSeed(problem, read.seed));
  return [
    ...problemDifferences(test, { ...plan, problems }),
    ...(compared ? [...changeDifferences(test, plan), ...objectionDifferences(test, plan)] : reportUncompared(test)),
  ];
}

/** False if a policy names a project or a group that the server of the test does not have, so that it is not tested. */
function isOfSeed({ rule, project }: ReportedProblem, { projects = [], groups = [] }: Seed): boolean {
  if (rule !== "unreadable" || project === undefined) return true;
  const names = [
    ...projects.flatMap(({ id, path }) => [path, id].map((name) => ownerName("project", String(name)))),
    ...groups.flatMap(({ id, path }) => [path, id].map((name) => ownerName("group", String(name)))),
  ];
  return names.some((name) => name.toLowerCase() === project.toLowerCase());
}

function readSeed(
  { document, given }: PolicyTest,
  { root, workspace }: Loaded,
  kinds: readonly ResourceKind[],
): { readonly seed: Seed } | { readonly problems: readonly Problem[] } {
  const at = (message: string, path: readonly (string | number)[] = []): Problem => {
    return { severity: "error", rule: "seed", message, place: document.place(["given", ...path]) };
  };
  if (typeof given !== "string") {
    const faults = seedFaults(given, workspace.catalogue, kinds);
    return faults.length > 0 ? { problems: faults.map(({ message, path }) => at(message, path)) } : { seed: given };
  }
  const paths = seedPaths(document, given);
  const path = paths.find((each) => existsSync(join(root, each)));
  if (path === undefined) return { problems: [at(`there is no file ${paths.join(", and none ")} in the workspace`)] };
  try {
    return parseSeed(readFileSync(join(root, path), "utf8"), path, workspace.catalogue, kinds);
  } catch (error) {
    return { problems: [at(`${path} cannot be read: ${describeSystemError(error)}`)] };
  }
}

/**
 * Plans against an embedded server, in an empty folder in place of the workspace's own: without its git history, state
 * and ledger, and without secrets and settings from the environment other than EVENKEEL_RULES, so that a test has the
 * same result everywhere.
 */
async function makePlan(
  { env, listen, interrupted: signal }: Terminal,
  { as_of: today }: PolicyTest,
  loaded: Loaded,
  given: { readonly seed: Seed; readonly kinds: readonly ResourceKind[] },
) {
  const { release, dialect, tier, environment } = loaded.workspace.server;
  const behaviour = dialect === neutral.name ? "spec" : "observed";
  const server = await createServer({ ...given, release, dialect, environment, behaviour, ...(tier && { tier }) });
  const root = mkdtempSync(join(tmpdir(), "evenkeel-test-"));
  try {
    const { ledger: _, rateLimit: __, ...settings } = loaded.workspace;
    const workspace = { ...settings, ledger: undefined, rateLimit: undefined };
    // Problems of other tests are not those of this plan.
    const documents = loaded.documents.filter((each) => readHead(each).kind !== "Test");
    return await plan({
      folder: root,
      loaded: { ...loaded, documents, root, workspace },
      env: { EVENKEEL_URL: server.url, EVENKEEL_TOKEN: "evenkeel-dev-token", EVENKEEL_RULES: env.EVENKEEL_RULES },
      signal,
      connecting: listen,
      ...(today !== undefined && { today }),
    });
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

function testText(tested: readonly Tested[], { workspace }: Loaded, palette: Palette): string {
  if (tested.length === 0) {
    const where = workspace.manifests ? `the files that manifests in ${workspaceFile} lists` : "this workspace";
    return `No tests: no document of kind: Test in ${where}.`;
  }
  const lines = tested.map(({ test, differences }) => {
    if (differences.length === 0) return `${palette.add("ok")}    ${test.name}`;
    const head = `${palette.remove("FAIL")}  ${test.name}`;
    return [head, ...differences.map((each) => `        ${differenceLine(each)}`)].join("\n");
  });
  const failed = tested.filter(({ differences }) => differences.length > 0).length;
  const result =
    failed > 0 ? `${failed} of ${counted(tested.length, "test")} failed.` : `${counted(tested.length, "test")} passed.`;
  return paragraphs([lines.join("\n"), palette.strong(result)]);
}

function differenceLine({ place, message }: Problem): string {
  return printable(place ? `${place.file}:${place.line}:${place.column}  ${message}` : message);
}

function testDocument(tested: readonly Tested[], passed: boolean, problems: readonly Problem[]) {
  const tests = tested.map(({ test: { name, document }, differences }) => {
    const { file, line, column } = document.place(["name"]);
    const isPassed = differences.length === 0;
    return { name, file, line, column, passed: isPassed, differences: differences.map(reportedProblem) };
  });
  return { format_version: "1.0", passed, tests, problems: problems.map(reportedProblem) };
}

function testCase({ test: { name, document }, differences }: Tested) {
  const { file } = document;
  const message = differences.map(differenceLine).join("\n");
  return { suite: file, name, file, ...(message !== "" && ({ result: "failure", rule: "test", message } as const)) };
}

function problemCase(problem: Problem) {
  const suite = problem.place?.file ?? "evenkeel.yaml";
  return {
    suite,
    name: problem.message,
    file: suite,
    result: "error",
    rule: problem.rule,
    message: problemLine(problem),
  } as const;
}

function createReporter({ document }: PolicyTest) {
  return (message: string, ...path: readonly (string | number)[]): Problem => {
    const place = document.place(["expect", ...path]);
    return { severity: "error", rule: "test", message, place };
  };
}

function changeDifferences(test: PolicyTest, { resource_changes: planned }: Plan): readonly Problem[] {
  const { changes, others } = test.expect;
  if (changes === undefined) return [];
  const say = createReporter(test);
  const left = new Set(planned);
  const missing = changes.flatMap(({ address, action }, index) => {
    const found = planned.find((each) => listNames(each).includes(address));
    if (found) left.delete(found);
    if (found && actionOf(found) === action) return [];
    const instead = found
      ? `its action is ${actionOf(found)} (${found.action_reason})`
      : `nothing is planned there${orElse(address, planned.flatMap(listNames))}`;
    return [say(`expected ${action} ${address}; ${instead}`, "changes", index)];
  });
  if (others) return missing;
  const more = [...left].map((each, index) => {
    const { file, line } = each.source;
    const hint = index === left.size - 1 ? "; others: true allows changes that the test does not list" : "";
    return say(`not expected: ${actionOf(each)} ${each.address} (${file}:${line})${hint}`, "changes");
  });
  return [...missing, ...more];
}

/** The address as planned, and the one with the full path if policies name the project by its ID. */
function listNames({ address, project, project_path: path }: PlannedChange): readonly string[] {
  return path === undefined ? [address] : [address, path + address.slice(project.length)];
}

function objectionDifferences(test: PolicyTest, { objections }: Plan): readonly Problem[] {
  const { blocked_by: expected = [] } = test.expect;
  const say = createReporter(test);
  const named = objections.map(({ guard, name = guard, message }) => ({ name, message }));
  return [
    ...lacking(
      expected,
      named.map(({ name }) => name),
    ).map(({ name, index, instead }) => say(`${name} does not object to the plan${instead}`, "blocked_by", index)),
    ...named
      .filter(({ name }) => !expected.includes(name))
      .map(({ message }) => say(`not expected: ${message}`, ...at(test, "blocked_by"))),
  ];
}

/** Warnings need not be listed. */
function problemDifferences(test: PolicyTest, { problems, warnings }: Plan): readonly Problem[] {
  const { problems: expected = [] } = test.expect;
  const say = createReporter(test);
  const [first, ...others] = problems.filter(({ rule }) => !expected.includes(rule));
  const more = others.length > 0 ? ` and ${counted(others.length, "more problem")}` : "";
  return [
    ...lacking(
      expected,
      [...problems, ...warnings].map(({ rule }) => rule),
    ).map(({ name, index, instead }) => say(`the plan has no problem ${name}${instead}`, "problems", index)),
    ...(first ? [say(`not expected: ${reportedLine(first)}${more}`, ...at(test, "problems"))] : []),
  ];
}

/** A plan that was blocked by problems contains no changes to compare. */
function reportUncompared(test: PolicyTest): readonly Problem[] {
  const { changes = [], blocked_by = [] } = test.expect;
  if (changes.length + blocked_by.length === 0) return [];
  return [createReporter(test)("nothing was planned, because of the problems", ...at(test, "changes"))];
}

function at({ expect }: PolicyTest, key: keyof PolicyTest["expect"]): readonly string[] {
  return expect[key] === undefined ? [] : [key];
}

function lacking(expected: readonly string[], actual: readonly string[]) {
  return expected.flatMap((name, index) => {
    if (actual.includes(name)) return [];
    const instead = actual.length > 0 ? `; found: ${firstFew([...new Set(actual)])}` : "";
    return [{ name, index, instead }];
  });
}
