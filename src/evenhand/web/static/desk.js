// The desk: shows an item, takes an answer by one key, and goes on at once; `Queue` sees to the saving.

import { Clock } from "./clock.js";
import { $, element } from "./dom.js";
import { Keys, shown } from "./keys.js";
import { Queue, ask } from "./queue.js";
import { covered, joined, random, received, sent, sentences, trimmed, whole, without } from "./text.js";

const page = JSON.parse($("data").textContent);
const sheet = page.sheet;
const REASONS = ["The text is broken or empty", "It is in a language I do not read well", "I wrote it, or know its author", "The question makes no sense"];
const LOW = 10; // items ahead below which more are fetched
const CLICK = 300; // ms within which a second click is the same act

const now = { item: null, bounds: [], marks: [], pending: null, shownAt: "", marking: false, held: null };
const state = { ahead: page.items, answered: new Set(), history: [], fetching: false, stale: false, back: false, last: 0, revisit: false, done: false, sheet: page.sheet_seal };

const storage = {
  get(name) { try { return JSON.parse(localStorage.getItem(`evenhand:${page.desk}:${name}`)); } catch { return null; } },
  set(name, value) { try { localStorage.setItem(`evenhand:${page.desk}:${name}`, JSON.stringify(value)); } catch { /* not kept */ } },
};
const tabs = "BroadcastChannel" in window ? new BroadcastChannel(`evenhand:${page.desk}`) : null;
const queue = new Queue(page.desk, { arrived, state: saving });
const clock = new Clock((kind, body) => queue.event(kind, now.item?.task, body));

const levels = sheet.levels.map((level, i) => ({ ...level, name: `level:${i}` }));
const keys = new Keys([
  ...levels.map((level) => ({ name: level.name, label: level.label, key: level.key })),
  ...(sheet.cannot_tell ? [{ name: "cannot-tell", label: "cannot tell", key: "c" }] : []),
  { name: "evidence", label: "mark evidence", key: "e" },
  { name: "skip", label: "skip", key: "s" },
  { name: "undo", label: "undo", key: "u" },
  { name: "note", label: "comment", key: "m" },
  { name: "guide", label: "guideline", key: "g" },
  { name: "help", label: "keys", key: "?" },
]);

// ---- what is on the screen

function button(name, label, help = "", extra = "") {
  const made = element("button", { type: "button", className: extra, data: { act: name } },
    element("kbd", { textContent: shown(keys.key(name)), ariaHidden: "true" }), element("span", { textContent: label }));
  if (help) made.append(element("small", { textContent: help }));
  made.setAttribute("aria-keyshortcuts", keys.key(name));
  return made;
}

function furnish() {
  $("levels").replaceChildren(...levels.map((level) => button(level.name, level.label, level.help, "level")),
    ...(sheet.cannot_tell ? [button("cannot-tell", "cannot tell", "two careful readings would differ", "level other")] : []));
  $("tools").replaceChildren(...["undo", "evidence", "note", "skip", "guide", "help"].map((name) =>
    button(name, keys.acts.find((act) => act.name === name).label, "", "tool")));
  $("tools").querySelector("[data-act=evidence]").setAttribute("aria-pressed", "false");
}

function modes() {
  $("modes").replaceChildren(
    ...sheet.modes.map((mode) => element("button", { type: "button", data: { mode: mode.name } },
      element("kbd", { textContent: mode.key, ariaHidden: "true" }), element("span", { textContent: mode.label }))),
    element("button", { type: "button", className: "quiet", data: { mode: "" } },
      element("kbd", { textContent: "⏎", ariaHidden: "true" }), element("span", { textContent: "leave it open" })),
    element("button", { type: "button", className: "quiet", data: { back: "1" } },
      element("kbd", { textContent: "Esc", ariaHidden: "true" }), element("span", { textContent: "back" })));
}

