// The page's own words, in English and Spanish. What the app says comes from the app.

const STORE = "workspace-language";
let words = {};
let language = localStorage.getItem(STORE) ?? (navigator.language.startsWith("es") ? "es" : "en");

export async function loadLabels() {
  words = await (await fetch("/assets/labels.json")).json();
}

export const currentLanguage = () => language;

export function setLanguage(code) {
  language = code;
  localStorage.setItem(STORE, code);
}

export function label(key, values = {}) {
  const text = words[language][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export const hasLabel = (key) => key in words[language];

export function labelPage() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-label]")) {
    node.textContent = label(node.dataset.label);
  }
  for (const node of document.querySelectorAll("[data-label-aria]")) {
    node.setAttribute("aria-label", label(node.dataset.labelAria));
    if (node.tagName === "BUTTON") node.title = label(node.dataset.labelAria);
  }
}
