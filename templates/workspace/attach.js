// Files that go along with the next message: chosen, shown by name, sent with it.

import { byId, h } from "./dom.js";
import { label } from "./labels.js";

const LARGEST = 20_000_000;

// The workspace takes text only: bytes travel as base64.
function encoded(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, content: reader.result.slice(reader.result.indexOf(",") + 1) });
    reader.onerror = () => reject(new Error("file_unreadable"));
    reader.readAsDataURL(file);
  });
}

export function attachments(name, complain) {
  const [button, input, list] = ["attach", "files", "attached"].map((part) => byId(`${name}-${part}`));
  let chosen = [];

  const draw = () => {
    list.hidden = chosen.length === 0;
    list.replaceChildren(...chosen.map((file) => h("li", {}, h("span", {}, file.name), h("button", {
      type: "button", class: "drop", "aria-label": label("remove", { name: file.name }),
      onclick: () => { chosen = chosen.filter((other) => other !== file); draw(); button.focus(); },
    }, "×"))));
  };

  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const files = [...chosen, ...input.files];
    input.value = "";
    if (files.reduce((sum, file) => sum + file.size, 0) > LARGEST) return complain(new Error("file_too_large"));
    chosen = files;
    draw();
    byId(name).focus();
  });

  return {
    any: () => chosen.length > 0,
    take: async () => {
      const files = chosen;
      chosen = [];
      draw();
      return Promise.all(files.map(encoded));
    },
  };
}
