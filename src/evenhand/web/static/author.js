// Writing a question beside a document: words selected by mouse, finger or keyboard become evidence.

import { keyed, send, told, typing } from "./author_send.js";
import { $, element } from "./dom.js";
import { sentences, trimmed, units, whole } from "./text.js";

const page = JSON.parse($("data").textContent);
const FIELDS = ["text", "type", "expect", "cluster", "reference", "reason"];
const shelf = `evenhand:author:${page.gold}:${page.question?.id ?? "new"}`;
const form = $("form");
const bounds = sentences(page.text);
const nodes = []; // the element of each sentence
const state = { draft: null, picked: null, twins: [], at: 0, anchor: 0, down: false, busy: Promise.resolve(), saving: false, mark: page.mark };

// ---- the draft, which outlives the page

const nugget = () => ({ nugget: "", vital: true, spans: [] });

function begin() {
  const given = page.question;
  const fields = { text: "", type: "", expect: "answer", cluster: "", reference: "", reason: "", tags: "" };
  if (given) Object.assign(fields, { text: given.text, type: given.type, expect: given.expect, cluster: given.cluster, reference: given.reference, tags: given.tags.join(", ") });
  return { base: given, fields, nuggets: given?.evidence.length ? structuredClone(given.evidence) : [nugget()], now: 0, touched: false };
}

function kept() {
  try {
    const draft = JSON.parse(localStorage.getItem(shelf));
    return draft && Array.isArray(draft.nuggets) && draft.nuggets.length && draft.fields ? draft : null;
  } catch { return null; }
}

function keep() {
  const draft = state.draft;
  draft.touched = true;
  for (const name of [...FIELDS, "tags"]) if (form.elements[name]) draft.fields[name] = form.elements[name].value;
  try {
    localStorage.setItem(shelf, JSON.stringify(draft));
    say("saving", "Draft kept in this browser");
  } catch { say("out", "The draft cannot be kept: save it soon"); }
}

function say(how, words) {
  $("state").dataset.state = how;
  if ($("state").textContent !== words) $("state").textContent = words;
}

const hint = (words) => { if ($("hint").textContent !== words) $("hint").textContent = words; };
const idle = () => hint("Select words, or click sentences; with the keyboard arrows, Shift and space.");

function banner(words, ...more) {
  $("banner").hidden = !words;
  $("banner").replaceChildren(words ?? "", ...more);
  if (words) $("banner").scrollIntoView({ block: "nearest" });
}

// ---- the text: letter for letter, in sentences, with what is evidence marked

// where the sections begin, in one walk through the text: they come in order
const begins = [];
for (let k = 0, point = 0, unit = 0; k < page.sections.length; k += 1) {
  const there = unit + units(page.text.slice(unit, unit + 2 * (page.sections[k].start - point)), page.sections[k].start - point);
  [point, unit] = [page.sections[k].start, there];
  begins.push(there);
}
const heads = new Set(begins);

function build() {
  bounds.forEach(([from, to], i) => {
    const made = element("span", { className: "sentence", data: { i } });
    if (page.text.slice(from, to).trim()) {
      Object.assign(made, { tabIndex: -1, role: "button" });
      made.setAttribute("aria-pressed", "false");
    }
    if (heads.has(from)) made.classList.add("head");
    nodes.push(made);
  });
  const first = nodes.findIndex((one) => one.hasAttribute("role"));
  if (first >= 0) { state.at = first; nodes[first].tabIndex = 0; }
  $("sections")?.append(...page.sections.map((one, k) => element("li", { className: `l${one.level}` },
    element("button", { type: "button", textContent: one.title, data: { to: begins[k] } }))));
}

let marks = [];

