// Charts of the trends page. Every meter and input shares the days, and every zoom concerns all charts.
"use strict";

const DAY = 86400;
const page = document.getElementById("charts");
const titles = JSON.parse(page.dataset.sources);
const sports = JSON.parse(page.dataset.sports);
const plots = new Map(); // place -> plot
let body = null;
let days = [];
let shown = null; // [from, to] in seconds, null for everything

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const language = navigator.languages.find((one) => one.startsWith(document.documentElement.lang)) || document.documentElement.lang;
const said = (value, digits = 2) =>
  value === null || value === undefined
    ? _("not known")
    : value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
const thisYear = Number(document.getElementById("charts").dataset.year);

// Return a date, with its year where that is not this one.
function tick(at, more = {}) {
  const day = new Date(at * 1000);
  const year = day.getUTCFullYear() === thisYear ? {} : { year: "2-digit" };
  return day.toLocaleDateString(language, { timeZone: "UTC", day: "numeric", month: "short", ...year, ...more });
}

const dated = (at) => tick(at, { weekday: "short" });

function axes(unit) {
  const look = { stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line") } };
  const font = "12px system-ui";
  return [
    { ...look, font, space: 64, incrs: [1, 2, 7, 14, 28, 91].map((days) => days * DAY), values: (_, at) => at.map((one) => tick(one)), size: 30 },
    { ...look, font, size: 44, label: unit || undefined, labelFont: font, labelSize: unit ? 18 : 0 },
  ];
}

const wide = (plot, from, to) => [from, to].map((day) => plot.valToPos(Date.parse(`${day}T00:00Z`) / 1000, "x", true));

// Return a hook that shades the days in which the meter changed.
function stretch(place) {
  return (plot) => {
    if (!place.dataset.changed) return;
    const [from, to] = JSON.parse(place.dataset.changed);
    const { ctx, bbox } = plot;
    const [left, right] = wide(plot, from, to).map((x) => Math.min(Math.max(x, bbox.left), bbox.left + bbox.width));
    ctx.save();
    ctx.fillStyle = colour("warn-wash");
    ctx.fillRect(left, bbox.top, Math.max(right - left, 2), bbox.height);
    ctx.restore();
  };
}

// Draw the names of rare happenings above their days, as far as they do not run into each other.
function marks(plot) {
  const { ctx, bbox } = plot;
  let free = bbox.left;
  ctx.save();
  ctx.fillStyle = ctx.strokeStyle = colour("soft");
  ctx.font = `${11 * devicePixelRatio}px system-ui`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  for (const one of body.happenings.filter((one) => one.kind !== "workout")) {
    const [x] = wide(plot, one.day, one.day);
    if (x < free || x > bbox.left + bbox.width) continue;
    const name = (one.title || _(one.kind)).slice(0, 24);
    const left = Math.min(x + 4, bbox.left + bbox.width - ctx.measureText(name).width);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(name, left, bbox.top + 2);
    free = left + ctx.measureText(name).width + 8;
  }
  ctx.restore();
}

function happened(day) {
  const found = body.happenings.filter((one) => one.day === day);
  return found.map((one) => [(one.kind === "workout" && sports[one.title]) || one.title || _(one.kind), one.hours ? `${one.hours.toLocaleString(language)} h` : ""].join(" ").trim());
}

function draw(place, series, data, { range, unit, bands, tell, onTop = [] }) {
  const readout = place.parentElement.querySelector(".readout");
  const options = {
    width: place.clientWidth,
    height: Number(place.dataset.height || 190),
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    legend: { show: false },
    cursor: { sync: { key: "trends" }, drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
    scales: { x: { time: true }, y: range ? { range } : {} },
    axes: axes(unit),
    bands,
    series: [{}, ...series],
    hooks: {
      drawAxes: onTop,
      setSelect: [(plot) => plot.select.width > 4 && zoom(plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x"))],
      setCursor: [(plot) => (readout.textContent = plot.cursor.idx === null ? "" : tell(plot.cursor.idx))],
    },
  };
  plots.get(place)?.destroy();
  const plot = new uPlot(options, [days, ...data], place);
  plot.over.addEventListener("dblclick", () => zoom(null));
  plots.set(place, plot);
  if (shown) plot.setScale("x", { min: shown[0], max: shown[1] });
}

function meter(place) {
  const { level, sd } = body.meters[place.dataset.meter];
  const edge = (side) => level.map((value, at) => (value === null ? null : value + side * sd[at]));
  const normal = {
    stroke: colour("soft"),
    dash: [4, 4],
    width: 1,
    points: { show: false },
  };
  // A day between two unknown days makes no line, so it is a point.
  const alone = level.flatMap((value, at) => (value !== null && (level[at - 1] ?? null) === null && (level[at + 1] ?? null) === null ? [at] : []));
  const points = { show: true, size: 7, fill: colour("accent"), filter: () => alone };
  const line = { stroke: colour("accent"), width: 2, spanGaps: false, points };
  const side = { stroke: "transparent", width: 0, points: { show: false } };
  draw(place, [line, side, side, normal], [level, edge(1), edge(-1), days.map(() => body.normal)], {
    range: [0, 1],
    bands: [{ series: [2, 3], fill: colour("band") + "99" }],
    onTop: [stretch(place), ...(place.dataset.named ? [marks] : [])],
    tell: (at) => [`${dated(days[at])}: ${said(level[at])}${level[at] === null ? "" : ` ± ${said(sd[at])}`}`, ...happened(body.days[at])].join(" · "),
  });
}

function input(place) {
  const found = body.inputs.filter((one) => one.metric === place.dataset.metric);
  const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
  const series = found.map((one, at) => ({
    stroke: colour(at % 2 ? "warn" : "accent"),
    dash: dashes[at % dashes.length],
    width: 1.5,
    points: { show: true, size: 4 },
  }));
  draw(place, series, found.map((one) => one.values), {
    unit: place.dataset.unit,
    tell: (at) => `${dated(days[at])}: ${found.map((one) => `${titles[one.source]} ${said(one.values[at], 1)}`).join(", ")}`,
  });
}

function planned(place) {
  const names = Object.keys(body.planned_hours);
  const above = days.map(() => 0);
  const heights = names.map((name) => body.planned_hours[name].map((hours, at) => (above[at] += hours)));
  const step = uPlot.paths.bars({ size: [0.8, 40] });
  const order = [...place.dataset.planned.split(" ")];
  const titles = JSON.parse(place.dataset.titles);
  const title = (name) => titles[order.indexOf(name)];
  const tone = (name) => colour(`kind-${order.indexOf(name)}`);
  const series = names.map((name) => ({ fill: tone(name), width: 0, paths: step, points: { show: false } }));
  draw(place, series.reverse(), heights.reverse(), {
    unit: _("hours"),
    tell: (at) =>
      `${dated(days[at])}: ${names.filter((name) => body.planned_hours[name][at] > 0).map((name) => `${title(name)} ${body.planned_hours[name][at].toLocaleString(language)} h`).join(", ") || _("nothing planned")}`,
  });
}

function all() {
  for (const place of page.querySelectorAll(".plot")) {
    if (place.closest("details:not([open])")) continue;
    if (place.dataset.meter) meter(place);
    else if (place.dataset.metric) input(place);
    else planned(place);
  }
}

function zoom(from, to) {
  const first = days[0] - DAY / 2;
  const last = days[days.length - 1] + DAY / 2;
  shown = from === null ? null : [Math.max(from, first), Math.min(to, last)];
  if (shown && shown[1] - shown[0] < 3 * DAY) shown[1] = shown[0] + 3 * DAY;
  for (const plot of plots.values()) {
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    plot.setScale("x", { min: shown ? shown[0] : first, max: shown ? shown[1] : last });
  }
  const [low, high] = shown || [days[0], days[days.length - 1]];
  document.getElementById("status").textContent = _("Showing {from} to {to}.", { from: dated(low), to: dated(high) });
}

function move(how) {
  const [low, high] = shown || [days[0], days[days.length - 1]];
  const middle = (low + high) / 2;
  const half = (high - low) / 2;
  if (how === "in") zoom(middle - half / 2, middle + half / 2);
  if (how === "out") zoom(middle - 2 * half, middle + 2 * half);
  if (how === "all") zoom(null);
  const step = how === "earlier" ? -half : how === "later" ? half : 0;
  const kept = Math.min(Math.max(low + step, days[0]), Math.max(days[days.length - 1] - 2 * half, days[0]));
  if (step) zoom(kept, kept + 2 * half);
}

async function load(again) {
  const answer = await fetch(page.dataset.from, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    page.querySelectorAll(".readout").forEach((one) => (one.textContent = _("The data did not come. Load the page again.")));
    return;
  }
  body = await answer.json();
  days = body.days.map((day) => Date.parse(`${day}T00:00Z`) / 1000);
  all();
  page.dataset.drawn = "yes";
  if (again && answer.headers.get("x-fresh") === "no") setTimeout(() => load(false), 8000);
}

if (page) {
  load(true);
  document.querySelectorAll("[data-zoom]").forEach((one) => one.addEventListener("click", () => move(one.dataset.zoom)));
  page.querySelectorAll("details").forEach((one) => one.addEventListener("toggle", () => one.open && body && all()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => body && all());
  let width = innerWidth;
  addEventListener("resize", () => {
    if (body && innerWidth !== width) all();
    width = innerWidth;
  });
}
