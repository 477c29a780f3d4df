// Build elements without ever parsing HTML: text stays text.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in PROPERTIES) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const PROPERTIES = { value: 1, checked: 1, selected: 1, disabled: 1, hidden: 1, multiple: 1 };

export const byId = (id) => document.getElementById(id);

// Show items in a list, touching only the nodes whose content changed: focus and scroll stay.
export function reconcile(list, items, build) {
  const old = new Map([...list.children].map((node) => [node.dataset.key, node]));
  const nodes = items.map(({ key, signature, item }) => {
    const node = old.get(key);
    if (node && node.signature === signature) return node;
    const fresh = build(item);
    fresh.dataset.key = key;
    fresh.signature = signature;
    return fresh;
  });
  const focused = document.activeElement;
  const mark = list.contains(focused) ? focused.dataset.focus : null;
  nodes.forEach((node, index) => {
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  });
  while (list.children.length > nodes.length) list.lastChild.remove();
  if (mark && !list.contains(document.activeElement)) {
    list.querySelector(`[data-focus="${CSS.escape(mark)}"]`)?.focus();
  }
}
