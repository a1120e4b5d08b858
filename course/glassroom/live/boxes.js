// Grids of boxes with words in them, as the explorers draw them: slabs of rows and columns, of large tensors the ends only.
// Which indices are shown is what records/snapshot.py says; how the grids stand is that of drawing/boxes.py.

import { grouped, keepKeys, make, word } from "./elements.js";

const NAMES_SHOWN = 8;

export const tuple = (numbers) => (numbers.length === 1 ? `(${numbers[0]},)` : `(${numbers.join(", ")})`);
export const element = (name, index) => (index.length ? `${name}[${index.join(", ")}]` : name);
export const counted = (number, one) => {
  const [single, many = /[^\0-~]/.test(one) ? one : `${one}s`] = one.split("|");
  return `${grouped(number)} ${number === 1 ? single : many}`;
};
export const product = (numbers) => numbers.reduce((whole, n) => whole * n, 1);

/** `a`, `a and b`, `a, b and c`; a long list is cut. */
export function listed(names) {
  const shown = names.length > NAMES_SHOWN ? [...names.slice(0, NAMES_SHOWN - 1), `${names.length - NAMES_SHOWN + 1} more`] : names;
  return [shown.slice(0, -1).join(word(", ")), shown.at(-1)].filter(Boolean).join(word(" and "));
}

function ends(n, shown) {
  const all = [...Array(Math.min(n, shown)).keys()];
  const head = Math.ceil(shown / 2);
  return n <= shown ? all : all.map((i) => (i < head ? i : n - shown + i));
}

/** The visible indices of every dimension: all of a small one, both ends of a large one. */
export function visibleWindow(size) {
  const dims = size.length;
  return size.map((n, dim) => {
    if (dim === dims - 1) return ends(n, dims === 1 ? 16 : 8);
    if (dim === dims - 2) return ends(n, 6);
    return ends(n, dims === 3 ? 4 : 2);
  });
}

/** Every combination of indices, the last dimension the quickest. */
export function combinations(window) {
  return window.reduce((made, shown) => made.flatMap((index) => shown.map((i) => [...index, i])), [[]]);
}

const gapsBefore = (shown) => shown.map((i, at) => at > 0 && i !== shown[at - 1] + 1);

/**
 * A grid of boxes under a title. `boxAt(index)` says what stands there: `lines` of words and a `look`, a class. Answers with the
 * grid's element, and its `parts`: what can be pointed at, each with its element and index.
 */
export function gridOf({ title, size, window = visibleWindow(size), hue = null, boxAt }) {
  const node = make("div", hue === null ? "gr-boxes" : `gr-boxes hue${hue}`);
  const isCut = window.some((shown, dim) => shown.length < size[dim]);
  const heading = make("div", "gr-heading", `${title}${isCut ? ", in part" : size.includes(0) ? ", no elements" : ""}`);
  if (hue !== null) heading.prepend(make("i", "gr-lane"));
  const slabs = make("div", "gr-slabs");
  node.append(heading, slabs);
  const parts = [];
  const rows = size.length > 1 ? window.at(-2) : [null];
  const columns = size.length ? window.at(-1) : [null];
  if (size.includes(0)) return { node, parts, window };
  const rowGaps = gapsBefore(rows);
  const columnGaps = gapsBefore(columns);
  let lastPlace = -1;
  for (const outer of combinations(window.slice(0, -2))) {
    const place = outer.reduce((whole, i, dim) => whole * size[dim] + i, 0);
    if (place !== lastPlace + 1) slabs.append(make("div", "gr-at", "⋯"));
    lastPlace = place;
    const slab = make("div", "gr-slab");
    if (outer.length) slab.append(make("div", "gr-at", `[${outer.join(", ")}, :, :]`));
    const table = make("div", "gr-grid");
    const across = columns.length + columnGaps.filter(Boolean).length + (size.length > 1 ? 1 : 0);
    table.style.gridTemplateColumns = `repeat(${across}, auto)`;
    const line = (head, gap, cellOf) => {
      if (size.length > 1) table.append(make("div", "gr-at", head));
      columns.forEach((column, at) => {
        if (columnGaps[at]) table.append(make("div", "gr-at", gap));
        table.append(cellOf(column));
      });
    };
    if (size.length) line("", "", (column) => make("div", "gr-at", column));
    rows.forEach((row, at) => {
      if (rowGaps[at]) line("", "", () => make("div", "gr-at", "⋮"));
      line(row, "⋯", (column) => {
        const index = [...outer, row, column].filter((i) => i !== null);
        const { lines, look } = boxAt(index);
        const box = make("div", `gr-box${look ? ` ${look}` : ""}`);
        box.append(...lines.map((words, place) => make(place ? "small" : "b", "", words)));
        parts.push({ element: box, index, window });
        return box;
      });
    });
    slab.append(table);
    slabs.append(slab);
  }
  return { node, parts, window };
}

const STEPS = { ArrowLeft: [-1, -1], ArrowRight: [-1, 1], ArrowUp: [-2, -1], ArrowDown: [-2, 1] };

/** The part to which a key leads: within its grid, on to the next slab at an end of it, and from grid to grid. */
export function walked(key, part, grids) {
  const home = grids.findIndex((parts) => parts.includes(part));
  if (key === "PageUp" || key === "PageDown") {
    return grids[(home + (key === "PageDown" ? 1 : grids.length - 1)) % grids.length][0];
  }
  const at = part.index.map((i, dim) => part.window[dim].indexOf(i));
  const last = part.window.map((shown) => shown.length - 1);
  if (key === "Home" || key === "End") at[at.length - 1] = key === "Home" ? 0 : last.at(-1);
  else if (key in STEPS) {
    const [dimension, by] = STEPS[key];
    const lowest = dimension === -1 ? at.length - 1 : 0; // a row ends; past the last row comes the next slab
    for (let dim = at.length + dimension; dim >= lowest; dim -= 1) {
      at[dim] += by;
      if (at[dim] >= 0 && at[dim] <= last[dim]) break;
      if (dim === lowest) return part;
      at[dim] = by > 0 ? 0 : last[dim];
    }
  } else return null;
  return grids[home].find((other) => other.index.every((i, dim) => i === part.window[dim][at[dim]]));
}

/** The frame of an explorer: a group with fields and buttons, whose keys do not reach the notebook. */
export function board(className, label) {
  const root = make("div", `gr gr-board ${className}`);
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", label);
  keepKeys(root);
  return root;
}

/** Words that are read out as they change, a paragraph each. */
export function spokenLines() {
  const lines = make("div", "gr-lines");
  lines.setAttribute("role", "status");
  lines.setAttribute("aria-live", "polite");
  return lines;
}

/** The place of the grids, one stop of the tab key. */
export function stage(label) {
  const node = make("div", "gr-stage");
  node.tabIndex = 0;
  node.setAttribute("role", "application");
  node.setAttribute("aria-roledescription", "grids");
  node.setAttribute("aria-label", label);
  node.setAttribute("aria-description", "Arrow keys walk over the cells, Page Up and Page Down change the grid, Escape leaves.");
  return node;
}

export function button(text, title, act) {
  const node = Object.assign(make("button", "", text), { type: "button", title });
  if (title.includes(text) || !/\w/.test(text)) node.setAttribute("aria-label", title);
  node.addEventListener("click", act);
  return node;
}
