// Elements made in one line; texts are always set as text.

export const $ = (id) => document.getElementById(id);

export function element(tag, options = {}, ...inside) {
  const { data = {}, ...rest } = options;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, data);
  made.append(...inside);
  return made;
}