function paint() {
  marks = [];
  state.draft.nuggets.forEach((one, n) => one.spans.forEach((span) => {
    if (span.doc === page.doc) marks.push([units(page.text, span.start), units(page.text, span.end), n === state.draft.now]);
  }));
  marks.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let m = 0;
  bounds.forEach(([from, to], i) => {
    while (m < marks.length && marks[m][1] <= from) m += 1;
    const here = [];
    for (let k = m; k < marks.length && marks[k][0] < to; k += 1) if (marks[k][1] > from) here.push(marks[k]);
    const look = JSON.stringify(here);
    if (nodes[i].look === look) return;
    nodes[i].look = look;
    const pieces = [];
    let at = from;
    for (const [start, end, now] of here) {
      const [a, b] = [Math.max(start, at), Math.min(end, to)];
      if (a >= b) continue;
      if (a > at) pieces.push(page.text.slice(at, a));
      pieces.push(element("mark", { className: now ? "now" : "", textContent: page.text.slice(a, b) }));
      at = b;
    }
    if (at < to) pieces.push(page.text.slice(at, to));
    nodes[i].replaceChildren(...pieces);
  });
}

// ---- what is selected: [start, end) in UTF-16 units

function pick(range, sentencesOnly) {
  let chosen = range ? trimmed(page.text, ...whole(page.text, ...range)) : null;
  if (chosen && chosen[0] >= chosen[1]) chosen = null;
  state.picked = chosen;
  bounds.forEach(([from, to], i) => {
    const on = Boolean(chosen && sentencesOnly && from < chosen[1] && to > chosen[0]);
    if (nodes[i].classList.contains("picked") === on) return;
    nodes[i].classList.toggle("picked", on);
    if (nodes[i].hasAttribute("role")) nodes[i].setAttribute("aria-pressed", String(on));
  });
  if (!chosen) { idle(); return; }
  const words = page.text.slice(...chosen).replace(/\s+/g, " ");
  hint(`Selected: “${words.length > 140 ? `${words.slice(0, 90)} … ${words.slice(-40)}` : words}”`);
}

function dragged() {
  const chosen = getSelection();
  if (!chosen.rangeCount || chosen.isCollapsed) return;
  const range = chosen.getRangeAt(0);
  const box = $("text");
  if (!range.intersectsNode(box)) return;
  const inside = document.createRange();
  inside.selectNodeContents(box);
  if (range.compareBoundaryPoints(Range.START_TO_START, inside) > 0) inside.setStart(range.startContainer, range.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, inside) < 0) inside.setEnd(range.endContainer, range.endOffset);
  const before = document.createRange();
  before.selectNodeContents(box);
  before.setEnd(inside.startContainer, inside.startOffset);
  const start = before.toString().length;
  const end = start + inside.toString().length;
  if (end > start) pick([start, end], false);
}

function walk(by, extend) {
  let to = state.at + by;
  while (nodes[to] && !nodes[to].hasAttribute("role")) to += by;
  if (!nodes[to]) return;
  nodes[state.at].tabIndex = -1;
  state.at = to;
  nodes[to].tabIndex = 0;
  nodes[to].focus();
  if (extend) stretch();
  else state.anchor = to;
}

function stretch() {
  getSelection().removeAllRanges();
  const [first, last] = [Math.min(state.anchor, state.at), Math.max(state.anchor, state.at)];
  pick([bounds[first][0], bounds[last][1]], true);
}

function toggle(i, extend) {
  nodes[state.at].tabIndex = -1;
  state.at = i;
  nodes[i].tabIndex = 0;
  const [from, to] = bounds[i];
  if (extend) stretch();
  else if (nodes[i].classList.contains("picked") && state.picked && state.picked[0] >= from && state.picked[1] <= to) pick(null);
  else { state.anchor = i; getSelection().removeAllRanges(); pick([from, to], true); }
}

// ---- evidence

const same = (a, b) => a.doc === b.doc && a.start === b.start && a.end === b.end;
const current = () => state.draft.nuggets[state.draft.now];

