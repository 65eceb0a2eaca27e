/** An element with texts and elements in it; texts of others are never markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/** What went wrong, in a sentence. */
export function problem(error: unknown): HTMLElement {
  return element('p', { className: 'wrong' }, error instanceof Error ? error.message : String(error));
}

/** The element of the page with this id. */
export function reading<E extends HTMLElement>(id: string, kind: abstract new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no #${id}`);
}
