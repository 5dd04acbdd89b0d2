// An item, its passages and what checks found, drawn letter for letter.

import { $, element } from "./dom.js";
import { units } from "./text.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const KINDS = { answer: "Answer", "multiple-choice": "Multiple choice", "short-answer": "Short answer" };
const MARK = { true: "passes", false: "fails", null: "undecided" };

const bare = (marker) => String(marker).replace(/^[[(【\s]+|[\])】\s]+$/g, "");

// citations that stand in the text are set off in it, the others are listed below
function cutAtCitations(text, citations) {
  const placed = citations.filter((one) => one.start !== null && one.end !== null && one.end > one.start)
    .map((one) => [units(text, one.start), units(text, one.end), one.marker]).sort((a, b) => a[0] - b[0]);
  const parts = [];
  let at = 0;
  for (const [start, end, marker] of placed) {
    if (start < at || end > text.length) continue;
    parts.push(text.slice(at, start), element("span", { className: "cite", textContent: text.slice(start, end), data: { marker: bare(marker) } }));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.filter((part) => part !== "");
}

export function drawItem(item) {
  const about = item.kind === "answer" ? "Question" : "Topic";
  $("eyebrow").textContent = `${KINDS[item.kind]} · item ${item.position + 1} of ${item.total}`;
  $("ask").replaceChildren(element("small", { textContent: `${about}: ` }), element("bdi", { textContent: item.ask }));
  $("item-text").replaceChildren(...cutAtCitations(item.text, item.citations));
  const bad = item.key !== null && !(item.key in item.options);
  $("options").hidden = !item.options.length;
  $("options").replaceChildren(...item.options.map((option, i) => element("li", { className: i === item.key ? "keyed" : "" },
    element("b", { textContent: LETTERS[i] ?? String(i + 1) }), element("span", { textContent: option, dir: "auto" }),
    ...(i === item.key ? [element("small", { textContent: "key" })] : []))));
  const key = item.kind === "short-answer" ? item.answer || "none given"
    : item.kind === "multiple-choice" && bad ? `${item.key + 1}, which is no option`
      : item.kind === "multiple-choice" && item.key === null ? "none given" : "";
  $("key").hidden = !key;
  $("key").replaceChildren(element("small", { textContent: "Key " }), element("span", { textContent: key, dir: "auto" }));
  const cited = new Set(item.citations.map((one) => bare(one.marker)));
  const loose = item.citations.filter((one) => one.start === null || one.quote);
  $("cites").hidden = !loose.length && item.citations.length > 0;
  $("cites").replaceChildren(element("small", { textContent: item.citations.length ? "Cites " : "Cites nothing" }),
    ...loose.flatMap((one, i) => [i ? ", " : "", element("span", { className: "cite", textContent: one.marker, dir: "auto" }),
      ...(one.quote ? [" ", element("q", { textContent: one.quote, dir: "auto" })] : [])]));
  $("passages").replaceChildren(...item.passages.map((passage) => {
    const own = cited.has(bare(passage.marker));
    return element("article", { className: own ? "passage cited" : "passage" },
      element("h3", {}, element("b", { textContent: passage.marker || "–" }), element("span", { textContent: passage.title, dir: "auto" }),
        ...(own ? [element("small", { textContent: "cited" })] : [])),
      element("p", { textContent: passage.text, dir: "auto" }));
  }));
  $("none").hidden = item.passages.length > 0;
}

export function drawChecks(found) {
  $("checks").hidden = !found;
  if (!found) {
    $("findings").replaceChildren();
    return;
  }
  $("findings").replaceChildren(...found.findings.map((one) => element("li", { data: { passed: String(one.passed) } },
    element("span", { className: "asks", textContent: one.asks }), element("b", { textContent: MARK[one.passed] }),
    ...(one.why ? [element("small", { textContent: one.why, dir: "auto" })] : []),
    ...(one.missing.length ? [element("small", { textContent: `not found: ${one.missing.join(" · ")}`, dir: "auto" })] : []))));
  if (!found.findings.length) $("findings").replaceChildren(element("li", { textContent: "No check was made of this item." }));
}
