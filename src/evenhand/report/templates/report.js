
"use strict";
document.documentElement.classList.add("js");
document.addEventListener("DOMContentLoaded", () => {
  const list = document.getElementById("q-list");
  const search = document.getElementById("q-search");
  const type = document.getElementById("q-type");
  const order = document.getElementById("q-order");
  const count = document.getElementById("q-count");
  if (!list) return;
  const all = [...list.children].map((node, spread) => {
    const values = [...node.querySelectorAll(".strip span")].map((s) => parseFloat(s.textContent)).filter((v) => !isNaN(v));
    return {
      node, spread, position: Number(node.dataset.i), type: node.dataset.t, words: null,
      low: values.length ? values.reduce((a, b) => a + b, 0) / values.length : 2,
    };
  });
  const shown = () => all.filter((one) => !one.node.hidden);
  const filter = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const one of all) {
      if (wanted.length && one.words === null) one.words = one.node.textContent.toLowerCase();
      one.node.hidden = (type && type.value && one.type !== type.value) || !wanted.every((w) => one.words.includes(w));
    }
    count.textContent = shown().length + " of " + all.length;
  };
  const sort = () => {
    const key = order.value;
    all.sort((a, b) => a[key] - b[key] || a.spread - b.spread);
    for (const one of all) list.append(one.node);
  };
  const stop = (node) => node.querySelector("summary") || node;
  const step = (by) => {
    const rows = shown();
    if (!rows.length) return;
    const at = rows.findIndex((one) => one.node.contains(document.activeElement));
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))].node;
    if (at >= 0 && rows[at].node.open && rows[at].node !== next && next.tagName === "DETAILS") {
      rows[at].node.open = false;
      next.open = true;
    }
    stop(next).focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  };
  search.addEventListener("input", filter);
  if (type) type.addEventListener("change", filter);
  order.addEventListener("change", sort);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "/") { event.preventDefault(); search.focus(); }
  });
  filter();
});
