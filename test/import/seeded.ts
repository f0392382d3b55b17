import { catalogueOf } from "../../src/model/catalogue.ts";
import type { SeedProject } from "../../src/server/seed.ts";
import { type Stage, stage } from "../support/stage.ts";

type Made = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/** A workspace and a server that speak a dialect; by path, what projects have in the names of GitLab. */
export function seededAs(dialect: string, made: Made, more: readonly SeedProject[] = []): Promise<Stage> {
  const { integrations, foreignNames } = catalogueOf(dialect);
  const projects = Object.entries(made).map(([path, own], index) => ({
    id: index + 1,
    path,
    integrations: Object.fromEntries(
      Object.entries(own).map(([name, parameters]) => {
        const slug = foreignNames.get(name)?.name ?? name;
        const names = integrations.get(slug)?.foreignNames;
        const spoken = Object.entries(parameters).map(([each, value]) => [names?.get(each)?.name ?? each, value]);
        return [slug, Object.fromEntries(spoken)];
      }),
    ),
  }));
  return stage({
    dialect,
    site: { ...(dialect !== "neutral" && { dialect }), tier: "ultimate" },
    projects: [...(projects as readonly SeedProject[]), ...more],
  });
}
