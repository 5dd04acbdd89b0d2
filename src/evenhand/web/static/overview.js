import { post } from "./queue.js";

const said = document.getElementById("said");
for (const button of document.querySelectorAll("button.revoke")) {
  button.addEventListener("click", async () => {
    if (button.dataset.sure !== "1") {
      button.dataset.sure = "1";
      button.textContent = "Sure? End it";
      setTimeout(() => { if (button.isConnected) { delete button.dataset.sure; button.textContent = "End this link"; } }, 5000);
      return;
    }
    button.disabled = true;
    try {
      await post(`/access/${button.dataset.access}/revoke.json`, {});
      const cell = button.parentElement;
      button.remove();
      cell.textContent = "ended just now";
      said.textContent = `The link of ${button.dataset.name} is ended.`;
    } catch {
      button.disabled = false;
      said.textContent = "That did not work; reload the page and try again.";
    }
  });
}
document.documentElement.dataset.ready = "1";
