// The confirm dialog of a button or menu.

import { byId, h } from "./dom.js";
import { textObject } from "./text.js";

export function confirmed(wanted, people) {
  if (!wanted) return Promise.resolve(true);
  const dialog = byId("confirm");
  return new Promise((resolve) => {
    const answer = (yes) => () => {
      dialog.onclose = null;
      dialog.close();
      resolve(yes);
    };
    dialog.onclose = () => resolve(false);
    dialog.replaceChildren(
      h("header", { class: "modal-head" }, h("h2", { id: "confirm-title" }, wanted.title.text)),
      h("div", { class: "modal-body" }, textObject(wanted.text, people)),
      h("footer", { class: "modal-foot" },
        h("button", { type: "button", class: "button", onclick: answer(false) }, wanted.deny.text),
        h("button", { type: "button", class: `button ${wanted.style ?? "primary"}`, onclick: answer(true) }, wanted.confirm.text)),
    );
    dialog.showModal();
  });
}
