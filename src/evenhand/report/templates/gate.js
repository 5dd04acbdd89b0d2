document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("gate-explorer");
  if (!box) return;
  const signal = document.getElementById("gx-signal");
  const at = document.getElementById("gx-at");
  const show = document.getElementById("gx-show");
  const told = document.getElementById("gx-told");
  const rows = [...document.getElementById("gx-list").children];
  const exact = document.getElementById("gx-number");
  const promised = document.getElementById("gx-promised");
  const curve = document.getElementById("gx-curve");
  const WIDE = 400, HIGH = 150, LEFT = 32, TOP = 8;
  const x = (coverage) => LEFT + WIDE * Number(coverage);
  const y = (risk) => TOP + HIGH * (1 - Number(risk));
  const shape = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    curve.append(made);
    return made;
  };
  let points = [], values = [], higher = true, span, dot;
  const plot = () => {
    curve.replaceChildren();
    const all = points.map((one) => one.split(" "));
    for (const tick of [0, .5, 1]) {
      shape("line", { class: "axis", x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) });
      shape("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, String(tick));
      shape("text", { x: x(tick), y: TOP + HIGH + 15, "text-anchor": "middle" }, String(tick));
    }
    shape("text", { x: x(1), y: TOP + HIGH + 29, "text-anchor": "end" }, "coverage");
    shape("text", { x: LEFT + 4, y: TOP + 15 }, "risk");
    const low = all.map((p) => x(p[3]) + "," + y(p[5])), high = all.map((p) => x(p[3]) + "," + y(p[6]));
    shape("polygon", { class: "band", points: [...low, ...high.reverse()].join(" ") });
    shape("polyline", { class: "line", points: all.map((p) => x(p[3]) + "," + y(p[4])).join(" ") });
    if (curve.dataset.x !== undefined) {
      const [a, b] = [x(curve.dataset.x), y(curve.dataset.y)];
      shape("path", { class: "fixed", d: `M${a - 5},${b - 5}l10,10m0,-10l-10,10` });
    }
    span = shape("line", { class: "span" });
    dot = shape("circle", { class: "at", r: 5 });
  };
  const draw = () => {
    const [limit, answered, wrong, coverage, risk, low, high] = points[Number(at.value)].split(" ");
    const cut = Number(limit);
    for (const [key, value] of Object.entries({ x1: x(coverage), x2: x(coverage), y1: y(low), y2: y(high) })) span.setAttribute(key, value);
    dot.setAttribute("cx", x(coverage));
    dot.setAttribute("cy", y(risk));
    if (document.activeElement !== exact) exact.value = limit;
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
    promised.hidden = option.dataset.promised === undefined;
    plot();
    draw();
  };
  const go = (to) => {
    const far = points.map((one) => Math.abs(Number(one.split(" ")[0]) - Number(to)));
    at.value = String(far.indexOf(Math.min(...far)));
    draw();
  };
  promised.addEventListener("click", () => go(signal.selectedOptions[0].dataset.promised));
  exact.addEventListener("input", () => { if (exact.value !== "") go(exact.value); });
  exact.addEventListener("change", () => { exact.value = points[Number(at.value)].split(" ")[0]; });
  signal.addEventListener("change", load);
  at.addEventListener("input", draw);
  show.addEventListener("change", draw);
  load();
});
