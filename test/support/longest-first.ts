import { relative } from "node:path";
import { BaseSequencer, type TestSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** Files that take seconds, the longest first; most of them start processes, and wait for them. */
const longest = [
  ...["examples.long", "e2e/workers.long", "console/pages.long", "laws/kinds.long", "ci/release.long"],
  ...["ci/pipelines.long", "e2e/state-chaos.long", "e2e/shared-state.long", "import/laws.long"],
  ...["simulation/simulation.long", "laws/accept.long", "laws/waves.long", "report/html.long", "state/postgres.long"],
  ...["e2e/journal.long", "watch/process.long", "watch/shared.long"],
  ...["e2e/transcripts", "server/kinds", "kinds/laws", "apply/writes", "e2e/accept", "laws/convergence", "start"],
  ...["console/access", "scan/cases"],
].map((name) => `test/${name}.test.ts`);

/** The usual order, but that no core waits in the end for a long file that began last. */
export class LongestFirst implements TestSequencer {
  readonly #root: string;
  readonly #usual: BaseSequencer;
  constructor(vitest: Vitest) {
    this.#root = vitest.config.root;
    this.#usual = new BaseSequencer(vitest);
  }
  shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return this.#usual.shard(files);
  }
  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.indexOf(relative(this.#root, moduleId));
      return at < 0 ? longest.length : at;
    };
    return (await this.#usual.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
