// Menus, pickers and fields. Each returns a node; `change(value)` hears of a new value.

import { h } from "./dom.js";
import { label } from "./labels.js";
import { textObject } from "./text.js";

const STATE = ["value", "selected_option", "selected_options", "selected_user", "selected_users", "selected_conversation",
  "selected_conversations", "selected_channel", "selected_channels", "selected_date", "selected_time", "selected_date_time"];

export function heldBy(state) {
  const key = STATE.find((name) => name in (state ?? {}));
  return key ? state[key] : null;
}

// context: {people, state, users, channels, suggest(query) -> options, change(value), id, describedby, name}
export function field(element, context) {
  const build = BUILDERS[element.type];
  return build ? build(element, context) : h("span", { class: "unknown" }, `[${element.type}]`);
}

const common = (element, context) => ({
  id: context.id,
  "data-focus": context.id,
  "aria-label": context.name,
  "aria-describedby": context.describedby,
  placeholder: element.placeholder?.text,
});

function typed(type, extra = {}) {
  return (element, context) => {
    const many = element.type === "plain_text_input" && element.multiline;
    return h(many ? "textarea" : "input", {
      ...common(element, context), ...extra, type: many ? null : type, rows: many ? 4 : null,
      minlength: element.min_length, maxlength: element.max_length,
      value: heldBy(context.state) ?? "",
      onchange: (event) => context.change(event.target.value || null),
    });
  };
}

function numeric(element, context) {
  return typed("text", { inputmode: element.is_decimal_allowed ? "decimal" : "numeric" })(element, {
    ...context, change: (value) => context.change(value === null ? null : value.trim().replace(",", ".")),
  });
}

function moment(element, context) {
  const held = heldBy(context.state);
  const local = held ? new Date(held * 1000 - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 16) : null;
  return typed("datetime-local")(element, {
    ...context, state: { value: local },
    change: (value) => context.change(value ? Math.floor(new Date(value).getTime() / 1000) : null),
  });
}

function chooser(options, chosen, element, context, multiple = false) {
  const picked = new Set(multiple ? chosen : [chosen]);
  const item = (option) => h("option", { value: option.value, selected: picked.has(option.value) }, option.text);
  const named = [...new Set(options.map((option) => option.group))];
  const groups = named.flatMap((group) => {
    const items = options.filter((option) => option.group === group).map(item);
    return group ? [h("optgroup", { label: group }, ...items)] : items;
  });
  const empty = multiple ? [] : [h("option", { value: "", selected: chosen === null || chosen === undefined }, element.placeholder?.text ?? label("choose"))];
  const attributes = common(element, context);
  delete attributes.placeholder;
  return h("select", {
    ...attributes, multiple, size: multiple ? Math.min(Math.max(options.length, 2), 6) : null,
    onchange: (event) => {
      const values = [...event.target.selectedOptions].map((option) => option.value).filter(Boolean);
      context.change(multiple ? values : values[0] ?? null);
    },
  }, ...empty, ...groups);
}

function staticMenu(multiple) {
  return (element, context) => {
    const flat = (element.options ?? []).map((option) => ({ value: option.value, text: option.text.text }));
    const grouped = (element.option_groups ?? []).flatMap((group) =>
      group.options.map((option) => ({ value: option.value, text: option.text.text, group: group.label.text })));
    const held = heldBy(context.state);
    const chosen = multiple ? (held ?? []).map((option) => option.value) : held?.value ?? null;
    return chooser([...flat, ...grouped], chosen, element, context, multiple);
  };
}

function peopleMenu(multiple) {
  return (element, context) => {
    const options = context.users.filter((user) => !user.is_bot).map((user) => ({ value: user.id, text: user.real_name }));
    return chooser(options, heldBy(context.state) ?? (multiple ? [] : null), element, context, multiple);
  };
}

