/** An element that the page must have. */
export function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page lacks #${id}`);
  return found as Kind;
}

/** The elements of a list and of the template after it, which holds those that are not shown at first. */
export function itemsOf(list: Element): HTMLLIElement[] {
  const template = list.nextElementSibling;
  const waiting = template instanceof HTMLTemplateElement ? template.content.children : [];
  return [...list.children, ...waiting] as HTMLLIElement[];
}

export function textOf(node: Element | null): string {
  return node?.textContent ?? "";
}
