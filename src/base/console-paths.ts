/** Path of a project's page in the console. The last dot of a path that ends like a form of a page is encoded. */
export function projectHref(project: string): string {
  const path = project
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
  return `/projects/${path.replace(/\.(json|csv)$/i, "%2E$1")}`;
}
