// The rubric desk: one key answers a question of the rubric and goes to the next, and at the last to the next item.

import { Clock } from "./clock.js";
import { $, element } from "./dom.js";
import { Keys, shown } from "./keys.js";
import { Queue, ask, post } from "./queue.js";
import { drawChecks, drawItem } from "./rubric_item.js";
import { random } from "./text.js";

const page = JSON.parse($("data").textContent);
const here = `/rubric/${page.desk}`;
const fields = Object.fromEntries(page.rubric.fields.map((field) => [field.name, field]));
const REASONS = ["The item is broken or empty", "It is in a language I do not read well", "I wrote it, or know its author", "It cannot be judged from what is shown"];
const LOW = 4; // items ahead below which more are fetched
const CLICK = 300; // ms within which a second click is the same act

const now = { item: null, field: null, shownAt: "", held: null, seen: null };
const state = { ahead: [...page.items], done: new Set(), history: [], fetching: false, stale: false, back: false, finished: false, revisit: false, progress: page.progress };
const queue = new Queue(`rubric:${page.desk}`, { arrived, state: saving, at: here });
const clock = new Clock((kind, body) => queue.event(kind, now.item?.task, body));
const keys = new Keys([
  { name: "level:yes", label: "yes", key: "y" }, { name: "level:no", label: "no", key: "n" },
  { name: "level:cannot-tell", label: "cannot tell", key: "c" },
  { name: "undo", label: "undo", key: "u" }, { name: "field-next", label: "next question", key: "j" },
  { name: "field-before", label: "question before", key: "k" }, { name: "item-next", label: "next item", key: "ArrowRight" },
  { name: "item-before", label: "item before", key: "ArrowLeft" }, { name: "skip", label: "skip", key: "s" },
  { name: "note", label: "comment", key: "m" }, { name: "checks", label: "checks", key: "v" },
  { name: "guide", label: "guideline", key: "g" }, { name: "help", label: "keys", key: "?" },
]);

// ---- what is on the screen

function button(name, label, extra) {
  const made = element("button", { type: "button", className: extra, data: { act: name } },
    element("kbd", { textContent: shown(keys.key(name)), ariaHidden: "true" }), element("span", { textContent: label }));
  made.setAttribute("aria-keyshortcuts", keys.key(name));
  return made;
}

function furnish() {
  $("tools").replaceChildren(...["undo", "item-before", "item-next", "note", "skip", "checks", "guide", "help"].map((name) =>
    button(name, keys.acts.find((act) => act.name === name).label, "tool")));
  drawFields();
}

const words = (field, said) => (said === "yes" ? field.yes : said === "no" ? field.no : said === "cannot-tell" ? "cannot tell" : "");

function drawFields() {
  const { item } = now;
  const field = item && fields[now.field];
  $("question").textContent = field ? field.ask[item.kind] : item ? "All questions are answered." : "";
  $("levels").hidden = !field;
  if (field) {
    $("levels").replaceChildren(button("level:yes", field.yes, "level"), button("level:no", field.no, "level"), button("level:cannot-tell", "cannot tell", "level other"));
    for (const one of $("levels").children) one.classList.toggle("before", one.dataset.act === `level:${item.given[now.field]}`);
  }
  $("fields").replaceChildren(...(item ? item.fields : []).map((name) => {
    const said = item.given[name] ?? "";
    const made = element("button", { type: "button", data: { field: name, said } }, element("span", { textContent: fields[name].label }), element("span", { textContent: words(fields[name], said) || "–" }));
    if (name === now.field) made.setAttribute("aria-current", "step");
    return element("li", {}, made);
  }));
}

const hint = (text) => { if ($("hint").textContent !== text) $("hint").textContent = text; };
const open = (item) => item.fields.find((name) => !(name in item.given)) ?? null;
const over = (item) => item.skipped !== "" || open(item) === null;

function show(item, field = open(item)) {
  performance.mark("evenhand:shown");
  Object.assign(now, { item, field, shownAt: new Date().toISOString(), seen: null });
  state.finished = false;
  $("item").hidden = false;
  $("end").hidden = true;
  drawItem(item);
  drawChecks(null);
  $("note").value = item.comment;
  $("note-line").hidden = !item.comment;
  hint(item.skipped ? `Skipped: ${item.skipped}` : "");
  drawFields();
  clock.begin();
  queue.event("shown", item.task);
  scrollTo(0, 0);
  if (!document.querySelector("dialog[open]")) $("ask").focus({ preventScroll: true });
  look();
}

