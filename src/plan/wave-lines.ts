import { shellWord } from "../base/shell-word.ts";
import { counted, firstFew } from "../base/text.ts";
import type { Plan } from "./plan.ts";

/** One line for each wave: `wave 1 of 3: payments/api (2 changes), applied`. */
export function waveLines({ summary, resource_changes: changes }: Plan): readonly string[] {
  const waves = summary.waves ?? [];
  return waves.map(({ wave, projects, changes: count, status, reason }) => {
    const names = [...new Set(changes.filter((change) => change.wave === wave).map(({ project }) => project))];
    const who = projects > mostNamed ? counted(projects, "project") : firstFew(names.map(shellWord), mostNamed);
    const end = status === "planned" ? "" : `, ${status}${reason === undefined ? "" : `: ${reason}`}`;
    return `wave ${wave} of ${waves.length}: ${who} (${counted(count, "change")})${end}`;
  });
}

const mostNamed = 3;