function show(item, draft = null) {
  performance.mark("evenhand:shown");
  Object.assign(now, { item, bounds: sentences(item.text), marks: draft?.marks ?? [], pending: null, marking: false, held: null, shownAt: new Date().toISOString() });
  state.done = false;
  $("item").hidden = false;
  $("end").hidden = true;
  $("question").textContent = item.question;
  const path = [item.title, ...item.heading].filter((part, i, all) => part && part !== all[i - 1]);
  $("path").replaceChildren(...path.flatMap((part, i) => [...(i ? [element("span", { className: "sep", textContent: " › " })] : []), element("bdi", { textContent: part })]));
  $("note").value = draft?.note ?? "";
  $("note-line").hidden = !$("note").value;
  draw();
  drawSides(item.sides);
  stage(null);
  for (const one of $("levels").children) one.classList.toggle("before", draft?.before === one.dataset.act);
  if (draft?.before) hint("Taken back. Answer anew.");
  clock.begin();
  queue.event("shown", item.task);
  scrollTo(0, 0);
  if (!document.querySelector("dialog[open]")) $("question").focus({ preventScroll: true });
}

function drawSides(sides) {
  $("sides").hidden = !sides;
  if (!sides) return;
  $("sides").replaceChildren(...sides.map((one) => element("section", {},
    element("h2", { textContent: `Side ${one.side}` }),
    element("p", {}, element("strong", { textContent: one.kind === "grade" ? `${one.grade} – ${one.label}` : one.kind === "skip" ? "skipped" : "cannot tell" }), one.mode ? ` · ${one.mode}` : ""),
    ...one.evidence.map((mark) => element("blockquote", { textContent: mark.quote, dir: "auto" })))));
}

// the text in sentences, and within them what is marked; together letter for letter the text that was sent
function draw() {
  const { item, bounds, marks } = now;
  $("text").replaceChildren(...bounds.map(([from, to], i) => {
    const sentence = element("span", { className: "sentence", data: { i } });
    let at = from;
    for (const [start, end] of marks) {
      if (end <= at || start >= to) continue;
      if (start > at) sentence.append(item.text.slice(at, start));
      sentence.append(element("mark", { textContent: item.text.slice(Math.max(start, at), Math.min(end, to)) }));
      at = Math.min(end, to);
    }
    if (at < to) sentence.append(item.text.slice(at, to));
    if (now.marking && item.text.slice(from, to).trim()) {
      Object.assign(sentence, { tabIndex: 0, role: "button" });
      sentence.setAttribute("aria-pressed", String(covered(marks, trimmed(item.text, from, to))));
    }
    return sentence;
  }));
  $("marks").hidden = !marks.length;
  $("marked").textContent = marks.length === 1 ? "1 stretch marked as evidence." : `${marks.length} stretches marked as evidence.`;
  document.body.classList.toggle("marking", now.marking);
  $("tools").querySelector("[data-act=evidence]")?.setAttribute("aria-pressed", String(now.marking));
}

function stage(pending) {
  now.pending = pending;
  const asking = pending?.ask === "mode";
  $("levels").hidden = asking;
  $("tools").hidden = asking;
  $("modes").hidden = !asking;
  hint(asking ? `${pending.level.label} – what is wrong with it?`
    : pending?.ask === "evidence" ? "Mark the words that carry the answer, then Enter." : "");
}

const hint = (words) => { if ($("hint").textContent !== words) $("hint").textContent = words; };

function saving(how, waiting) {
  const words = { saved: "All saved", saving: "Saving…", away: `Not connected · ${waiting} kept here`, out: `Signed out · ${waiting} kept here: open your link again` };
  const box = $("state");
  if (how === "saved" && waiting) how = "saving";
  if (how === "saving" && (box.dataset.state === "away" || box.dataset.state === "out")) {
    how = box.dataset.state;
    words.away = `Not connected · ${waiting} kept here`;
  }
  const set = () => {
    box.dataset.state = how;
    if (box.textContent !== words[how]) box.textContent = words[how];
  };
  clearTimeout(saving.timer);
  // what is saved within a blink needs no word of its own: nothing flickers, and nothing is read aloud
  if (how === "saving") saving.timer = setTimeout(set, 400);
  else set();
  box.dataset.waiting = String(waiting);
  if (how === "saved" && (!now.item || state.ahead.length < LOW)) {
    state.stale = state.fetching; // what is on its way may be from before this
    refill();
  }
}

