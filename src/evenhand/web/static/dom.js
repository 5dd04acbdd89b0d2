// Elements made in one line; texts are always set as text.

export const $ = (id) => document.getElementById(id);

export function element(tag, options = {}, ...inside) {
  const { data = {}, aria = {}, ...rest } = options;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, data);
  for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, value);
  made.append(...inside);
  return made;
}