function saving(how, waiting) {
  const said = { saved: "All saved", saving: "Saving…", away: `Not connected · ${waiting} kept here`, out: `Signed out · ${waiting} kept here: open your link again` };
  const set = () => {
    $("state").dataset.state = how;
    if ($("state").textContent !== said[how]) $("state").textContent = said[how];
  };
  if (how === "saved" && waiting) how = "saving";
  clearTimeout(saving.timer);
  if (how === "saving") saving.timer = setTimeout(set, 400);
  else set();
  $("state").dataset.waiting = String(waiting);
  if (how === "saved" && (!now.item || state.ahead.length < LOW)) {
    state.stale = state.fetching; // what is on its way may be from before this
    refill();
  }
}

function far(progress) {
  state.progress = progress;
  $("progress").max = progress.total || 1;
  $("progress").value = progress.done;
  $("count").textContent = `${progress.done.toLocaleString("en")} of ${progress.total.toLocaleString("en")}`;
  const said = [];
  if (progress.pace_s !== null) said.push(`${Math.round(progress.pace_s)} s an item`);
  if (progress.left_s) said.push(`about ${progress.left_s < 90 ? "a minute" : progress.left_s < 5400 ? `${Math.round(progress.left_s / 60)} min` : `${(progress.left_s / 3600).toFixed(1)} h`} left`);
  $("pace").textContent = said.join(" · ");
}

// ---- the checks: asked for when the item is rated as far as it must be, or early and on the record

const timely = (item) => (page.hide === "item" ? over(item) : "faithful" in item.given);

async function look(early = false) {
  const { item } = now;
  if (!item || now.seen || !(early || timely(item))) return;
  if (queue.keys().length) { // the server must know first what was said before it
    if (early) hint("Your last answers are being saved: try again in a moment.");
    return;
  }
  try {
    const found = await post(`${here}/checks.json`, { token: random(), task: item.task, early });
    if (now.item !== item) return;
    now.seen = found;
    drawChecks(found);
    if (found.early) hint("The checks are on screen: this is recorded.");
  } catch (error) {
    if (now.item === item) hint(error.status ? "The checks cannot be shown." : `Not connected: press ${shown(keys.key("checks"))} for the checks in a moment.`);
  }
}

// ---- the flow

function next() {
  now.item = null;
  now.field = null;
  drawFields();
  while (state.ahead.length) {
    const item = state.ahead.shift();
    if (state.done.has(item.task)) continue;
    show(item);
    if (state.ahead.length < LOW) refill();
    return;
  }
  wait("Fetching the next item …");
  refill();
}

function wait(text) {
  $("item").hidden = true;
  $("checks").hidden = true;
  $("end").hidden = false;
  $("end").replaceChildren(element("p", { className: "lede", textContent: text }));
}