function far(progress) {
  $("progress").max = progress.total || 1;
  $("progress").value = progress.done;
  $("count").textContent = `${progress.done.toLocaleString("en")} of ${progress.total.toLocaleString("en")}`;
  const said = [];
  if (progress.pace_s !== null) said.push(`${progress.pace_s < 10 ? progress.pace_s.toFixed(1) : Math.round(progress.pace_s)} s an item`);
  if (progress.left_s) said.push(`about ${progress.left_s < 90 ? "a minute" : progress.left_s < 5400 ? `${Math.round(progress.left_s / 60)} min` : `${(progress.left_s / 3600).toFixed(1)} h`} left`);
  const points = (width) => `±${(100 * width).toFixed(width < 0.1 ? 1 : 0)}`;
  if (progress.half_width !== null) {
    const more = progress.next_labels && progress.done + progress.next_labels <= progress.total
      ? `${progress.next_labels} more for ${points(progress.next_width)}` : `${points(progress.half_width_at_end)} at the end`;
    said.push(`interval ${points(progress.half_width)} points, ${more}`);
  }
  $("pace").textContent = said.join(" · ");
  $("pace").title = "Half the width of the 95% interval (Wilson) for the share of your labels above the lowest level; about your labels alone.";
  state.progress = progress;
}

// ---- the flow

function next() {
  now.item = null;
  while (state.ahead.length) {
    const item = state.ahead.shift();
    if (state.answered.has(item.task)) continue;
    show(item);
    if (state.ahead.length < LOW) refill();
    return;
  }
  wait("Fetching the next item …");
  refill();
}

function wait(words) {
  $("levels").hidden = true;
  $("item").hidden = true;
  $("end").hidden = false;
  $("end").replaceChildren(element("p", { className: "lede", textContent: words }));
}

async function refill() {
  if (state.fetching || state.done) return;
  if (state.revisit) {
    if (!now.item && !state.back && !state.ahead.length) finish();
    return;
  }
  state.fetching = true;
  const last = state.ahead[state.ahead.length - 1] ?? now.item;
  try {
    const got = await ask(`/desk/${page.desk}/items.json?after=${last ? last.position : state.last}`);
    const have = new Set([now.item?.task, ...state.ahead.map((item) => item.task)]);
    const fresh = got.items.filter((item) => !have.has(item.task) && !state.answered.has(item.task));
    state.ahead.push(...fresh);
    version(got.sheet);
    if (!now.item && !state.back) {
      if (state.ahead.length) next();
      else if (!got.items.length) {
        far(got.progress);
        finish();
      } else wait("Waiting until your last answers are saved …");
    }
  } catch (error) {
    if (!now.item && !state.back) {
      wait(error.status === 401 ? "You are signed out. Open your link again; nothing is lost." : "Not connected. Your answers are kept in this browser and will be delivered; the next item comes then.");
      setTimeout(() => { if (!now.item) refill(); }, 1500);
    }
  } finally {
    state.fetching = false;
  }
  if (state.stale) {
    state.stale = false;
    refill();
  }
}

function finish() {
  state.done = true;
  $("levels").hidden = true;
  hint("");
  const { progress } = state;
  const skipped = progress?.skipped ?? 0;
  $("item").hidden = true;
  $("end").hidden = false;
  $("end").replaceChildren(
    element("h1", { textContent: "This desk is done" }),
    element("p", { className: "lede", textContent: `${progress?.total === 1 ? "The one task has" : `All ${(progress?.total ?? 0).toLocaleString("en")} tasks have`} your answer${skipped ? `, ${skipped} of them a skip` : ""}. Thank you.` }),
    element("p", {}, ...(skipped ? [element("button", { type: "button", className: "button", id: "skipped", textContent: skipped === 1 ? "Look at the skipped one again" : `Look at the ${skipped} skipped again` })] : []),
      element("button", { type: "button", className: "quiet", data: { act: "undo" }, textContent: "Take back the last answer" })));
  $("end").focus({ preventScroll: true });
}

async function revisit() {
  try {
    const got = await ask(`/desk/${page.desk}/items.json?skipped=true`);
    state.ahead = got.items;
    for (const item of got.items) state.answered.delete(item.task);
    state.revisit = true;
    state.done = false;
    next();
  } catch {
    hint("Not connected: try again in a moment.");
  }
}