function placesMenu(multiple) {
  return (element, context) => {
    const options = context.channels.map((channel) => ({ value: channel.id, text: channel.is_im ? `@${channel.name}` : `#${channel.name}` }));
    return chooser(options, heldBy(context.state) ?? (multiple ? [] : null), element, context, multiple);
  };
}

function marks(type) {
  return (element, context) => {
    const held = heldBy(context.state);
    const chosen = new Set((type === "radio" ? (held ? [held] : []) : held ?? []).map((option) => option.value));
    const group = h("div", { class: "marks", role: type === "radio" ? "radiogroup" : "group", "aria-label": context.name, "aria-describedby": context.describedby });
    const report = () => {
      const values = [...group.querySelectorAll("input:checked")].map((input) => input.value);
      context.change(type === "radio" ? values[0] ?? null : values);
    };
    element.options.forEach((option, index) => {
      const input = h("input", { type, name: context.id, value: option.value, checked: chosen.has(option.value), id: index ? `${context.id}-${index}` : context.id, "data-focus": `${context.id}-${index}`, onchange: report });
      const text = [textObject(option.text, context.people)];
      if (option.description) text.push(h("small", {}, textObject(option.description, context.people)));
      group.append(h("label", {}, input, h("span", {}, ...text)));
    });
    return group;
  };
}

// A field whose options the app offers while one types.
function external(element, context) {
  const held = heldBy(context.state);
  const list = h("datalist", { id: `${context.id}-options` });
  const offered = new Map();
  const note = h("small", { class: "error", hidden: true, role: "alert" });
  let timer = 0;
  const ask = (query) => {
    clearTimeout(timer);
    if (query.length < (element.min_query_length ?? 3)) return;
    timer = setTimeout(async () => {
      const options = await context.suggest(query);
      offered.clear();
      options.forEach((option) => offered.set(option.text.text, option));
      list.replaceChildren(...options.map((option) => h("option", { value: option.text.text }, option.description?.text ?? "")));
      if (offered.has(input.value)) accept();
    }, 120);
  };
  const accept = () => {
    const option = offered.get(input.value) ?? (input.value === held?.text.text ? held : undefined);
    note.hidden = option !== undefined || input.value === "";
    note.textContent = note.hidden ? "" : label("choose_offered");
    if (option || input.value === "") context.change(option ?? null);
  };
  const input = h("input", {
    ...common(element, context), type: "text", list: list.id, role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false",
    value: held?.text.text ?? "",
    onfocus: (event) => ask(event.target.value), oninput: (event) => ask(event.target.value), onchange: accept,
  });
  return h("div", { class: "external" }, input, list, note);
}

function externalMany(element, context) {
  const chosen = [...(heldBy(context.state) ?? [])];
  const chips = h("div", { class: "chips" });
  const single = external({ ...element, type: "external_select" }, {
    ...context, state: null,
    change: (option) => {
      if (!option || chosen.some((item) => item.value === option.value)) return;
      chosen.push(option);
      single.querySelector("input").value = "";
      draw();
      context.change(chosen);
    },
  });
  const draw = () => chips.replaceChildren(...chosen.map((option, index) => h("span", { class: "chip" }, option.text.text,
    h("button", { type: "button", "aria-label": label("remove", { name: option.text.text }), onclick: () => { chosen.splice(index, 1); draw(); context.change(chosen); } }, "×"))));
  draw();
  return h("div", {}, chips, single);
}

const BUILDERS = {
  plain_text_input: typed("text"), email_text_input: typed("email"), url_text_input: typed("url"), number_input: numeric,
  datepicker: typed("date"), timepicker: typed("time"), datetimepicker: moment,
  static_select: staticMenu(false), multi_static_select: staticMenu(true),
  external_select: external, multi_external_select: externalMany,
  users_select: peopleMenu(false), multi_users_select: peopleMenu(true),
  conversations_select: placesMenu(false), multi_conversations_select: placesMenu(true),
  channels_select: placesMenu(false), multi_channels_select: placesMenu(true),
  checkboxes: marks("checkbox"), radio_buttons: marks("radio"),
};
