// Sends JSON to the server; what it refuses comes back as an error with `what` and `mend`.

export async function send(url, content) {
  let answer;
  try {
    answer = await fetch(url, {
      method: "POST", credentials: "same-origin", headers: { "content-type": "application/json" }, body: JSON.stringify(content),
    });
  } catch {
    throw Object.assign(new Error("away"), { status: 0, what: "the server cannot be reached", mend: "try again in a moment; nothing is lost" });
  }
  let said = {};
  try { said = await answer.json(); } catch { /* no JSON */ }
  if (!answer.ok) throw Object.assign(new Error("refused"), { status: answer.status, what: said.what ?? "that did not work", mend: said.mend ?? "reload the page" });
  return said;
}

const upper = (words) => words.charAt(0).toUpperCase() + words.slice(1);
export const told = (error) => `${upper(error.what)}. ${upper(error.mend)}.`;
export const typing = (target) => target.matches?.("input, textarea, select");

// a click on the button for a key that is pressed outside of a field
export function keyed(keys) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat || typing(event.target)) return;
    const target = document.getElementById(keys[event.key]);
    if (!target || target.disabled) return;
    event.preventDefault();
    target.click();
  });
}
