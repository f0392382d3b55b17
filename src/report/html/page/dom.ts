/** An element with its class and its content. Strings become text nodes, so no value can become markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** A span that screen readers skip. */
export function decoration(className: string, ...children: readonly (Node | string)[]): HTMLElement {
  return Object.assign(element("span", className, ...children), { ariaHidden: "true" });
}

/** A button that submits nothing. */
export function button(className: string, ...children: readonly (Node | string)[]): HTMLButtonElement {
  return Object.assign(element("button", className, ...children), { type: "button" });
}

/** An element of the page's own markup. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page lacks #${id}`);
  return found;
}

/** An input of the page's own markup. */
export function input(id: string): HTMLInputElement {
  return part(id) as HTMLInputElement;
}
