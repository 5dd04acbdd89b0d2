document.addEventListener("DOMContentLoaded", () => {
  const at = document.getElementById("tx-at");
  const show = document.getElementById("tx-show");
  const count = document.getElementById("tx-count");
  if (!at) return;
  const rows = [...document.querySelectorAll("#tx-table tbody tr")];
  const pairs = [...document.querySelectorAll("#tx-list > details")];
  const value = (node) => Number(node.dataset.at);
  const draw = () => {
    const row = rows[Number(at.value)];
    const least = value(row) - 1e-9;
    for (const one of rows) one.hidden = one !== row;
    let seen = 0;
    for (const one of pairs) {
      const kind = show.value === "all" || one.dataset.says === show.value || (show.value === "human" && one.dataset.human === "1");
      one.hidden = value(one) < least || !kind;
      seen += !one.hidden;
    }
    at.setAttribute("aria-valuetext", row.dataset.at);
    count.textContent = "at " + row.dataset.at + ": " + seen + " of " + pairs.length + " pairs";
  };
  at.value = String(Math.max(0, rows.findIndex((one) => Math.abs(value(one) - Number(at.dataset.first)) < 1e-9)));
  at.addEventListener("input", draw);
  show.addEventListener("change", draw);
  draw();
});
