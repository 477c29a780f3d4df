// Line, area and bar charts as pictures, beside the table of their points.

const WIDTH = 520, HEIGHT = 240, RIGHT = 12, TOP = 12, BOTTOM = 44;
const COLOURS = 8, DIGIT = 7, GAP = 12;
const NAMESPACE = "http://www.w3.org/2000/svg";

function s(tag, attributes = {}, ...children) {
  const node = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const text = (words, x, y, anchor = "middle") => s("text", { x, y, "text-anchor": anchor }, words);

export const written = (value) => value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });

// The least round number that is not below a value.
function ceiling(value) {
  const decade = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 6, 8, 10].map((step) => step * decade).find((round) => round >= value * (1 - 1e-9));
}

export function picture(block) {
  const { type, series, axis_config: axis } = block.chart;
  const names = axis.categories;
  const most = ceiling(Math.max(...series.flatMap((item) => item.data.map((point) => point.value)), 0) || 1);
  const LEFT = Math.max(...[0.5, 1].map((share) => written(share * most).length)) * DIGIT + GAP;
  const step = (WIDTH - LEFT - RIGHT) / names.length;
  const x = (index) => LEFT + step * (index + 0.5);
  const y = (value) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * Math.max(0, value) / most;
  const root = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": block.title });
  for (const share of [0, 0.5, 1]) {
    const level = y(share * most);
    root.append(s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: level, y2: level, class: "rule" }),
      text(written(share * most), LEFT - 6, level + 4, "end"));
  }
  names.forEach((name, index) => root.append(text(name, x(index), HEIGHT - BOTTOM + 16)));
  if (axis.x_label) root.append(text(axis.x_label, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8));
  series.forEach((item, place) => root.append(curve(item, { place, type, names, x, y, step, count: series.length })));
  return root;
}

function curve(item, { place, type, names, x, y, step, count }) {
  const found = names.map((name) => item.data.find((point) => point.label === name)?.value ?? 0);
  const group = s("g", { class: `series series-${place % COLOURS}` }, s("title", {}, item.name));
  if (type === "bar") {
    const width = step * 0.8 / count;
    found.forEach((value, index) => group.append(s("rect", {
      x: x(index) - step * 0.4 + width * place, y: y(value), width, height: y(0) - y(value) })));
    return group;
  }
  const points = found.map((value, index) => `${x(index)},${y(value)}`);
  if (type === "area") group.append(s("polygon", { points: [`${x(0)},${y(0)}`, ...points, `${x(names.length - 1)},${y(0)}`].join(" ") }));
  group.append(s("polyline", { points: points.join(" ") }));
  found.forEach((value, index) => group.append(s("circle", { cx: x(index), cy: y(value), r: 3 })));
  return group;
}

export function legend(block) {
  const list = document.createElement("ul");
  list.className = "legend";
  block.chart.series.forEach((item, place) => {
    const entry = document.createElement("li");
    entry.className = `series-${place % COLOURS}`;
    entry.textContent = item.name;
    list.append(entry);
  });
  return list;
}
