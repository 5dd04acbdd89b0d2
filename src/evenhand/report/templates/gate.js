document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("gate-explorer");
  if (!box) return;
  const signal = document.getElementById("gx-signal");
  const at = document.getElementById("gx-at");
  const show = document.getElementById("gx-show");
  const told = document.getElementById("gx-told");
  const rows = [...document.getElementById("gx-list").children];
  let points = [], values = [], higher = true;
  const draw = () => {
    const [limit, answered, wrong, coverage, risk, low, high] = points[Number(at.value)].split(" ");
    const cut = Number(limit);
    at.setAttribute("aria-valuetext", signal.value + (higher ? " at least " : " at most ") + limit);
    let seen = 0;
    for (const [i, row] of rows.entries()) {
      const value = values[i];
      const yes = value !== "" && (higher ? Number(value) >= cut : Number(value) <= cut);
      const right = row.dataset.right === "1";
      row.classList.toggle("answered", yes);
      row.hidden = show.value === "wrong" ? !(yes && !right) : show.value === "lost" ? yes || !right : false;
      if (!row.hidden) seen += 1;
    }
    told.textContent = signal.value + (higher ? " ≥ " : " ≤ ") + limit + ": " + answered + " of " + rows.length
      + " answered (coverage " + coverage + "), " + wrong + " wrong, risk " + risk + " [" + low + ", " + high + "]; " + seen + " listed";
  };
  const load = () => {
    const option = signal.selectedOptions[0];
    points = option.dataset.points.split("|");
    values = option.dataset.values.split("|");
    higher = option.dataset.higher === "1";
    at.max = String(points.length - 1);
    at.value = String(Math.floor((points.length - 1) / 2));
    draw();
  };
  signal.addEventListener("change", load);
  at.addEventListener("input", draw);
  show.addEventListener("change", draw);
  load();
});
