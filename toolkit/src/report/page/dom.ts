/** Makes elements. Texts always come in as text, so that nothing that a subject has said can become markup. */

export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with attributes and children; what is undefined or false is left out. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** Lets the browser break a long name after its colons and dashes, and before a plus. */
export function breakable(name: string): HTMLElement {
  const parts = name.split(/(?<=[:-])|(?=\+)/);
  return h(
    'span',
    {},
    ...parts.flatMap((part, index) => (index === 0 ? [part] : [document.createElement('wbr'), part])),
  );
}

/** The same for what is drawn. */
export function svg(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}
