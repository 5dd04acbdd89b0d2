// Keys of the workbench, and pictures that were still being drawn when the page was sent.

const keys = document.getElementById("keys");
document.getElementById("keys-button").addEventListener("click", () => keys.showModal());

const rows = () => [...document.querySelectorAll("a[data-row]")];
const link = (rel) => document.querySelector(`nav.turn a[rel=${rel}]`);

function step(by) {
  const all = rows();
  if (!all.length) {
    const next = link(by > 0 ? "next" : "prev");
    if (next) next.click();
    return;
  }
  const at = all.indexOf(document.activeElement);
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function search() {
  const field = document.getElementById("find");
  if (field) { field.focus(); field.select(); return; }
  const list = document.querySelector('nav.contents a[href$="/questions"]');
  if (list) location.assign(`${list.getAttribute("href")}#find`);
}

const ACTS = {
  j: () => step(1),
  k: () => step(-1),
  "/": search,
  u: () => (link("up") || document.querySelector("header nav.brand a")).click(),
  "?": () => keys.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  if (event.target.closest("input:not([type=range]), select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const act = ACTS[event.key];
  if (act) { event.preventDefault(); act(); }
});

if (location.hash === "#find") document.getElementById("find")?.focus();

const drawing = document.getElementById("drawing");
if (drawing) {
  try {
    const answer = await fetch(drawing.dataset.figures, { headers: { accept: "application/json" } });
    const { figures } = await answer.json();
    for (const empty of document.querySelectorAll("svg[data-figure]")) {
      const text = figures[empty.dataset.figure];
      if (!text) continue;
      const made = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      if (made.nodeName === "svg") empty.replaceWith(document.importNode(made, true));
    }
    drawing.textContent = "The pictures are drawn.";
  } catch {
    drawing.textContent = "The pictures could not be drawn; the tables hold the same numbers.";
  }
}
document.documentElement.dataset.ready = "1";