function add() {
  if (!state.picked) { hint("Nothing is selected: select words of the text first."); return; }
  const [start, end] = state.picked;
  const into = current();
  state.busy = state.busy.then(async () => {
    let found;
    try {
      found = await send("/author/check.json", { doc: page.doc, start, end, quote: page.text.slice(start, end) });
    } catch (error) { hint(told(error)); return; }
    const { twins, ...span } = found;
    if (!into.spans.some((one) => same(one, span))) into.spans.push(span);
    if (into === current()) state.twins = twins;
    getSelection().removeAllRanges();
    pick(null);
    keep();
    draw();
    const left = open();
    // the form scrolls by itself where it stands beside the text: what was found comes into sight there
    const [form_, box] = [form.getBoundingClientRect(), $("twins").getBoundingClientRect()];
    if (left.length && form.scrollHeight > form.clientHeight && box.bottom > form_.bottom) form.scrollTop += Math.min(box.bottom - form_.bottom + 12, box.top - form_.top);
    hint(left.length ? `Added. The same words stand in ${left.length} other ${left.length === 1 ? "place" : "places"}: t adds ${left.length === 1 ? "it" : "them"} as alternatives.` : "Added.");
  });
}

const open = () => state.twins.filter((one) => !current().spans.some((span) => same(one, span)));

function addTwins(them) {
  for (const { doc, start, end, quote } of them) current().spans.push({ doc, start, end, quote });
  keep();
  draw();
  hint(`${them.length === 1 ? "One alternative" : `${them.length} alternatives`} added.`);
}

function choose(n) {
  if (!state.draft.nuggets[n]) return;
  if (n !== state.draft.now) state.twins = [];
  state.draft.now = n;
  draw();
}

function draw() {
  const { nuggets, now } = state.draft;
  $("nuggets").replaceChildren(...nuggets.map((one, n) => {
    const name = element("input", { type: "text", value: one.nugget, maxLength: 500, placeholder: "the fact in a few words", data: { n, part: "name" }, aria: { label: `Nugget ${n + 1}: the fact in a few words` } });
    const vital = element("input", { type: "checkbox", checked: one.vital, data: { n, part: "vital" } });
    const spans = one.spans.map((span, k) => element("li", {},
      element("div", {}, element("q", { textContent: span.quote, dir: "auto" }), element("small", { textContent: `${span.doc} ${span.start}:${span.end}` })),
      element("button", { type: "button", className: "gone", textContent: "×", data: { n, k, part: "unspan" }, aria: { label: `Take place ${k + 1} out of nugget ${n + 1}` } })));
    return element("li", { className: n === now ? "now" : "" },
      element("div", { className: "nugget-head" },
        element("button", { type: "button", className: "pick", textContent: String(n + 1), data: { n, part: "pick" }, aria: { label: `Evidence goes to nugget ${n + 1}`, pressed: String(n === now) } }),
        name, element("label", {}, vital, "vital"),
        nuggets.length > 1 ? element("button", { type: "button", className: "gone", textContent: "×", data: { n, part: "drop" }, aria: { label: `Take nugget ${n + 1} out` } }) : ""),
      spans.length ? element("ul", { className: "spans" }, ...spans) : element("p", { className: "empty", textContent: n === now ? "Select words in the text, then “Add”." : "No evidence yet." }));
  }));
  $("which").textContent = String(now + 1);
  const left = open();
  $("add-twins").disabled = !left.length;
  $("twins").hidden = !left.length;
  $("twins").replaceChildren(...(left.length ? [
    element("p", { textContent: `The same words stand in ${left.length} other ${left.length === 1 ? "place" : "places"}. Does ${left.length === 1 ? "it" : "each"} alone support the fact, too?` }),
    element("ul", {}, ...left.map((one, k) => element("li", {},
      element("div", {}, element("span", { className: "around", dir: "auto" }, one.before.slice(-60), element("mark", { textContent: one.quote.length > 80 ? `${one.quote.slice(0, 80)} …` : one.quote }), one.after.slice(0, 60)),
        element("small", { textContent: ` ${one.doc} ${one.start}:${one.end}` })),
      element("button", { type: "button", className: "add", textContent: "Add", data: { k, part: "twin" }, aria: { label: `Add the place in ${one.doc} at ${one.start} as an alternative` } }))))] : []));
  paint();
}

