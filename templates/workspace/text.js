// Slack's mrkdwn, Markdown blocks and rich text, as DOM nodes.

import { h } from "./dom.js";
import { currentLanguage } from "./labels.js";

const EMOJI = {
  white_check_mark: "✅", heavy_check_mark: "✔️", warning: "⚠️", x: "❌", information_source: "ℹ️",
  rocket: "🚀", tada: "🎉", wave: "👋", eyes: "👀", bulb: "💡", memo: "📝", zap: "⚡", fire: "🔥",
  clipboard: "📋", hourglass: "⌛", arrow_right: "➡️", arrow_up: "⬆️", arrow_down: "⬇️",
  no_entry: "⛔", question: "❓", exclamation: "❗", point_right: "👉", mag: "🔍", lock: "🔒",
  thumbsup: "👍", thumbsdown: "👎", large_green_circle: "🟢", large_yellow_circle: "🟡",
  red_circle: "🔴", computer: "💻", bar_chart: "📊", gear: "⚙️", page_facing_up: "📄",
};

const unescape = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");

export const emojis = (text) => text.replace(/:([a-z0-9_+-]+):/g, (all, name) => EMOJI[name] ?? all);

export function link(address, text) {
  if (!/^(https?:|mailto:)/i.test(address)) return document.createTextNode(text ?? address);
  const shown = text ?? address;
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, shown);
}

const mention = (text) => h("span", { class: "mention" }, text);

// people: {users: {id: name}, channels: {id: name}}
function entity(body, people) {
  const [target, name] = body.split("|", 2);
  if (target.startsWith("@")) return mention(`@${people.users[target.slice(1)] ?? name ?? target.slice(1)}`);
  if (target.startsWith("#")) return mention(`#${people.channels[target.slice(1)] ?? name ?? target.slice(1)}`);
  if (target.startsWith("!date^")) return document.createTextNode(date(target, unescape(name ?? "")));
  if (target.startsWith("!")) return h("span", { class: "mention loud" }, `@${name ?? target.slice(1)}`);
  return link(unescape(target), name === undefined ? undefined : unescape(name));
}

function date(target, fallback) {
  const [, seconds, format] = target.split("^");
  const when = new Date(Number(seconds) * 1000);
  if (Number.isNaN(when.getTime())) return fallback;
  const day = (options) => when.toLocaleDateString(currentLanguage(), options);
  const long = { year: "numeric", month: "long", day: "numeric" };
  const short = { year: "numeric", month: "short", day: "numeric" };
  const clock = (options) => when.toLocaleTimeString(currentLanguage(), options);
  const known = {
    date_num: () => when.toISOString().slice(0, 10), date: () => day(long), date_pretty: () => day(long),
    date_short: () => day(short), date_short_pretty: () => day(short),
    date_long: () => day({ ...long, weekday: "long" }), date_long_pretty: () => day({ ...long, weekday: "long" }),
    time: () => clock({ hour: "2-digit", minute: "2-digit" }), time_secs: () => clock({}),
  };
  return format.replace(/\{(\w+)\}/g, (all, key) => known[key]?.() ?? all);
}

const INLINE = /`([^`\n]+)`|<([^<>\n]+)>|(?<![\w*])\*(\S(?:[^*\n]*\S)?)\*(?![\w*])|(?<!\w)_(\S(?:[^_\n]*\S)?)_(?!\w)|(?<!\w)~(\S(?:[^~\n]*\S)?)~(?!\w)/;

function inline(text, people) {
  const nodes = [];
  let rest = text;
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    if (found.index) nodes.push(emojis(unescape(rest.slice(0, found.index))));
    const [all, code, special, bold, italic, strike] = found;
    if (code !== undefined) nodes.push(h("code", {}, unescape(code)));
    else if (special !== undefined) nodes.push(entity(special, people));
    else if (bold !== undefined) nodes.push(h("strong", {}, ...inline(bold, people)));
    else if (italic !== undefined) nodes.push(h("em", {}, ...inline(italic, people)));
    else nodes.push(h("s", {}, ...inline(strike, people)));
    rest = rest.slice(found.index + all.length);
  }
  if (rest) nodes.push(emojis(unescape(rest)));
  return nodes;
}

export function mrkdwn(text, people) {
  const box = h("div", { class: "mrkdwn" });
  text.split(/```/).forEach((part, index) => {
    if (index % 2) {
      box.append(h("pre", {}, unescape(part.replace(/^\n/, "").replace(/\n$/, ""))));
      return;
    }
    const trimmed = index ? part.replace(/^\n/, "") : part;
    let quote = null;
    trimmed.split("\n").forEach((line, number, lines) => {
      const quoted = /^(&gt;|>) ?/.exec(line);
      if (quoted) {
        if (quote) quote.append(h("br"));
        else box.append((quote = h("blockquote")));
        quote.append(...inline(line.slice(quoted[0].length), people));
        return;
      }
      const afterQuote = quote !== null;
      quote = null;
      if (number && !afterQuote) box.append(h("br"));
      if (line || number < lines.length - 1) box.append(...inline(line, people));
    });
  });
  return box;
}

export function textObject(value, people) {
  return value.type === "mrkdwn" ? mrkdwn(value.text, people) : h("span", { class: "plain" }, emojis(value.text));
}

export function richText(block, people) {
  return h("div", { class: "rich" }, ...block.elements.map((part) => richPart(part, people)));
}

function richPart(part, people) {
  const inside = () => part.elements.map((item) => richInline(item, people));
  if (part.type === "rich_text_list") {
    const items = part.elements.map((item) => h("li", {}, richPart(item, people)));
    return h(part.style === "ordered" ? "ol" : "ul", { class: `indent-${part.indent ?? 0}` }, ...items);
  }
  if (part.type === "rich_text_preformatted") return h("pre", {}, ...inside());
  return h(part.type === "rich_text_quote" ? "blockquote" : "p", {}, ...inside());
}

function richInline(item, people) {
  let node = richLeaf(item, people);
  const wraps = { bold: "strong", italic: "em", strike: "s", code: "code", underline: "u" };
  for (const [name, tag] of Object.entries(wraps)) if (item.style?.[name]) node = h(tag, {}, node);
  return node;
}

function richLeaf(item, people) {
  if (item.type === "link") return link(item.url, item.text);
  if (item.type === "user") return mention(`@${people.users[item.user_id] ?? item.user_id}`);
  if (item.type === "channel") return mention(`#${people.channels[item.channel_id] ?? item.channel_id}`);
  if (item.type === "broadcast") return h("span", { class: "mention loud" }, `@${item.range}`);
  if (item.type === "emoji") return document.createTextNode(EMOJI[item.name] ?? `:${item.name}:`);
  if (item.type === "date") return document.createTextNode(item.fallback ?? "");
  return document.createTextNode(item.text ?? "");
}
