// Block Kit, as DOM nodes.

import { legend, picture, written } from "./chart.js";
import { h } from "./dom.js";
import { field } from "./inputs.js";
import { label } from "./labels.js";
import { markdown } from "./markdown.js";
import { emojis, richText, textObject } from "./text.js";

// context: {people, users, channels, values, prefix, act(element, value, button), suggest(element, query),
//           fill(block, element, value), errors}
export function renderBlocks(blocks, context) {
  return blocks.map((block) => {
    const build = BUILDERS[block.type] ?? unknown;
    const node = build(block, context);
    node.classList.add("block", `block-${block.type}`);
    return node;
  });
}

const unknown = (block) => h("p", { class: "unknown" }, `[${block.type}]`);

function header(block) {
  return h("h3", {}, emojis(block.text.text));
}

function section(block, context) {
  const body = h("div", { class: "section-body" });
  if (block.text) body.append(textObject(block.text, context.people));
  if (block.fields) {
    body.append(h("div", { class: "fields" }, ...block.fields.map((item) => h("div", {}, textObject(item, context.people)))));
  }
  const node = h("div", {}, body);
  if (block.accessory) node.append(h("div", { class: "accessory" }, element(block.accessory, block, context)));
  return node;
}

function contextBlock(block, context) {
  return h("div", {}, ...block.elements.map((item) =>
    item.type === "image" ? image(item) : textObject(item, context.people)));
}

function actions(block, context) {
  return h("div", { role: "group" }, ...block.elements.map((item) => element(item, block, context)));
}

function element(item, block, context) {
  if (item.type === "image") return image(item);
  if (item.type === "button" || item.type === "workflow_button") return button(item, block, context);
  if (item.type === "overflow") return overflow(item, block, context);
  return field(item, {
    ...context, id: `${context.prefix}-${block.block_id}-${item.action_id}`,
    name: item.placeholder?.text ?? item.accessibility_label ?? item.action_id,
    state: context.values?.[block.block_id]?.[item.action_id],
    suggest: (query) => context.suggest(item, query),
    change: (value) => context.act(item, value),
  });
}

function button(item, block, context) {
  const attributes = {
    class: `button ${item.style ?? ""}`, "aria-label": item.accessibility_label,
    "data-focus": `${context.prefix}-${block.block_id}-${item.action_id}`,
  };
  const press = (event) => context.act(item, null, event.currentTarget);
  if (item.url && /^https?:/i.test(item.url)) {
    return h("a", { ...attributes, href: item.url, target: "_blank", rel: "noopener noreferrer", onclick: press }, emojis(item.text.text));
  }
  return h("button", { ...attributes, type: "button", onclick: press }, emojis(item.text.text));
}

function overflow(item, block, context) {
  const menu = h("details", { class: "overflow" });
  const mark = `${context.prefix}-${block.block_id}-${item.action_id}`;
  const choose = (option) => (event) => {
    menu.open = false;
    context.act(item, option.value, event.currentTarget);
  };
  const entries = item.options.map((option) => h("button", { type: "button", onclick: choose(option) },
    emojis(option.text.text), option.description ? h("small", {}, option.description.text) : null));
  menu.append(h("summary", { class: "button", "aria-label": label("more"), title: label("more"), "data-focus": mark }, "⋯"),
    h("div", { class: "overflow-menu" }, ...entries));
  menu.addEventListener("toggle", () => menu.open && keepInSight(menu.lastChild));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.preventDefault();
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  return menu;
}

// Open downwards or leftwards where the usual place would be cut off.
function keepInSight(list) {
  const edge = (list.closest(".scroll, .modal-body") ?? document.body).getBoundingClientRect();
  list.classList.remove("below", "leftward");
  const { top, right } = list.getBoundingClientRect();
  list.classList.toggle("below", top < edge.top);
  list.classList.toggle("leftward", right > edge.right - 8);
}

// Images come from elsewhere: their description stands in for them.
function image(item) {
  const title = item.title ? `${item.title.text}: ` : "";
  return h("span", { class: "picture", role: "img", "aria-label": item.alt_text }, `🖼 ${title}${item.alt_text}`);
}

