// Preloaded into the processes of a rehearsal: their clock shows the time that the file EVENKEEL_DEMO_CLOCK holds, and goes on from there.
import { readFileSync, statSync } from "node:fs";

const file = process.env.EVENKEEL_DEMO_CLOCK;
const RealDate = Date;
let [readAt, offset] = [Number.NEGATIVE_INFINITY, 0];

/** The file is looked at again every 20 ms: a server lives through all of the days. */
function now() {
  if (performance.now() - readAt > 20) {
    readAt = performance.now();
    const { mtimeMs } = statSync(file);
    offset = Number(readFileSync(file, "utf8")) - mtimeMs;
  }
  return Math.round(RealDate.now() + offset);
}

if (file) {
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [now()] : given));
    }

    static now() {
      return now();
    }
  };
}
