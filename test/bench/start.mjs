// npm run bench:start: how long the program takes to start, beside a bare node; medians, in milliseconds.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const workspace = fileURLToPath(new URL("../../examples/quickstart", import.meta.url));
const runs = Number(process.argv[2] ?? 20);

const lines = {
  "node -e 0": ["-e", "0"],
  "evenkeel --version": [program, "--version"],
  "evenkeel --help": [program, "--help"],
  "evenkeel explain": [program, "explain"],
  "evenkeel validate (3 policies)": [program, "validate", "-C", workspace],
};

function once(args) {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}`);
  return performance.now() - began;
}

// In turns, so that a busy moment of the machine falls on all of them.
const times = Object.fromEntries(Object.keys(lines).map((line) => [line, []]));
for (let run = 0; run < runs; run++) for (const [line, args] of Object.entries(lines)) times[line].push(once(args));

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const bare = median(times["node -e 0"]);
for (const line of Object.keys(lines)) {
  const time = median(times[line]);
  console.log(
    `${line.padEnd(32)}${time.toFixed(0).padStart(5)} ms${(time / bare).toFixed(2).padStart(7)} times bare node`,
  );
}
