import { quantity, thousands } from "../../../base/text-format.ts";
import { minuteText, scopeText } from "../../../plan/heading.ts";
import type { Plan } from "../../../plan/plan.ts";
import { element, part } from "./dom.ts";
import { noticesOf } from "./notices.ts";
import { ageOf, visible } from "./words.ts";

/** Fills in what stands around the changes: title, headline, facts, notices and colophon. */
export function drawHead(plan: Plan): void {
  const title = plan.summary.outcomes ? "Apply" : "Plan";
  const [headline, lead] = [headlineOf(plan), leadOf(plan)];
  document.title = `${title}: ${headline}`;
  part("title").textContent = title;
  part("server").textContent = visible(plan.server.url);
  part("headline").textContent = headline;
  part("headline").classList.toggle("settled", lead !== "");
  part("lead").textContent = lead;
  part("lead").hidden = lead === "";
  part("facts").replaceChildren(...factsOf(plan));
  part("notices").replaceChildren(...noticesOf(plan));
  part("colophon").textContent = visible(`Evenkeel ${plan.evenkeel_version} · plan ${plan.digest}`);
}

function headlineOf({ summary, problems }: Plan): string {
  const { writes, changed_projects: changed, projects, outcomes } = summary;
  if (outcomes) return `${thousands(outcomes.applied)} of ${quantity(writes, "change")} applied`;
  if (writes > 0) return `${quantity(writes, "change")} in ${thousands(changed)} of ${quantity(projects, "project")}`;
  return problems.length > 0 ? "No changes among what could be read" : "Nothing to change";
}

function leadOf({ summary, problems }: Plan): string {
  const { projects, unverified, writes } = summary;
  if (writes > 0 || problems.length > 0) return "";
  const doubt = unverified > 0 ? `, but for ${quantity(unverified, "parameter")} that the server does not report` : "";
  return `${quantity(projects, "project")} ${projects === 1 ? "is" : "are"} as declared${doubt}.`;
}

function factsOf({ created_at: createdAt, manifests, scope, summary }: Plan): readonly HTMLElement[] {
  const facts = [
    ["Made", `${minuteText(createdAt)} ${ageOf(createdAt)}`],
    ["Commit", manifests.commit?.slice(0, 12) ?? ""],
    ["Only", scopeText(scope)],
    ["Requests", `${thousands(summary.reads)} to read, ${thousands(summary.writes)} to write`],
    ["Unmanaged", summary.unmanaged > 0 ? `${thousands(summary.unmanaged)} live, in no policy` : ""],
    ["Unverified", summary.unverified > 0 ? quantity(summary.unverified, "parameter") : ""],
  ] as const;
  const told = facts.filter(([, text]) => text);
  return told.map(([name, text]) => element("div", "", element("dt", "", name), element("dd", "", visible(text))));
}
