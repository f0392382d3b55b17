import { unavailable } from "../model/availability.ts";
import { integrations } from "../model/catalogue.ts";
import type { Platform } from "../model/types.ts";
import type { FoundProject, ImportedProject } from "./found.ts";
import { importIntegration } from "./integration.ts";
import { importLicenses } from "./licenses.ts";

/** Whether a policy could declare this slug on this platform: what is not of use is not read. */
export function isDeclarable(slug: string, platform: Platform): boolean {
  const integration = integrations.get(slug);
  return integration !== undefined && unavailable(integration, platform) === undefined;
}

/** All that policies can say of a project, in the catalogue's order, and sentences on what they cannot. */
export function importProject(found: FoundProject, platform: Platform): ImportedProject {
  const { project, integrations: live, others, licenses, unread } = found;
  const results = inOrder(live).map(importIntegration);
  const licensed = importLicenses(licenses);
  return {
    project,
    entries: [...results.flatMap((result) => ("entry" in result ? result.entry : [])), ...licensed.entries],
    remarks: [
      ...unread,
      ...others.map((slug) => othersWords(slug, platform)),
      ...results.flatMap((result) => ("left" in result ? result.left : [])),
      ...licensed.remarks,
    ],
  };
}

function inOrder(live: FoundProject["integrations"]): FoundProject["integrations"] {
  return live.toSorted((a, b) => rank(a.key) - rank(b.key));
}

const ranks = new Map([...integrations.keys()].map((slug, index) => [slug, index]));

/** Where `fmt` puts a slug among others. */
export function rank(slug: string): number {
  return ranks.get(slug) ?? ranks.size;
}

function othersWords(slug: string, platform: Platform): string {
  const integration = integrations.get(slug);
  if (!integration) return `${slug} is left out: it is not in the catalogue`;
  const why = unavailable(integration, platform);
  return `${slug} is left out: ${why ? why.message : "the server lists it and does not show it"}`;
}
