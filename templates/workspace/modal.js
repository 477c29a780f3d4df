// The modal in front: a native dialog, redrawn when the app changes the view.

import { renderBlocks } from "./blocks.js";
import { byId, h } from "./dom.js";
import { hasLabel, label } from "./labels.js";

const dialog = byId("modal");
let shown = null;

// actions: {context(view), busy(), fill, submit, close}
export function drawModal(state, actions) {
  const view = state.modals.at(-1);
  if (!view) {
    shown = null;
    if (dialog.open) dialog.close();
    return;
  }
  const signature = JSON.stringify([view.id, view.hash, view.errors, view.notice, document.documentElement.lang]);
  const same = shown?.id === view.id;
  // What is on its way to the workspace comes back with the next state: redraw then.
  if (signature === shown?.signature || (same && actions.busy())) return;
  const held = same ? holdFocus() : {};
  const scroll = same ? dialog.querySelector(".modal-body")?.scrollTop ?? 0 : 0;
  shown = { signature, id: view.id };
  fillDialog(view, actions);
  if (!dialog.open) dialog.showModal();
  dialog.querySelector(".modal-body").scrollTop = scroll;
  settleFocus(held);
}

// Remember the field in use, with what stands in it.
function holdFocus() {
  const active = document.activeElement;
  if (!dialog.contains(active)) return {};
  const typed = active.matches("input:not([type=checkbox], [type=radio]), textarea") ? active.value : null;
  return { mark: active.dataset.focus, typed };
}

function settleFocus({ mark, typed }) {
  const wrong = dialog.querySelector("[aria-invalid=true]");
  const same = mark ? dialog.querySelector(`[data-focus="${CSS.escape(mark)}"]`) : null;
  if (same && typed !== null && same.value !== typed) {
    same.value = typed;
    same.dispatchEvent(new Event("change"));
  }
  (wrong ?? same ?? dialog.querySelector(".modal-body :is(input,select,textarea)") ?? dialog.querySelector("button"))?.focus();
}

function fillDialog(view, actions) {
  const errors = Object.fromEntries(Object.entries(view.errors).map(([id, code]) =>
    [id, hasLabel(`problem_${code}`) ? label(`problem_${code}`) : code]));
  const context = {
    ...actions.context(view), errors, values: view.state.values, prefix: view.id,
    fill: (_, element, value) => actions.fill(view, element, value),
  };
  const close = () => actions.close(view);
  const submit = async (event) => {
    event.preventDefault();
    document.activeElement?.blur?.();
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    try {
      await actions.submit(view);
    } finally {
      form.ariaBusy = "false";
    }
  };
  const form = h("form", { novalidate: true, onsubmit: submit, autocomplete: "off" },
    h("header", { class: "modal-head" }, h("h2", { id: "modal-title" }, view.title.text),
      h("button", { type: "button", class: "icon", "aria-label": label("close"), title: label("close"), onclick: close }, "×")),
    h("div", { class: "modal-body" },
      view.notice ? h("p", { class: "alert error", role: "alert" }, label(`notice_${view.notice}`)) : null,
      ...renderBlocks(view.blocks, context)),
    h("footer", { class: "modal-foot" },
      h("button", { type: "button", class: "button", onclick: close }, view.close?.text ?? label(view.submit ? "cancel" : "close")),
      view.submit ? h("button", { type: "submit", class: "button primary", "data-focus": "submit" }, view.submit.text) : null));
  dialog.replaceChildren(form);
  dialog.oncancel = (event) => {
    event.preventDefault();
    close();
  };
}
