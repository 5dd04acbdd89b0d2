// Offsets: the browser counts UTF-16 units, the server code points. Sentences and what may not be cut.

export function points(text, units) {
  let n = 0;
  for (let i = 0; i < units; n += 1) i += text.codePointAt(i) > 0xffff ? 2 : 1;
  return n;
}

export function units(text, points_) {
  let i = 0;
  for (let n = 0; n < points_ && i < text.length; n += 1) i += text.codePointAt(i) > 0xffff ? 2 : 1;
  return i;
}

function pieces(text, granularity) {
  if (typeof Intl === "undefined" || !Intl.Segmenter) return null;
  return new Intl.Segmenter(undefined, { granularity }).segment(text);
}

// [start, end) of each sentence; together they are the whole text. A line break ends one, too.
export function sentences(text) {
  const found = [];
  const cut = (start, end) => {
    let at = start;
    for (const hit of text.slice(start, end).matchAll(/(\r\n|\n|\r)+/g)) {
      const stop = start + hit.index + hit[0].length;
      found.push([at, stop]);
      at = stop;
    }
    if (at < end) found.push([at, end]);
  };
  const segments = pieces(text, "sentence");
  if (segments) for (const one of segments) cut(one.index, one.index + one.segment.length);
  else {
    let at = 0;
    for (const hit of text.matchAll(/[.!?…。！？]+["'”’)\]]*\s+/g)) {
      cut(at, hit.index + hit[0].length);
      at = hit.index + hit[0].length;
    }
    cut(at, text.length);
  }
  return found;
}

// Outwards to whole characters as people see them: no emoji, accent or CRLF is cut in two.
export function whole(text, start, end) {
  const around = pieces(text, "grapheme");
  if (around) {
    const first = around.containing(start);
    const last = end > start ? around.containing(end - 1) : null;
    return [first ? first.index : start, last ? last.index + last.segment.length : end];
  }
  const low = (i) => i > 0 && i < text.length && text.charCodeAt(i) >= 0xdc00 && text.charCodeAt(i) <= 0xdfff;
  return [low(start) ? start - 1 : start, low(end) ? end + 1 : end];
}

export function trimmed(text, start, end) {
  while (start < end && /\s/.test(text[start])) start += 1;
  while (end > start && /\s/.test(text[end - 1])) end -= 1;
  return [start, end];
}

// Marks: disjoint [start, end) in order.
export function joined(marks, add) {
  const all = [...marks, add].sort((a, b) => a[0] - b[0]);
  const out = [];
  for (const [start, end] of all) {
    const last = out[out.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}

export function without(marks, [from, to]) {
  const out = [];
  for (const [start, end] of marks) {
    if (end <= from || start >= to) out.push([start, end]);
    else {
      if (start < from) out.push([start, from]);
      if (end > to) out.push([to, end]);
    }
  }
  return out;
}

export const covered = (marks, [from, to]) => marks.some(([start, end]) => start <= from && end >= to);

export function sent(text, marks) {
  return marks.map(([start, end]) => ({
    start: points(text, start), end: points(text, end), quote: text.slice(start, end),
  }));
}

export const received = (text, evidence) =>
  evidence.map((mark) => [units(text, mark.start), units(text, mark.end)]);

export function random() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}
