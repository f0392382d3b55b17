import { relative } from "node:path";
import { BaseSequencer, type TestSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** Files that take seconds, the longest first; most of them start processes, and wait for them. */
const longest = [
  ...["examples", "e2e/workers", "ci/pipelines", "console/pages", "simulation/simulation", "ci/release"],
  ...["e2e/shared-state", "e2e/state-chaos", "watch/shared", "e2e/journal", "state/postgres", "package"],
  ...["watch/process", "server/file-store", "fleet/queue", "report/html", "state/laws", "simulation/laws-of-state"],
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
