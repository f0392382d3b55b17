import { counted } from "../../base/text-format.ts";
import { namesCounted } from "../../plan/owner-counts.ts";
import type { Unmanaged } from "../../reconcile/unmanaged.ts";
import { unmanagedGroups, unmanagedHeadline, unreadSentences } from "../unmanaged.ts";
import { reportDocument } from "./document.ts";
import { each, longList, type Markup, markup } from "./markup.ts";
import { noticeNode, plainLine } from "./notices.ts";

/** What is live and no policy declares, as one HTML file that runs nothing and loads nothing. */
export function unmanagedHtml(found: Unmanaged): string {
  const problems = found.problems.map(({ message }) => message);
  return reportDocument(
    "Evenkeel unmanaged",
    markup`<header>
<p class="overline"><b>Unmanaged</b></p>
<h1>${unmanagedHeadline(found)}</h1>
${each(unreadSentences(found), (sentence) => markup`<p class="lead">${sentence}</p>`)}
</header>
<main>
${noticeNode({ id: "problems", tone: "bad", title: counted(problems.length, "problem"), lines: problems.map(plainLine) })}
${each(unmanagedGroups(found), ({ resource, projects }, index) =>
  noticeNode({
    id: `resource-${index}`,
    tone: "plain",
    title: `${resource} · ${namesCounted(projects)}`,
    lines: [projectsNode(projects)],
  }),
)}
</main>
`,
    false,
  );
}

function projectsNode(names: readonly string[]): Markup {
  const items = each(names, (name) => markup`<li>${name}</li>`);
  return longList(items, mostProjects, "projects", counted(names.length - mostProjects, "more project"));
}

/** How many projects are listed at first. */
const mostProjects = 60;
