document.addEventListener("DOMContentLoaded", () => {
  const at = document.getElementById("tx-at");
  const show = document.getElementById("tx-show");
  const count = document.getElementById("tx-count");
  const exact = document.getElementById("tx-number");
  if (!at) return;
  const rows = [...document.querySelectorAll("#tx-table tbody tr")];
  const pairs = [...document.querySelectorAll("#tx-list > details")];
  const value = (node) => Number(node.dataset.at);
  const draw = () => {
    const row = rows[Number(at.value)];
    const least = value(row) - 1e-9;
    for (const one of rows) one.classList.toggle("off", one !== row);
    if (document.activeElement !== exact) exact.value = row.dataset.at;
    let seen = 0;
    for (const one of pairs) {
      const kind = show.value === "all" || one.dataset.says === show.value || (show.value === "human" && one.dataset.human === "1");
      one.hidden = value(one) < least || !kind;
      seen += !one.hidden;
    }
    at.setAttribute("aria-valuetext", row.dataset.at);
    count.textContent = "at " + row.dataset.at + ": " + row.dataset.told + "; " + seen + " of " + pairs.length + " pairs are listed";
  };
  const go = (to) => {
    const far = rows.map((one) => Math.abs(value(one) - Number(to)));
    at.value = String(far.indexOf(Math.min(...far)));
    draw();
  };
  for (const point of document.querySelectorAll("#threshold-explorer [data-to]")) point.addEventListener("click", () => go(point.dataset.to));
  exact.addEventListener("input", () => { if (exact.value !== "") go(exact.value); });
  exact.addEventListener("change", () => { exact.value = rows[Number(at.value)].dataset.at; });
  at.value = String(Math.max(0, rows.findIndex((one) => Math.abs(value(one) - Number(at.dataset.first)) < 1e-9)));
  at.addEventListener("input", draw);
  show.addEventListener("change", draw);
  draw();
});
