// Preloaded into a watcher (node --expose-gc --import): after every so many of its lines on stdout, PROBE_EVERY, it prints
// the heap that is left after a collection, and what is open, on stderr.
import { setImmediate } from "node:timers/promises";

const every = Number(process.env.PROBE_EVERY);
const write = process.stdout.write.bind(process.stdout);
let lines = 0;

async function measure(look) {
  for (let round = 0; round < 3; round++) {
    await setImmediate();
    globalThis.gc();
  }
  const { heapUsed, rss } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  process.stderr.write(`probe ${JSON.stringify({ look, heapUsed, rss, handles })}\n`);
}

process.stdout.write = (text, ...rest) => {
  lines += String(text).split("\n").length - 1;
  if (lines % every === 0) measure(lines);
  return write(text, ...rest);
};