async function refill() {
  if (state.fetching || state.finished) return;
  if (state.revisit) {
    if (!now.item && !state.back && !state.ahead.length) finish();
    return;
  }
  state.fetching = true;
  const last = state.ahead[state.ahead.length - 1] ?? now.item;
  try {
    const got = await ask(`${here}/items.json?after=${last ? last.position : -1}`);
    if (got.sheet !== page.sheet && !queue.keys().length) location.reload();
    const have = new Set([now.item?.task, ...state.ahead.map((item) => item.task)]);
    state.ahead.push(...got.items.filter((item) => !have.has(item.task) && !state.done.has(item.task)));
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
  state.finished = true;
  const { total, skipped } = state.progress;
  wait("");
  $("end").replaceChildren(
    element("h1", { textContent: "This desk is done" }),
    element("p", { className: "lede", textContent: `${total === 1 ? "The one item has" : `All ${total.toLocaleString("en")} items have`} your rating${skipped ? `, ${skipped} of them a skip` : ""}. Thank you.` }),
    element("p", {}, ...(skipped ? [element("button", { type: "button", className: "button", id: "skipped", textContent: skipped === 1 ? "Look at the skipped one again" : `Look at the ${skipped} skipped again` })] : []),
      element("button", { type: "button", className: "quiet", data: { act: "undo" }, textContent: "Take back the last answer" })));
  hint("");
  $("end").focus({ preventScroll: true });
}

async function fetched(query, use) {
  try {
    use(await ask(`${here}/items.json?${query}`));
  } catch {
    hint("Not connected: try again in a moment.");
  }
}

function put(act) {
  const full = { token: random(), task: now.item.task, ...act };
  if (act.act === "rate") Object.assign(full, { sheet: page.sheet, shown_at: now.shownAt, active_ms: clock.read() });
  queue.add(full);
}

function rate(said) {
  const { item, field } = now;
  if (!item || !field) return;
  performance.mark("evenhand:answered");
  const again = over(item) && !item.skipped; // a finished item is gone through once more
  if (item.given[field] !== said || item.skipped) {
    put({ act: "rate", field, said });
    state.history.push({ item, field });
    if (field in item.given) queue.event("changed", item.task, { field });
    item.given[field] = said;
    item.skipped = "";
    clock.begin();
  }
  now.shownAt = new Date().toISOString();
  const after = item.fields.slice(item.fields.indexOf(field) + 1);
  const rest = after.find((name) => again || !(name in item.given)) ?? open(item);
  if (rest === null) {
    state.done.add(item.task);
    next();
    return;
  }
  now.field = rest;
  hint("");
  drawFields();
}

function undo() {
  const before = state.history.pop();
  if (!before && queue.fails) {
    hint("Not connected: what was answered before can be taken back later.");
    return;
  }
  queue.add({ token: random(), task: before?.item.task ?? "", field: before?.field ?? "", act: "undo" });
  if (now.item && before?.item !== now.item) state.ahead.unshift(now.item);
  if (!before) {
    Object.assign(state, { back: true, finished: false });
    now.item = null;
    wait("Going back …");
    return;
  }
  const { item, field } = before;
  state.done.delete(item.task);
  if (field) delete item.given[field];
  else item.skipped = "";
  show(item, field || open(item));
  hint("Taken back. Answer anew.");
}

function arrived(act, result, said) {
  if (act.act === "undo" && !act.task) state.back = false;
  far(said.progress);
  if (said.sheet !== page.sheet && !queue.keys().length) location.reload();
  if (!result.saved) {
    state.done.delete(act.task);
    $("banner").textContent = `An answer could not be saved: ${result.what}. ${result.mend}. It will come again.`;
    $("banner").hidden = false;
    return;
  }
  if (act.act === "undo") {
    if (!result.undone) {
      hint("There is nothing to take back.");
      if (!now.item) next();
      return;
    }
    const { item, undone } = result;
    state.done.delete(item.task);
    // what the server says stands, but for answers given since, which wait in the queue
    if (queue.keys().some((key) => queue.read(key)?.task === item.task)) return;
    if (now.item?.task === item.task) {
      Object.assign(now.item, { given: item.given, skipped: item.skipped });
      drawFields();
    } else if (!now.item) {
      state.ahead = state.ahead.filter((one) => one.task !== item.task);
      show(item, undone.field || open(item));
      hint("Taken back. Answer anew.");
    }
    return;
  }
  if (now.item?.task === act.task) setTimeout(look); // when the queue is empty
}

function move(by) {
  const { item } = now;
  if (!item) return;
  const at = item.position + by;
  if (at < 0 || at >= item.total) return;
  fetched(`at=${at}`, (got) => {
    if (!got.items.length) return;
    const [found] = got.items;
    if (now.item && !over(now.item) && !state.ahead.some((one) => one.task === now.item.task)) state.ahead.unshift(now.item);
    state.ahead = state.ahead.filter((one) => one.task !== found.task);
    show(found, open(found) ?? found.fields[0]);
  });
}

function step(by) {
  if (!now.item) return;
  const all = now.item.fields;
  now.field = all[Math.max(0, Math.min(all.length - 1, (now.field ? all.indexOf(now.field) : -1) + by))];
  drawFields();
}

const acts = {
  undo,
  "field-next": () => step(1),
  "field-before": () => step(-1),
  "item-next": () => move(1),
  "item-before": () => move(-1),
  skip() {
    if (!now.item) return;
    $("reason").value = "";
    $("skip").showModal();
    $("reasons").querySelector("button").focus();
  },
  note() {
    if (!now.item) return;
    $("note-line").hidden = false;
    $("note").focus();
  },
  checks() {
    if (!now.item || now.seen) return;
    if (timely(now.item)) look();
    else {
      $("early").showModal();
      $("early").querySelector("[data-close]").focus(); // Enter alone shows nothing
    }
  },
  guide() {
    $("guide").open = !$("guide").open;
    queue.event("guideline", now.item?.task, { open: $("guide").open });
    if ($("guide").open) $("guide").scrollIntoView({ block: "nearest" });
  },
  help() {
    bindings();
    $("help").showModal();
  },
};

function perform(name) {
  if (name.startsWith("level:")) rate(name.slice(6));
  else acts[name]();
}

function skip(reason) {
  if (!reason.trim()) {
    $("reason").focus();
    return;
  }
  $("skip").close();
  const { item } = now;
  put({ act: "skip", reason: reason.trim() });
  item.skipped = reason.trim();
  state.history.push({ item, field: "" });
  state.done.add(item.task);
  next();
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
    bindings();
    furnish();
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
  if (document.querySelector("dialog[open]")) return;
  if (typing) {
    if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey)) {
      event.preventDefault();
      $("ask").focus({ preventScroll: true });
    }
    return;
  }
  if (event.key === "Enter" || event.key === " " || event.key === "Tab") return;
  const name = keys.act(event.key) ?? (event.key === "Backspace" ? "undo" : undefined);
  if (!name) return;
  event.preventDefault();
  if (!event.repeat) perform(name); // a key that is held down is one act
});

