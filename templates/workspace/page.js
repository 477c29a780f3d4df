// The workspace's page: channels, messages, threads, the composer, and what the app asks for.

import { attachments } from "./attach.js";
import { currentUser, listen, readState, send, setUser } from "./api.js";
import { renderBlocks } from "./blocks.js";
import { confirmed } from "./confirm.js";
import { byId, h, reconcile } from "./dom.js";
import { currentLanguage, label, labelPage, loadLabels, hasLabel, setLanguage } from "./labels.js";
import { drawModal } from "./modal.js";
import { mrkdwn } from "./text.js";

let state = null;
let here = sessionStorage.getItem("workspace-channel") ?? "gpu-planning";
let tab = "messages";
let openThread = null;
let writes = Promise.resolve();
let fills = 0;

// ---- what the person does ----

function complain(error) {
  const toast = byId("toast");
  const code = `error_${error.message}`;
  toast.textContent = hasLabel(code) ? label(code) : error.message ?? error;
  toast.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { toast.hidden = true; }, 6000);
}

// Gestures reach the workspace in the order in which they were made.
function perform(verb, body) {
  const sent = writes.then(() => send(verb, body));
  writes = sent.catch(() => {});
  return sent.catch((error) => {
    const late = error.message === "gone" && (verb === "fill" || verb === "close");
    if (!late) complain(error);
  });
}

const placeOf = (target) => (target.id ? { view_id: target.id } : { channel: target.channel, ts: target.ts });

function contextFor(target) {
  return {
    people: people(), users: state.users, channels: state.channels,
    act: async (element, value, button) => {
      if (!(await confirmed(element.confirm, people()))) return;
      if (button) button.ariaBusy = "true";
      await perform("act", { ...placeOf(target), action_id: element.action_id, value });
      if (button) button.ariaBusy = "false";
    },
    suggest: async (element, query) => {
      try {
        return await send("suggest", { ...placeOf(target), action_id: element.action_id, query });
      } catch (error) {
        if (error.message !== "gone") complain(error);
        return [];
      }
    },
    fill: (_, element, value) => perform("fill", { ...placeOf(target), action_id: element.action_id, value }),
  };
}

const modalActions = {
  context: contextFor,
  busy: () => fills > 0,
  fill: async (view, element, value) => {
    fills += 1;
    await perform("fill", { view_id: view.id, action_id: element.action_id, value });
    fills -= 1;
    if (!fills) refresh();
  },
  submit: (view) => perform("submit", { view_id: view.id }),
  close: (view) => perform("close", { view_id: view.id }),
};

function composer(form, box, thread) {
  const files = attachments(box.id, complain);
  const grow = () => {
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, 180)}px`;
  };
  box.addEventListener("input", grow);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = box.value.trim();
    if (!text && !files.any()) return;
    box.value = "";
    grow();
    form.ariaBusy = "true";
    stick(byId(thread() ? "thread-scroll" : "scroll"));
    const place = { channel: channel().id, thread_ts: thread()?.ts };
    await files.take().then((taken) => perform("type", { ...place, text, files: taken }), complain);
    form.ariaBusy = "false";
  });
}

// ---- what is seen ----

const channel = () => state.channels.find((item) => item.name === here) ?? state.channels[0];
const userNamed = (id) => state.users.find((item) => item.id === id);

function people() {
  const names = (items) => Object.fromEntries(items.map((item) => [item.id, item.name]));
  return { users: names(state.users), channels: names(state.channels) };
}

function draw() {
  drawSide();
  drawHead();
  const shown = state.messages.filter((item) => item.channel === channel().id);
  drawMessages(byId("messages"), shown.filter((item) => !item.is_reply || item.reply_broadcast), shown, byId("scroll"));
  drawThread(shown);
  drawHome();
  byId("welcome").hidden = tab !== "messages" || shown.length > 0;
  drawModal(state, modalActions);
}

function drawSide() {
  const entry = (item) => ({
    key: item.id, item, signature: JSON.stringify([item, item.name === here]),
  });
  const build = (item) => h("li", {}, h("button", {
    type: "button", "data-focus": item.id, "aria-current": item.name === here ? "page" : null,
    onclick: () => goTo(item.name),
  }, h("span", { class: "sign", "aria-hidden": "true" }, item.is_im ? "" : "#"), item.name));
  reconcile(byId("channels"), state.channels.filter((item) => !item.is_im).map(entry), build);
  reconcile(byId("direct"), state.channels.filter((item) => item.is_im).map(entry), build);
  const users = state.users.filter((item) => !item.is_bot);
  const select = byId("user");
  if (select.options.length !== users.length) {
    select.replaceChildren(...users.map((item) => h("option", { value: item.name }, item.real_name)));
  }
  select.value = currentUser();
  byId("language").value = currentLanguage();
}

function drawHead() {
  const { name, is_im: direct, has_app: present } = channel();
  byId("where").textContent = direct ? name : `#${name}`;
  byId("about").textContent = label(direct ? "about_direct" : present ? "about_channel" : "about_missing");
  byId("tabs").hidden = !direct || !state.has_home;
  if (byId("tabs").hidden) tab = "messages";
  byId("tab-messages").setAttribute("aria-pressed", String(tab === "messages"));
  byId("tab-home").setAttribute("aria-pressed", String(tab === "home"));
  const where = direct ? name : `#${name}`;
  byId("composer").placeholder = label("composer_hint", { where });
  byId("composer-label").textContent = label("composer", { where });
  byId("composer-form").hidden = tab === "home";
  byId("messages").hidden = tab === "home";
}

