// The part of Markdown that Slack's markdown block shows, as DOM nodes.

import { h } from "./dom.js";
import { label as word } from "./labels.js";
import { emojis, link } from "./text.js";

const INLINE = /\\([\\`*_~[\]()#|!<>&-])|(`+)([^`]|[^`].*?[^`])\2(?!`)|!?\[([^\]]*)\]\(([^)\s]+)\)|\*\*(?=\S)(.+?)(?<=\S)\*\*|~~(?=\S)(.+?)(?<=\S)~~|\*(?=\S)(.+?)(?<=\S)\*|(?<!\w)_(?=\S)(.+?)(?<=\S)_(?!\w)/s;

function inline(text) {
  const nodes = [];
  let rest = text;
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    if (found.index) nodes.push(emojis(rest.slice(0, found.index)));
    const [all, escaped, , code, label, address, bold, strike, italic, under] = found;
    if (escaped !== undefined) nodes.push(escaped);
    else if (code !== undefined) nodes.push(h("code", {}, code));
    else if (address !== undefined) nodes.push(link(address, label || address));
    else if (bold !== undefined) nodes.push(h("strong", {}, ...inline(bold)));
    else if (strike !== undefined) nodes.push(h("s", {}, ...inline(strike)));
    else nodes.push(h("em", {}, ...inline(italic ?? under)));
    rest = rest.slice(found.index + all.length);
  }
  if (rest) nodes.push(emojis(rest));
  return nodes;
}

const BREAKS = /^(#{1,6} |```|>|\s*[-*+] |\s*\d+[.)] |\||(-{3,}|\*{3,}|_{3,})\s*$)/;
const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());

export function markdown(text) {
  const lines = text.split("\n");
  const box = h("div", { class: "markdown" });
  while (lines.length) {
    if (!lines[0].trim()) lines.shift();
    else box.append(take(lines));
  }
  return box;
}

function take(lines) {
  const first = lines[0];
  const heading = /^(#{1,6}) (.*)$/.exec(first);
  if (heading) return lines.shift() && h("h4", {}, ...inline(heading[2]));
  if (first.startsWith("```")) return fence(lines);
  if (/^(-{3,}|\*{3,}|_{3,})\s*$/.test(first)) return lines.shift() && h("hr");
  if (first.startsWith(">")) return quote(lines);
  if (/^\s*([-*+]|\d+[.)]) /.test(first)) return list(lines);
  if (first.startsWith("|") && /^\|?[\s:|-]+\|?$/.test(lines[1] ?? "")) return table(lines);
  return paragraph(lines);
}

function fence(lines) {
  lines.shift();
  const body = [];
  while (lines.length && !lines[0].startsWith("```")) body.push(lines.shift());
  lines.shift();
  return h("pre", {}, body.join("\n"));
}

function quote(lines) {
  const body = [];
  while (lines.length && lines[0].startsWith(">")) body.push(lines.shift().replace(/^> ?/, ""));
  return h("blockquote", {}, ...inline(body.join("\n")));
}

function list(lines) {
  const ordered = /^\s*\d/.test(lines[0]);
  const items = [];
  while (lines.length && /^\s*([-*+]|\d+[.)]) |^\s{2,}\S/.test(lines[0])) {
    const item = /^(\s*)(?:[-*+]|\d+[.)]) (.*)$/.exec(lines[0]);
    if (item) items.push({ depth: Math.floor(item[1].length / 2), text: item[2] });
    else items[items.length - 1].text += ` ${lines[0].trim()}`;
    lines.shift();
  }
  const entry = ({ depth, text }) => {
    const task = /^\[([ xX])\] (.*)$/s.exec(text);
    const mark = task ? [h("input", { type: "checkbox", disabled: true, checked: task[1] !== " ", "aria-label": task[2] }), " "] : [];
    return h("li", { class: `depth-${Math.min(depth, 3)}${task ? " task" : ""}` }, ...mark, ...inline(task ? task[2] : text));
  };
  return h(ordered ? "ol" : "ul", {}, ...items.map(entry));
}

function table(lines) {
  const head = cells(lines.shift());
  const rules = cells(lines.shift());
  const align = rules.map((rule) => (rule.endsWith(":") ? (rule.startsWith(":") ? "center" : "right") : "left"));
  const rows = [];
  while (lines.length && lines[0].startsWith("|")) rows.push(cells(lines.shift()));
  const cell = (tag) => (text, column) => h(tag, { class: align[column] ?? "left", scope: tag === "th" ? "col" : null }, ...inline(text.replace(/\\\|/g, "|")));
  return h("div", { class: "table", tabindex: "0", role: "group", "aria-label": word("table") }, h("table", {},
    h("thead", {}, h("tr", {}, ...head.map(cell("th")))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell("td")))))));
}

function paragraph(lines) {
  const body = [lines.shift()];
  while (lines.length && lines[0].trim() && !BREAKS.test(lines[0])) body.push(lines.shift());
  const node = h("p");
  body.forEach((line, index) => node.append(...(index ? [h("br")] : []), ...inline(line)));
  return node;
}