let clicked = -CLICK;
addEventListener("click", (event) => {
  const target = event.target.closest("button");
  if (!target) return;
  const { act, field, bind } = target.dataset;
  if ("close" in target.dataset) target.closest("dialog").close();
  if (bind) bindings(bind);
  if (field && now.item) {
    now.field = field;
    drawFields();
  }
  if (act === undefined) return;
  // the second click of a double click would answer the next question
  const goes = act === "undo" || act.startsWith("level:");
  if (goes && (event.detail > 1 || (event.detail > 0 && event.timeStamp - clicked < CLICK))) return;
  if (goes && event.detail > 0) clicked = event.timeStamp;
  perform(act);
});
$("note").addEventListener("change", () => {
  if (!now.item || $("note").value === now.item.comment) return;
  now.item.comment = $("note").value;
  put({ act: "comment", comment: $("note").value.slice(0, 5000) });
});
$("early-go").addEventListener("click", () => { $("early").close(); look(true); });
$("skip-go").addEventListener("click", () => skip($("reason").value));
$("reset").addEventListener("click", () => { keys.reset(); bindings(); furnish(); });
$("end").addEventListener("click", (event) => {
  if (event.target.id !== "skipped") return;
  fetched("skipped=true", (got) => {
    state.ahead = got.items;
    for (const item of got.items) state.done.delete(item.task);
    Object.assign(state, { revisit: true, finished: false });
    next();
  });
});
$("reasons").replaceChildren(...REASONS.map((reason, i) => {
  const made = element("button", { type: "button" }, element("kbd", { textContent: String(i + 1), ariaHidden: "true" }), element("span", { textContent: reason }));
  made.addEventListener("click", () => skip(reason));
  return made;
}));

// ---- begin

const guideline = document.createElement("template");
guideline.innerHTML = page.guideline_html; // made by the server from Markdown, without raw HTML
$("guideline").append(guideline.content);
furnish();
far(page.progress);
// what waits in this browser has been said, though the server does not know it yet
for (const act of queue.waiting()) {
  const item = state.ahead.find((one) => one.task === act.task);
  if (item && act.act === "rate") item.given[act.field] = act.said;
  if (item && act.act === "skip") item.skipped = act.reason;
}
for (const item of state.ahead) if (over(item)) state.done.add(item.task);
queue.event("opened");
queue.flush();
next();
document.documentElement.dataset.ready = "1";