function answer(kind, more = {}) {
  const { item } = now;
  if (!item) return;
  performance.mark("evenhand:answered");
  const act = { token: random(), task: item.task, kind, grade: null, mode: "", reason: "", comment: $("note").value.slice(0, 5000),
    evidence: kind === "skip" ? [] : sent(item.text, now.marks), sheet: page.sheet_seal, shown_at: now.shownAt, active_ms: clock.read(), ...more };
  state.history.push({ item, marks: now.marks, note: act.comment, before: kind === "grade" ? levels.find((level) => level.grade === act.grade)?.name : kind });
  state.answered.add(item.task);
  state.last = item.position;
  storage.set("draft", null);
  queue.add(act);
  tabs?.postMessage({ answered: item.task });
  next();
}

function grade(level) {
  if (level.modes && sheet.modes.length) {
    stage({ level, ask: "mode" });
    $("modes").focus({ preventScroll: true });
  } else if (level.evidence === "must" && !now.marks.length) {
    stage({ level, ask: "evidence" });
    mark(true);
  } else answer("grade", { grade: level.grade });
}

function undo() {
  if (now.pending) {
    stage(null);
    return;
  }
  const before = state.history.pop();
  if (!before && queue.fails) {
    hint("Not connected: what was answered before can be taken back later.");
    return;
  }
  if (now.item) state.ahead.unshift(now.item);
  queue.add({ token: random(), task: before?.item.task ?? "", kind: "undo" });
  if (!before) {
    now.item = null;
    Object.assign(state, { back: true, done: false });
    wait("Going back …");
    return;
  }
  state.answered.delete(before.item.task);
  tabs?.postMessage({ undone: before.item.task });
  show(before.item, before);
}

function arrived(act, result, said) {
  if (act.kind === "undo" && !act.task) state.back = false;
  far(said.progress);
  version(said.sheet);
  if (!result.saved) {
    state.answered.delete(act.task);
    banner(`An answer could not be saved: ${result.what}. ${result.mend}. It will come again.`);
    return;
  }
  if (act.kind !== "undo" || act.task) return;
  if (!result.undone) {
    if (!now.item) next();
    hint("There is nothing to take back.");
    return;
  }
  const was = result.undone;
  state.answered.delete(was.task);
  if (now.item) state.ahead.unshift(now.item);
  state.ahead = state.ahead.filter((item) => item.task !== was.task);
  show(result.item, { marks: received(result.item.text, was.evidence), note: was.comment,
    before: was.kind === "grade" ? levels.find((level) => level.grade === was.grade)?.name : was.kind });
}

function version(seal) {
  if (seal === page.sheet_seal || queue.keys().length) return;
  location.reload(); // the new guideline is shown, with a word that it is new; the item comes up again
}

function banner(words) {
  $("banner").textContent = words;
  $("banner").hidden = !words;
}

// ---- evidence

function mark(on) {
  now.marking = on;
  draw();
  if (on) {
    if (!now.pending) hint("Click sentences or drag over words; or arrow keys and space. Then answer.");
    $("text").querySelector("[role=button]")?.focus({ preventScroll: true });
  } else {
    if (!now.pending) hint("");
    $("question").focus({ preventScroll: true });
  }
}

function selection() {
  const chosen = getSelection();
  if (!chosen.rangeCount || chosen.isCollapsed) return null;
  const range = chosen.getRangeAt(0);
  const box = $("text");
  if (!range.intersectsNode(box)) return null;
  const inside = document.createRange();
  inside.selectNodeContents(box);
  const length = (node, offset) => {
    const before = document.createRange();
    before.setStart(box, 0);
    before.setEnd(node, offset);
    return before.toString().length;
  };
  const start = box.contains(range.startContainer) ? length(range.startContainer, range.startOffset) : 0;
  const end = box.contains(range.endContainer) ? length(range.endContainer, range.endOffset) : now.item.text.length;
  const cut = trimmed(now.item.text, ...whole(now.item.text, start, end));
  return cut[0] < cut[1] ? cut : null;
}

function put(marks) {
  now.marks = marks;
  queue.event("changed", now.item.task, { marks: marks.length });
  keep();
  draw();
}

