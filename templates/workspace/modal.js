// The modal in front: a native dialog, redrawn when the app changes the view.

import { renderBlocks } from "./blocks.js";
import { byId, h } from "./dom.js";
import { hasLabel, label } from "./labels.js";

const dialog = byId("modal");
let shown = null;
let pending = new Map();

// actions: {context(view), fill, submit, close}
export function drawModal(state, actions) {
  const view = state.modals.at(-1);
  if (!view) {
    shown = null;
    pending = new Map();
    if (dialog.open) dialog.close();
    return;
  }
  const signature = JSON.stringify([view.id, view.hash, view.errors, view.notice, document.documentElement.lang]);
  if (signature === shown?.signature) return;
  const focus = dialog.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  const scroll = shown?.id === view.id ? dialog.querySelector(".modal-body")?.scrollTop ?? 0 : 0;
  if (shown?.id !== view.id) pending = new Map();
  shown = { signature, id: view.id };
  fillDialog(view, state, actions);
  if (!dialog.open) dialog.showModal();
  dialog.querySelector(".modal-body").scrollTop = scroll;
  settleFocus(focus);
}

function settleFocus(mark) {
  const wrong = dialog.querySelector("[aria-invalid=true]");
  const same = mark ? dialog.querySelector(`[data-focus="${CSS.escape(mark)}"]`) : null;
  (wrong ?? same ?? dialog.querySelector(".modal-body :is(input,select,textarea)") ?? dialog.querySelector("button"))?.focus();
}

function fillDialog(view, state, actions) {
  const errors = Object.fromEntries(Object.entries(view.errors).map(([id, code]) =>
    [id, hasLabel(`problem_${code}`) ? label(`problem_${code}`) : code]));
  const context = {
    ...actions.context(view), errors, values: withPending(view), prefix: view.id,
    fill: (block, element, value) => {
      pending.set(JSON.stringify([block.block_id, element.action_id]), value);
      return actions.fill(view, element, value);
    },
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

// What was typed and has not come back from the workspace yet must survive a redraw.
function withPending(view) {
  const values = structuredClone(view.state.values);
  for (const [key, value] of pending) {
    const [block, action] = JSON.parse(key);
    const state = values[block]?.[action];
    if (state && "value" in state) state.value = value;
  }
  return values;
}
