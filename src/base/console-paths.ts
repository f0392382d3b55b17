/** Where a project's page of the console is. A path that ends like a form of a page has its last dot encoded. */
export function projectHref(project: string): string {
  const path = project
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
  return `/projects/${path.replace(formEnding, "%2E$1")}`;
}

const formEnding = /\.(json|csv)$/i;