function toggle(i) {
  const { text } = now.item;
  const span = trimmed(text, ...now.bounds[i]);
  if (span[0] >= span[1]) return;
  put(covered(now.marks, span) ? without(now.marks, span) : joined(now.marks, span));
  $("text").querySelector(`[data-i="${i}"]`)?.focus({ preventScroll: true });
}

function evidence() {
  const chosen = now.item && selection();
  if (chosen) {
    getSelection().removeAllRanges();
    put(covered(now.marks, chosen) ? without(now.marks, chosen) : joined(now.marks, chosen));
  } else if (now.item) mark(!now.marking);
}

function step(by) {
  const all = [...$("text").querySelectorAll("[role=button]")];
  const at = all.indexOf(document.activeElement);
  all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
}

const keep = () => now.item && storage.set("draft", { task: now.item.task, marks: now.marks, note: $("note").value });

// ---- acts

const acts = {
  "cannot-tell": () => answer("cannot-tell"),
  evidence,
  undo,
  skip() {
    if (!now.item) return;
    $("reason").value = "";
    $("skip").showModal();
    $("reasons").querySelector("button").focus();
  },
  note() {
    $("note-line").hidden = false;
    $("note").focus();
  },
  guide() {
    $("guide").open = !$("guide").open;
    queue.event("guideline", now.item?.task, { open: $("guide").open });
    if ($("guide").open && innerWidth < 1000) $("guide").scrollIntoView({ block: "start" });
  },
  help() {
    bindings();
    $("help").showModal();
  },
};

function perform(name) {
  if (name.startsWith("level:")) {
    if (now.item) grade(levels[Number(name.slice(6))]);
  } else acts[name]();
}

function mode(name) {
  const { level } = now.pending;
  answer("grade", { grade: level.grade, mode: name });
}

function skip(reason) {
  if (!reason.trim()) {
    $("reason").focus();
    return;
  }
  $("skip").close();
  answer("skip", { reason: reason.trim() });
}

function bindings(waiting = "") {
  $("bindings").replaceChildren(element("table", {}, element("tbody", {}, ...keys.acts.map((act) => element("tr", {},
    element("th", { scope: "row", textContent: act.label }),
    element("td", {}, element("button", { type: "button", className: "key", data: { bind: act.name }, textContent: act.name === waiting ? "press a key" : shown(keys.key(act.name)), ariaLabel: `Change the key of ${act.label}, now ${keys.key(act.name)}` })))))));
  now.held = waiting || null;
  if (waiting) $("bindings").querySelector(`[data-bind="${waiting}"]`).focus();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (now.held && $("help").open) {
    event.preventDefault();
    if (event.key === "Shift") return;
    $("binding-said").textContent = event.key === "Escape" ? "Nothing changed." : keys.set(now.held, event.key) || "Changed.";
    const name = now.held;
    bindings();
    furnish();
    $("bindings").querySelector(`[data-bind="${name}"]`).focus();
    return;
  }
  const typing = event.target.matches("input, textarea");
  if ($("skip").open) {
    const n = Number(event.key) - 1;
    if (!typing && REASONS[n] && !event.repeat) {
      event.preventDefault();
      skip(REASONS[n]);
    } else if (typing && event.key === "Enter") {
      event.preventDefault();
      skip($("reason").value);
    }
    return;
  }
  if ($("help").open) return;
  if (typing) {
    if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey)) {
      event.preventDefault();
      $("question").focus({ preventScroll: true });
    }
    return;
  }
  if (now.pending?.ask === "mode") {
    const chosen = sheet.modes.find((one) => one.key === event.key) ?? sheet.modes.find((one) => one.key === event.key.toLowerCase());
    const own = event.target.closest?.("#modes button") && event.key === "Enter";
    if (own || event.key === "Tab" || event.key === " ") return;
    event.preventDefault();
    if (event.repeat) return;
    if (event.key === "Escape" || event.key === "Backspace" || (!chosen && keys.act(event.key) === "undo")) {
      stage(null);
      $("question").focus({ preventScroll: true });
    } else if (event.key === "Enter") mode("");
    else if (chosen) mode(chosen.name);
    return;
  }
  if (now.marking) {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const at = event.target.closest?.(".sentence");
    if (by) {
      event.preventDefault();
      step(by);
      return;
    }
    if (at && event.key === " ") {
      event.preventDefault();
      toggle(Number(at.dataset.i));
      return;
    }
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      const { pending } = now;
      if (event.key === "Enter" && pending?.ask === "evidence") {
        if (now.marks.length) answer("grade", { grade: pending.level.grade });
        return;
      }
      stage(null);
      mark(false);
      return;
    }
  }
  if (event.key === "Enter" || event.key === " " || event.key === "Tab") return;
  const name = keys.act(event.key) ?? (event.key === "Backspace" ? "undo" : undefined);
  if (!name) return;
  event.preventDefault();
  if (!event.repeat) perform(name); // a key that is held down is one act
});

