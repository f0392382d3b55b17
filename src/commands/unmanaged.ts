import { join } from "node:path";
import { exitCode } from "../base/exit.ts";
import { paragraphs, shellWord } from "../base/text-format.ts";
import { unmanagedJson, unmanagedText } from "../report/policy-texts.ts";
import { type NextStep, nextStepsText, type Palette } from "../report/terminal.ts";
import { type Unmanaged, unmanagedResources } from "../run/unmanaged.ts";
import type { Options } from "./command.ts";
import { formatCommand } from "./next-steps.ts";
import { printProblems, showing } from "./outputs.ts";
import { requestOf } from "./run-request.ts";

export const run = showing<Options<"unmanaged">>(async (terminal, options) => {
  const bar = terminal.progress("Reading");
  const request = requestOf(terminal, options);
  const unmanaged = await unmanagedResources({ ...request, progress: bar.update }).finally(bar.stop);
  printProblems(terminal, unmanaged);
  return {
    text: (palette) => formatText(unmanaged, palette, options),
    json: () => unmanagedJson(unmanaged),
    code: exitCode({ interrupted: terminal.interrupted.aborted, problem: unmanaged.problems.length > 0 }),
  };
});

function formatText(found: Unmanaged, palette: Palette, options: Options<"unmanaged">): string {
  if (found.projects === 0 && found.problems.length > 0) return "";
  const [first] = found.resources;
  const out = shellWord(join(options.C ?? "", "policies/unmanaged"));
  const command = `${formatCommand("import", options)} ${shellWord(first?.project ?? "")} --kinds all --out ${out}`;
  const next: readonly NextStep[] = first ? [[command, "writes policies for this project"]] : [];
  return paragraphs([unmanagedText(found, palette), nextStepsText(next, palette)]);
}
