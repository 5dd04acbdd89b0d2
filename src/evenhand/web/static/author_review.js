// One question: accept it or reject it; to change it is done beside its document.

import { keyed, send, told } from "./author_send.js";
import { $, element } from "./dom.js";

const page = JSON.parse($("data").textContent);

const held = `evenhand:author:${page.gold}:${page.question.id}:reason`;
const hold = (words) => { try { if (words) localStorage.setItem(held, words); else localStorage.removeItem(held); } catch { /* not kept */ } };

async function decide(act) {
  const reason = $("reason").value;
  if (act === "reject" && !reason.trim()) {
    $("said").replaceChildren(element("p", { className: "banner", textContent: "Say why it is rejected: the reason goes into its history." }));
    $("reason").focus();
    return;
  }
  const buttons = [$("accept"), $("reject")];
  const were = buttons.map((one) => one.disabled);
  for (const one of buttons) one.disabled = true;
  try {
    const saved = await send("/author/save.json", { mark: page.mark, do: act, id: page.question.id, reason });
    hold("");
    location.replace(saved.href);
  } catch (error) {
    buttons.forEach((one, i) => { one.disabled = were[i]; });
    $("said").replaceChildren(element("p", { className: "banner", textContent: error.status === 409 ? `${page.gold} has changed meanwhile. Reload the page, look at the question as it is now, and decide again; your reason is kept.` : told(error) }));
  }
}

if ($("accept")) {
  try { $("reason").value = localStorage.getItem(held) ?? ""; } catch { /* none */ }
  $("reason").addEventListener("input", () => hold($("reason").value));
  $("accept").addEventListener("click", () => decide("accept"));
  $("reject").addEventListener("click", () => decide("reject"));
  keyed({ a: "accept", r: "reject", c: "change", n: "next" });
}
document.documentElement.dataset.ready = "1";