function drawMessages(list, messages, all, scroll) {
  const atEnd = scroll.atEnd ?? true;
  const replies = (item) => all.filter((other) => other.is_reply && other.thread_ts === item.ts && !other.only_you).length;
  const items = messages.map((item, index) => {
    const inThread = list.id === "replies";
    const follows = continues(messages[index - 1], item) && !(inThread && index === 1);
    const count = inThread ? 0 : replies(item);
    const { values, ...fixed } = item;
    return { key: item.ts, item: { item, follows, count }, signature: JSON.stringify([fixed, follows, count, currentLanguage()]) };
  });
  reconcile(list, items, ({ item, follows, count }) => message(item, follows, count, list.id === "messages"));
  if (atEnd) stick(scroll);
}

function stick(scroll) {
  scroll.scrollTop = scroll.scrollHeight;
  scroll.atEnd = true;
}

// Keep to the end of a list while its reader is there, also when its width changes.
function followEnd(scroll) {
  scroll.addEventListener("scroll", () => {
    scroll.atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
  });
  new ResizeObserver(() => { if (scroll.atEnd) stick(scroll); }).observe(scroll);
}

// A message joins the one above when one author wrote both within five minutes.
function continues(before, item) {
  return Boolean(before) && before.user === item.user && !before.notice && !item.notice &&
    before.only_you === item.only_you && Number(item.ts) - Number(before.ts) < 300;
}

function message(item, follows, count, inChannel) {
  if (item.notice === "echo") return echo(item);
  const author = userNamed(item.user);
  const name = author?.real_name ?? label("workspace");
  const node = h("li", { class: `message${item.only_you ? " only-you" : ""}${follows ? " follows" : ""}` });
  const when = new Date(Number(item.ts) * 1000);
  const time = h("time", { datetime: when.toISOString(), title: when.toLocaleString(currentLanguage()) },
    when.toLocaleTimeString(currentLanguage(), { hour: "2-digit", minute: "2-digit" }));
  const head = h("header", { class: follows ? "hidden" : null }, h("strong", {}, name),
    author?.is_bot ? h("span", { class: "badge" }, label("app")) : null, time);
  const body = h("div", { class: "body" }, ...content(item));
  if (item.edited) body.append(h("small", { class: "edited" }, label("edited")));
  node.append(avatar(author, follows), h("div", { class: "content" },
    item.only_you ? h("p", { class: "only" }, eye(), label("only_you")) : null,
    head, body, ...threadLinks(item, count, inChannel)));
  return node;
}

function content(item) {
  if (item.notice) {
    const key = `notice_${item.notice}`;
    return [h("p", { class: "notice" }, hasLabel(key) ? label(key) : label("notice_other", { code: item.notice }))];
  }
  const files = (item.files ?? []).flatMap((file) => [shownFile(file), linkedFile(file)]).filter(Boolean);
  const context = { ...contextFor(item), values: item.values, prefix: `m${item.ts}` };
  if (item.blocks?.length) return [...renderBlocks(item.blocks, context), ...files];
  return [item.text ? mrkdwn(item.text, people()) : null, ...files].filter(Boolean);
}

const addressOf = (file) => `/files/${encodeURIComponent(file.id)}`;

function shownFile(file) {
  return file.mimetype === "image/png" ? h("img", { class: "shown-file", src: addressOf(file), alt: file.alt_txt ?? "" }) : null;
}

function linkedFile(file) {
  return h("a", { class: "file", href: addressOf(file), download: file.name },
    h("span", { "aria-hidden": "true" }, "📄"), h("span", {}, h("strong", {}, file.title), h("small", {}, ` ${file.name} · ${size(file.size)}`)));
}

function size(bytes) {
  const [value, unit] = bytes < 1000 ? [bytes, "B"] : [bytes / 1000, "kB"];
  return `${value.toLocaleString(currentLanguage(), { maximumFractionDigits: 1 })} ${unit}`;
}

