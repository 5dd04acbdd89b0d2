// What runs: asked for while the page is seen, told in place, and aloud only when a stage, a wait or a state changes.

const slots = new Map([...document.querySelectorAll("[data-run]")].map((slot) => [slot.dataset.run, slot]));
const said = document.getElementById("run-said");
const fresh = document.getElementById("run-new");
const known = new Set((fresh?.dataset.keys ?? "").split("\n"));
const spoken = new Map();
const EVERY = 1000, REST = 5000;
let timer = 0, first = true;

function speak(run) {
  const before = spoken.get(run.key);
  spoken.set(run.key, run.brief);
  if (!first && before !== run.brief) said.textContent = run.brief;
}

function show(slot, run) {
  const bar = slot.querySelector("progress"), again = slot.querySelector("code");
  const came = slot.dataset.state === "running" && run.state === "done";
  slot.dataset.state = run.state;
  bar.max = run.total || 1;
  bar.value = run.done;
  bar.setAttribute("aria-label", run.stage || "progress");
  slot.querySelector(".words").textContent = run.words;
  again.textContent = run.state === "running" || run.state === "done" ? "" : run.command;
  if (run.state === "running") slot.querySelector("a")?.remove();
  if (came) {
    const link = document.createElement("a");
    link.href = location.pathname + location.search;
    link.textContent = "Show what came out";
    slot.querySelector("p").append(link);
  }
}

async function ask() {
  let wait = REST;
  try {
    const answer = await fetch("/running.json", { headers: { accept: "application/json" } });
    if (answer.status === 401 || answer.status === 403) return;
    const { runs } = await answer.json();
    const here = runs.filter((run) => slots.has(run.name || run.key));
    for (const run of here) {
      show(slots.get(run.name || run.key), run);
      speak(run);
    }
    if (runs.some((run) => run.state === "running")) wait = EVERY;
    if (fresh) {
      const at = runs.filter((run) => run.state === "running").length;
      const more = runs.some((run) => !slots.has(run.name || run.key) && !known.has(run.key));
      fresh.textContent = `${at} at work${more ? "; one more study since this page was made: load it again" : ""}`;
    }
    first = false;
  } catch {
    for (const slot of slots.values()) {
      if (slot.dataset.state === "running") slot.querySelector(".words").textContent = "The server does not answer.";
    }
  }
  plan(wait);
}

function plan(wait) {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(ask, wait);
}

document.addEventListener("visibilitychange", () => plan(0));
plan(EVERY);