let clicked = -CLICK;
addEventListener("click", (event) => {
  const target = event.target.closest("button, .sentence");
  if (!target) return;
  if (target.matches(".sentence")) {
    if (now.marking && getSelection().isCollapsed) toggle(Number(target.dataset.i));
    return;
  }
  const { act, mode: chosen, back, bind } = target.dataset;
  if ("close" in target.dataset) target.closest("dialog").close();
  if (bind) bindings(bind);
  if (act === undefined && chosen === undefined && !back) return;
  // the second click of a double click would land on the next item
  const goes = chosen !== undefined || act === "undo" || act === "cannot-tell" || act?.startsWith("level:");
  const twice = event.detail > 1 || (event.detail > 0 && event.timeStamp - clicked < CLICK);
  if (goes && twice) return;
  if (goes && event.detail > 0) clicked = event.timeStamp;
  if (back) stage(null);
  else if (chosen !== undefined) mode(chosen);
  else perform(act);
});
for (const name of ["evidence"]) $("tools").addEventListener("pointerdown", (event) => {
  if (event.target.closest(`[data-act=${name}]`)) event.preventDefault(); // keep the selection
});
addEventListener("pointerup", (event) => {
  if (now.marking && now.item && event.target.closest?.("#text")) setTimeout(() => {
    const chosen = selection();
    if (chosen) {
      getSelection().removeAllRanges();
      put(joined(now.marks, chosen));
    }
  });
});
$("unmark").addEventListener("click", () => put([]));
$("note").addEventListener("input", keep);
$("skip-go").addEventListener("click", () => skip($("reason").value));
$("reset").addEventListener("click", () => { keys.reset(); bindings(); furnish(); });
$("end").addEventListener("click", (event) => { if (event.target.id === "skipped") revisit(); });
$("reasons").replaceChildren(...REASONS.map((reason, i) => {
  const made = element("button", { type: "button" }, element("kbd", { textContent: String(i + 1), ariaHidden: "true" }), element("span", { textContent: reason }));
  made.addEventListener("click", () => skip(reason));
  return made;
}));
tabs?.addEventListener("message", ({ data }) => {
  if (data.undone) state.answered.delete(data.undone);
  if (!data.answered) return;
  state.answered.add(data.answered);
  state.ahead = state.ahead.filter((item) => item.task !== data.answered);
  if (now.item?.task === data.answered && !now.pending && !now.marks.length) next();
});

// ---- begin

const guideline = document.createElement("template");
guideline.innerHTML = page.guideline_html; // made by the server from Markdown, without raw HTML
for (const link of guideline.content.querySelectorAll("a")) Object.assign(link, { rel: "noreferrer noopener", target: "_blank" });
$("guideline").append(guideline.content);
if (innerWidth < 1000) $("guide").open = false;
const version_ = storage.get("sheet");
if (version_ && version_ !== page.sheet_seal) {
  banner("The guideline has changed since you were here last. Please read it before you go on.");
  $("guide").open = true;
}
storage.set("sheet", page.sheet_seal);
furnish();
modes();
far(page.progress);
for (const act of queue.waiting()) if (act.task && act.kind !== "undo") state.answered.add(act.task);
queue.event("opened");
queue.flush();
const draft = storage.get("draft");
const first = state.ahead.find((item) => !state.answered.has(item.task));
next();
if (draft && first && draft.task === first.task && now.item?.task === draft.task) {
  const length = first.text.length;
  now.marks = (draft.marks ?? []).filter(([start, end]) => start < end && end <= length);
  $("note").value = draft.note ?? "";
  $("note-line").hidden = !$("note").value;
  draw();
}
document.documentElement.dataset.ready = "1";