function threadLinks(item, count, inChannel) {
  if (!inChannel || item.only_you) return [];
  const text = count ? label(count === 1 ? "replies_one" : "replies_many", { n: count }) : label("new_reply");
  return [h("button", {
    type: "button", class: `replies${count ? "" : " quiet"}`, "data-focus": `thread-${item.ts}`, onclick: () => showThread(item),
  }, text)];
}

function echo(item) {
  return h("li", { class: "echo" }, h("span", { class: "hidden" }, `${label("you_typed")}: `), h("code", {}, item.text));
}

function avatar(author, follows) {
  const name = author?.real_name ?? "?";
  const tone = author?.is_bot ? "app" : `tone-${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 4}`;
  return h("span", { class: `avatar ${tone}${follows ? " blank" : ""}`, "aria-hidden": "true" }, author?.is_bot ? "" : name[0]);
}

function eye() {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("viewBox", "0 0 20 20");
  icon.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5Zm8 2.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4Z");
  icon.append(path);
  return icon;
}

// ---- threads, Home, places ----

function showThread(item) {
  openThread = { channel: item.channel, ts: item.thread_ts ?? item.ts };
  byId("thread-scroll").atEnd = true;
  draw();
  byId("reply").focus();
}

function hideThread() {
  const mark = openThread ? `[data-focus="thread-${CSS.escape(openThread.ts)}"]` : null;
  openThread = null;
  draw();
  (mark && document.querySelector(mark) || byId("composer")).focus();
}

function drawThread(shown) {
  const pane = byId("thread");
  const thread = openThread && shown.filter((item) => item.ts === openThread.ts || item.thread_ts === openThread.ts);
  pane.hidden = !thread?.length;
  document.body.classList.toggle("with-thread", !pane.hidden);
  if (pane.hidden) return;
  byId("thread-where").textContent = byId("where").textContent;
  byId("reply").placeholder = label("reply_here");
  drawMessages(byId("replies"), thread, [], byId("thread-scroll"));
}

function drawHome() {
  const home = byId("home");
  home.hidden = tab !== "home";
  if (home.hidden) return;
  const view = state.home;
  const signature = JSON.stringify([view?.hash, currentLanguage()]);
  if (home.signature === signature) return;
  home.signature = signature;
  if (!view) return home.replaceChildren(h("p", { class: "empty" }, label("home_empty")));
  const context = { ...contextFor(view), values: view.state.values, prefix: view.id };
  home.replaceChildren(...renderBlocks(view.blocks, context));
}

function goTo(name) {
  here = name;
  sessionStorage.setItem("workspace-channel", name);
  openThread = null;
  tab = "messages";
  toggleMenu(false);
  draw();
  stick(byId("scroll"));
  byId("composer").focus();
}

function toggleMenu(open) {
  document.body.classList.toggle("with-menu", open);
  byId("menu").setAttribute("aria-expanded", String(open));
  byId("shade").hidden = !open;
  if (open) byId("side").querySelector("button").focus();
}

// ---- start ----

let reading = false;
let stale = false;

async function refresh() {
  if (reading) { stale = true; return; }
  reading = true;
  try {
    state = await readState();
    draw();
  } catch (error) {
    complain(error);
  }
  reading = false;
  if (stale) { stale = false; refresh(); }
}

function drawExamples() {
  const fill = (text) => () => {
    byId("composer").value = text;
    byId("composer").focus();
  };
  byId("examples").replaceChildren(...[1, 2, 3].map((number) => label(`example_${number}`))
    .map((text) => h("button", { type: "button", onclick: fill(text) }, text)));
}

function relabel() {
  labelPage();
  document.title = `gpusize · ${label("workspace")}`;
  drawExamples();
}

async function start() {
  await loadLabels();
  relabel();
  followEnd(byId("scroll"));
  followEnd(byId("thread-scroll"));
  composer(byId("composer-form"), byId("composer"), () => null);
  composer(byId("reply-form"), byId("reply"), () => openThread);
  byId("user").addEventListener("change", (event) => { setUser(event.target.value); openThread = null; refresh(); });
  byId("language").addEventListener("change", (event) => { setLanguage(event.target.value); relabel(); draw(); });
  byId("thread-close").addEventListener("click", hideThread);
  byId("menu").addEventListener("click", () => toggleMenu(!document.body.classList.contains("with-menu")));
  byId("shade").addEventListener("click", () => toggleMenu(false));
  byId("tab-messages").addEventListener("click", () => { tab = "messages"; draw(); });
  byId("tab-home").addEventListener("click", () => { tab = "home"; draw(); perform("home"); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    if (document.body.classList.contains("with-menu")) toggleMenu(false);
    else if (openThread) hideThread();
  });
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.overflow[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  await refresh();
  byId("composer").focus();
  listen(refresh, () => complain(label("lost")));
}

start();