function input(block, context) {
  const id = `${context.prefix}-${block.block_id}-${block.element.action_id}`;
  const error = context.errors?.[block.block_id];
  const notes = [block.hint ? `${id}-hint` : null, error ? `${id}-error` : null].filter(Boolean).join(" ");
  const group = ["checkboxes", "radio_buttons"].includes(block.element.type);
  const control = field(block.element, {
    ...context, id, describedby: notes || null, name: group ? block.label.text : null,
    state: context.values?.[block.block_id]?.[block.element.action_id],
    suggest: (query) => context.suggest(block.element, query),
    change: (value) => context.fill(block, block.element, value),
  });
  const optional = block.optional ? h("span", { class: "optional" }, ` ${label("optional")}`) : null;
  const parts = [h(group ? "span" : "label", { class: "label", for: group ? null : id }, emojis(block.label.text), optional), control];
  if (block.hint) parts.push(h("small", { id: `${id}-hint` }, block.hint.text));
  if (error) {
    parts.push(h("small", { class: "error", id: `${id}-error`, role: "alert" }, error));
    (control.matches("input,select,textarea") ? control : control.querySelector("input,select"))?.setAttribute("aria-invalid", "true");
  }
  return h("div", { class: error ? "has-error" : null }, ...parts);
}

function cell(item, context) {
  if (item.type === "rich_text") return richText(item, context.people);
  return emojis(item.text ?? "");
}

function grid(rows, context, { look = () => "", rowHead = -1, caption = "" } = {}) {
  const kind = (item, column) => `${look(column)}${item.type === "raw_number" ? " number" : ""}`;
  const line = (row, tag) => h("tr", {}, ...row.map((item, column) => {
    const head = tag === "th" || column === rowHead;
    return h(head ? "th" : "td", { class: kind(item, column), scope: tag === "th" ? "col" : head ? "row" : null }, cell(item, context));
  }));
  return h("table", {}, caption ? h("caption", {}, caption) : null,
    h("thead", {}, line(rows[0], "th")), h("tbody", {}, ...rows.slice(1).map((row) => line(row, "td"))));
}

// Wide tables scroll sideways inside their frame, by keyboard too.
const frame = (name, table) => h("div", { class: "table", tabindex: "0", role: "group", "aria-label": name }, table);

function table(block, context) {
  const look = (column) => {
    const { align = "left", is_wrapped: wrapped } = block.column_settings?.[column] ?? {};
    return wrapped ? `${align} wrapped` : align;
  };
  return frame(label("table"), grid(block.rows, context, { look }));
}

function dataTable(block, context) {
  const options = { rowHead: block.row_header_column_index ?? 0, caption: block.caption };
  return frame(block.caption, grid(block.rows, context, options));
}

function chart(block) {
  const { segments, series } = block.chart;
  const rows = segments ? [["", ""], ...segments.map((item) => [item.label, item.value])]
    : [["", ...series.map((item) => item.name)], ...block.chart.axis_config.categories.map((name) =>
      [name, ...series.map((item) => item.data.find((point) => point.label === name)?.value ?? "")])];
  const cells = rows.map((row) => row.map((value) => ({ type: typeof value === "number" ? "raw_number" : "raw_text", text: typeof value === "number" ? written(value) : String(value) })));
  const points = frame(block.title, grid(cells, {}, { rowHead: 0, caption: segments ? block.title : "" }));
  return segments ? points : h("div", {}, h("h4", { class: "chart-title" }, block.title), picture(block), legend(block), points);
}

function card(block, context) {
  const texts = ["title", "subtitle", "body", "subtext"].filter((name) => block[name])
    .map((name) => h("div", { class: `card-${name}` }, textObject(block[name], context.people)));
  const buttons = (block.actions ?? []).map((item) => element(item, block, context));
  const picture = block.hero_image ?? block.icon;
  return h("div", { class: "card" }, picture ? image(picture) : null, ...texts, buttons.length ? h("div", { class: "block-actions" }, ...buttons) : null);
}

function container(block, context) {
  const title = block.title ? emojis(block.title.text) : richText(block.rich_text_title, context.people);
  const children = renderBlocks(block.child_blocks, context);
  if (!block.is_collapsible) return h("div", {}, h("h4", {}, title), ...children);
  return h("details", { open: !block.default_collapsed }, h("summary", {}, title), ...children);
}

const BUILDERS = {
  header, section, context: contextBlock, actions, input, image, table, card, container,
  divider: () => h("hr"), context_actions: actions, data_table: dataTable, data_visualization: chart,
  markdown: (block) => markdown(block.text),
  rich_text: (block, context) => richText(block, context.people),
  alert: (block, context) => h("div", { class: `alert ${block.level ?? "default"}`, role: "note" }, textObject(block.text, context.people)),
  carousel: (block, context) => h("div", {}, ...block.elements.map((item) => card(item, context))),
  video: (block) => h("p", {}, `▶ ${block.title.text}: ${block.alt_text}`),
};