// ---- saving

async function save(act) {
  if (state.saving) return;
  state.saving = true;
  try {
    await state.busy; // evidence on its way belongs to it
    await deliver(act);
  } finally {
    state.saving = false;
  }
}

async function deliver(act) {
  keep();
  const fields = state.draft.fields;
  if (!fields.text.trim()) { hint("The question has no words yet."); $("q").focus(); return; }
  if (act === "edit" && !fields.reason.trim()) { hint("Say why it is changed."); $("reason").focus(); return; }
  const buttons = [$("save"), $("accept"), $("discard")].filter(Boolean);
  for (const one of buttons) one.disabled = true;
  const question = {
    text: fields.text, type: fields.type.trim(), tags: fields.tags.split(",").map((one) => one.trim()).filter(Boolean), expect: fields.expect,
    cluster: fields.cluster.trim(), reference: fields.reference, evidence: state.draft.nuggets,
  };
  try {
    const same = act === "accept" && page.question && unchanged(question);
    const saved = await send("/author/save.json", { mark: state.mark, do: act, id: page.question?.id ?? "", reason: fields.reason, question: same ? null : question });
    localStorage.removeItem(shelf);
    banner(null);
    if (page.question) { location.href = saved.href; return; }
    state.mark = saved.mark;
    state.twins = [];
    fill(begin());
    say("saved", `${saved.id} is saved`);
    $("said").replaceChildren(element("div", { className: "saved" },
      element("span", {}, `${saved.id} is in ${page.gold} and waits for a review. `), element("a", { href: saved.href, textContent: "Look at it" }),
      ...(saved.notes.length ? [element("ul", {}, ...saved.notes.map((one) => element("li", { textContent: one })))] : [])));
    $("said").scrollIntoView({ block: "nearest" });
    document.documentElement.dataset.saved = saved.id;
  } catch (error) {
    const again = element("button", { type: "button", className: "quiet", textContent: "Reload the page" });
    again.addEventListener("click", () => location.reload());
    if (error.status === 409) banner(`${told(error)} `, again);
    else banner(told(error));
  } finally {
    for (const one of buttons) one.disabled = false;
  }
}

function unchanged(question) {
  return Object.entries(question).every(([name, value]) => JSON.stringify(value) === JSON.stringify(page.question[name]));
}

function fill(draft) {
  state.draft = draft;
  for (const [name, value] of Object.entries(draft.fields)) if (form.elements[name]) form.elements[name].value = value;
  draw();
}

// ---- hands

$("text").addEventListener("click", (event) => {
  const at = event.target.closest(".sentence[role]");
  if (at && getSelection().isCollapsed) toggle(Number(at.dataset.i), event.shiftKey);
});
$("text").addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (step) walk(step, event.shiftKey);
  else if (event.key === " ") toggle(state.at, event.shiftKey);
  else if (event.key === "Enter") { if (!state.picked) toggle(state.at, false); add(); }
  else return;
  event.preventDefault();
});
$("text").addEventListener("focusin", (event) => {
  const at = event.target.closest(".sentence[role]");
  if (at) { nodes[state.at].tabIndex = -1; state.at = Number(at.dataset.i); nodes[state.at].tabIndex = 0; }
});
let later = 0;
document.addEventListener("selectionchange", () => { clearTimeout(later); later = setTimeout(dragged, 60); });

// a button that acts on the selection must not take it away
$("tools").addEventListener("pointerdown", (event) => event.preventDefault());
$("add").addEventListener("click", () => { clearTimeout(later); dragged(); add(); });
$("add-twins").addEventListener("click", () => addTwins(open()));
$("to-question").addEventListener("click", () => { $("q").focus(); $("q").scrollIntoView({ block: "nearest" }); });
$("to-text").addEventListener("click", () => nodes[state.at]?.focus());
$("save-too").addEventListener("click", () => save(page.question ? "edit" : "add"));
$("accept")?.addEventListener("click", () => save("accept"));
$("more").addEventListener("click", () => {
  state.draft.nuggets.push(nugget());
  choose(state.draft.nuggets.length - 1);
  keep();
  hint(`Evidence goes to nugget ${state.draft.nuggets.length} now.`);
});
$("discard").addEventListener("click", () => {
  const one = $("discard");
  if (state.draft.touched && one.dataset.sure !== "1") {
    one.dataset.sure = "1";
    one.textContent = "Sure? Discard it";
    setTimeout(() => { delete one.dataset.sure; one.textContent = "Discard the draft"; }, 5000);
    return;
  }
  try { localStorage.removeItem(shelf); } catch { /* none */ }
  state.twins = [];
  fill(begin());
  banner(null);
  say("saved", "Nothing written yet");
});
$("sections")?.addEventListener("click", (event) => {
  const to = event.target.closest("button")?.dataset.to;
  const i = to === undefined ? -1 : bounds.findIndex(([, end]) => end > Number(to));
  if (i >= 0) { nodes[i].scrollIntoView({ block: "start" }); nodes[i].focus({ preventScroll: true }); }
});
form.addEventListener("submit", (event) => { event.preventDefault(); save(page.question ? "edit" : "add"); });
form.addEventListener("input", (event) => {
  const { n, part } = event.target.dataset;
  if (part === "name") state.draft.nuggets[n].nugget = event.target.value;
  if (part === "vital") state.draft.nuggets[n].vital = event.target.checked;
  keep();
});
form.addEventListener("focusin", (event) => {
  const { n, part } = event.target.dataset;
  if (part !== "name" || Number(n) === state.draft.now) return;
  choose(Number(n));
  $("nuggets").querySelector(`[data-n="${n}"][data-part=name]`).focus();
});
form.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-part]");
  if (!button) return;
  const [n, k] = [Number(button.dataset.n), Number(button.dataset.k)];
  if (button.dataset.part === "pick") choose(n);
  else if (button.dataset.part === "twin") addTwins([open()[k]]);
  else {
    if (button.dataset.part === "unspan") state.draft.nuggets[n].spans.splice(k, 1);
    else {
      state.draft.nuggets.splice(n, 1);
      state.draft.now = Math.min(state.draft.now, state.draft.nuggets.length - 1);
    }
    state.twins = [];
    keep();
    draw();
  }
  $("nuggets").querySelector(`[data-part=pick][data-n="${state.draft.now}"]`)?.focus();
});
addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); if (!event.repeat) save(page.question ? "edit" : "add"); }
  else if (event.key === "Escape" && typing(event.target)) { event.preventDefault(); nodes[state.at]?.focus(); }
  else if (/^[1-9]$/.test(event.key) && !typing(event.target) && !event.ctrlKey && !event.altKey && !event.metaKey) choose(Number(event.key) - 1);
});
keyed({ a: "add", t: "add-twins", n: "more", q: "to-question", Escape: "to-text" });

build();
const before = kept();
fill(before ?? begin());
const flow = document.createDocumentFragment();
for (const one of nodes) flow.append(one);
$("text").append(flow);
idle();
if (before) {
  say("saving", "Draft kept in this browser");
  if (page.question && JSON.stringify(before.base) !== JSON.stringify(page.question)) {
    banner(`${page.question.id} was changed by somebody else since you began. Your draft is kept, and saving it would write over that change; discard the draft to see it.`);
  }
}
document.documentElement.dataset.ready = "1";
