// The stride explorer: what size, stride and offset make of one storage, computed as the sliders move.
// The arithmetic is that of arithmetic.py; a test compares the two.

import { asIs, keepKeys, make, word } from "../../live/elements.js";

const LETTERS = "ijkl";
const MOST_DIMS = 3;
const SHOWN = [4, 8, 12]; // so many positions are drawn of the third-last, second-last and last dimension

export function contiguousStride(size) {
  return size.map((_, dim) => size.slice(dim + 1).reduce((product, n) => product * Math.max(n, 1), 1));
}

export function storageCell(index, stride, offset) {
  return index.reduce((sum, i, dim) => sum + i * stride[dim], offset);
}

export function* indices(size) {
  if (!size.length) {
    yield [];
    return;
  }
  for (let i = 0; i < size[0]; i += 1) for (const rest of indices(size.slice(1))) yield [i, ...rest];
}

const element = (index) => (index.length ? `t[${index.join(", ")}]` : "t");
const list = (numbers) => `[${numbers.join(", ")}]`;
const tuple = (numbers) => (numbers.length === 1 ? `(${numbers[0]},)` : `(${numbers.join(", ")})`);

function refusal({ cells, itemsize, size, stride, offset }) {
  if (stride.some((step) => step < 0)) {
    return ["refused", asIs(`as_strided: Negative strides are not supported at the moment, got strides: ${list(stride)}`)];
  }
  if (offset < 0) return ["refused", asIs(`Tensor: invalid storage offset ${offset}`)];
  const needed = size.includes(0) ? 0 : (1 + storageCell(size.map((n) => n - 1), stride, offset)) * itemsize;
  if (needed <= cells * itemsize) return null;
  return [
    "out of bounds",
    asIs(`setStorage: sizes ${list(size)}, strides ${list(stride)}, storage offset ${offset}, and itemsize ${itemsize} `) +
      asIs(`requiring a storage size of ${needed} are out of bounds for storage of size ${cells * itemsize}`),
  ];
}

/** [kind, sentence] of a header over a storage. */
export function examine(header) {
  const { size, stride, offset } = header;
  const refused = refusal(header);
  if (refused) return refused;
  const expected = contiguousStride(size);
  if (size.includes(0) || size.every((n, dim) => n === 1 || stride[dim] === expected[dim])) {
    return ["contiguous", "contiguous: row by row, the elements are neighbors in the storage"];
  }
  const reached = new Map();
  for (const index of indices(size)) {
    const cell = storageCell(index, stride, offset);
    if (reached.has(cell)) {
      return ["overlapping", `overlapping: cell ${cell} is reached twice, by ${element(reached.get(cell))} and ${element(index)}`];
    }
    reached.set(cell, index);
  }
  const skipped = Math.max(...reached.keys()) - Math.min(...reached.keys()) + 1 - reached.size;
  if (skipped) {
    const are = skipped === 1 ? "cell between its first and last is" : "cells between its first and last are";
    return ["gaps", `not contiguous: ${skipped} ${are} skipped`];
  }
  return ["dense", "not contiguous, but dense: each cell from first to last once, in another order"];
}

export function formula(stride, offset, index) {
  const factors = index ?? [...LETTERS.slice(0, stride.length)];
  const terms = [offset, ...stride.map((step, dim) => `${factors[dim]}·${step}`)].join(" + ");
  const result = index ? ` = ${storageCell(index, stride, offset)}` : "";
  return `${element(factors)} is cell ${terms}${result}`;
}

export function code(name, { size, stride, offset }) {
  return `torch.as_strided(${name}, ${tuple(size)}, ${tuple(stride)}, ${offset})`;
}

/** A slider and a number field that hold one value together. What is below `least` is not taken. */
function control(label, max, value, onChange, least = -Infinity) {
  const row = make("div", "gr-control");
  const slider = Object.assign(make("input"), { type: "range", min: 0, max, value });
  const field = Object.assign(make("input"), { type: "number", min: 0, max: 999, value });
  slider.setAttribute("aria-label", label);
  field.setAttribute("aria-label", `${label}, as a number`);
  let held = value;
  const set = (from, other) => () => {
    const number = Math.trunc(Number(from.value));
    if (from.value === "" || !Number.isFinite(number) || number < least) return;
    held = number;
    other.value = number;
    onChange(number);
  };
  slider.addEventListener("input", set(slider, field));
  field.addEventListener("input", set(field, slider));
  field.addEventListener("change", () => { field.value = held; }); // one that was left empty shows what holds
  row.append(make("span", "gr-label", label), slider, field);
  return row;
}

/** The shown positions of a dimension, and whether some are left out. */
const shownOf = (size, dim) => Math.min(size[dim], SHOWN[SHOWN.length - (size.length - dim)] ?? SHOWN[0]);

function render({ model, el }) {
  const values = model.get("values");
  const name = model.get("name");
  const held = model.get("storage");
  const header = {
    cells: values.length,
    itemsize: model.get("itemsize"),
    size: [...model.get("size")],
    stride: [...model.get("stride")],
    offset: model.get("offset"),
  };
  const root = make("div", "gr gr-strides");
  keepKeys(root);
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", model.get("label"));
  const controls = make("div", "gr-controls");
  const codeLine = make("div", "gr-code");
  const verdict = make("p", "gr-verdict");
  verdict.setAttribute("role", "status");
  verdict.setAttribute("aria-live", "polite");
  const storage = make("div", "gr-storage");
  const result = make("div", "gr-result");
  result.tabIndex = 0;
  result.setAttribute("role", "application");
  result.setAttribute("aria-roledescription", "tensor");
  result.setAttribute("aria-label", "the tensor t: walk with the arrow keys, Esc leaves");
  const rule = make("p", "gr-rule");
  rule.setAttribute("aria-live", "polite");
  const picture = make("div", "gr-picture");
  picture.append(make("span", "gr-label", held === name ? `storage of ${name}` : `${held}, the storage of ${name}`), storage, make("span", "gr-label", "t"), result);
  root.append(controls, codeLine, verdict, picture, rule);
  el.replaceChildren(root);

  let elements = []; // of the drawn tensor: {index, cell, node}
  let strip = [];
  let current = null;

  const light = (index, cell) => {
    for (const each of elements) {
      each.node.classList.toggle("on", each.cell === cell);
      each.node.classList.toggle("at", index !== null && each.index.join() === index.join());
    }
    strip.forEach((node, position) => node.classList.toggle("on", position === cell));
    rule.textContent = formula(header.stride, header.offset, index ?? undefined);
    if (index === null && cell !== null) {
      const who = elements.filter((each) => each.cell === cell).map((each) => element(each.index));
      rule.textContent = `cell ${cell} is ${who.length ? who.join(", ") : "reached by no element shown"}`;
    }
  };

  function drawStorage(counts) {
    strip = values.map((value, position) => {
      const box = make("div", "gr-box");
      const times = counts.get(position) ?? 0;
      box.classList.toggle("used", times > 0);
      box.classList.toggle("twice", times > 1);
      box.append(make("small", "", position), make("b", "", value), make("small", "gr-times", times > 1 ? `×${times}` : ""));
      box.addEventListener("pointerenter", () => light(null, position));
      return box;
    });
    storage.replaceChildren(...strip);
  }

  function drawTensor(counts) {
    elements = [];
    const { size, stride, offset } = header;
    const shown = size.map((_, dim) => shownOf(size, dim));
    const slabs = new Map();
    for (const index of indices(shown)) {
      const cell = storageCell(index, stride, offset);
      const outside = cell < 0 || cell >= header.cells;
      const box = make("div", "gr-box used");
      box.classList.toggle("lost", outside);
      box.classList.toggle("twice", (counts.get(cell) ?? 0) > 1);
      box.append(make("b", "", cell), make("small", "", outside ? "✕" : values[cell]));
      box.addEventListener("pointerenter", () => light(index, cell));
      elements.push({ index, cell, node: box });
      const outer = index.slice(0, -2).join(", ");
      if (!slabs.has(outer)) slabs.set(outer, []);
      slabs.get(outer).push(box);
    }
    const drawn = [...slabs].map(([outer, boxes]) => {
      const slab = make("div", "gr-slab");
      const grid = make("div", "gr-grid");
      grid.style.gridTemplateColumns = `repeat(${shown.at(-1) ?? 1}, max-content)`;
      grid.append(...boxes);
      if (outer) slab.append(make("small", "gr-label", `t[${outer}]`));
      slab.append(grid);
      return slab;
    });
    if (size.includes(0)) drawn.push(make("span", "gr-label", "no elements"));
    else if (shown.some((n, dim) => n < size[dim])) drawn.push(make("span", "gr-label", "… and more"));
    result.replaceChildren(...drawn);
  }

  function draw() {
    const [kind, sentence] = examine(header);
    const counts = new Map();
    if (header.size.reduce((product, n) => product * n, 1) <= 10000) {
      for (const index of indices(header.size)) {
        const cell = storageCell(index, header.stride, header.offset);
        counts.set(cell, (counts.get(cell) ?? 0) + 1);
      }
    }
    current = null;
    codeLine.textContent = code(name, header);
    verdict.textContent = sentence;
    verdict.dataset.kind = kind;
    drawStorage(counts);
    drawTensor(counts);
    light(null, null);
  }

  function drawControls() {
    const rows = [];
    header.size.forEach((_, dim) => {
      const row = make("div", "gr-dim");
      row.append(
        make("span", "gr-label", `dim ${dim}`),
        control(`size[${dim}]`, header.cells, header.size[dim], (n) => { header.size[dim] = n; draw(); }, 0),
        control(`stride[${dim}]`, header.cells, header.stride[dim], (n) => { header.stride[dim] = n; draw(); }),
      );
      rows.push(row);
    });
    const last = make("div", "gr-dim");
    const button = (text, title, able, act) => {
      const node = Object.assign(make("button", "", text), { type: "button", title, disabled: !able });
      node.addEventListener("click", () => {
        act();
        drawControls();
        draw();
        const able = [...controls.querySelectorAll("button:enabled")]; // the buttons are new ones: the keyboard stays on its own
        (able.find((other) => other.textContent === text) ?? controls.querySelector("input")).focus({ preventScroll: true });
      });
      return node;
    };
    last.append(
      make("span", "gr-label", ""),
      control("offset", header.cells, header.offset, (n) => { header.offset = n; draw(); }),
      button(word("+ dimension"), "add a dimension in front", header.size.length < MOST_DIMS, () => {
        header.stride.unshift(contiguousStride([1, ...header.size])[0]);
        header.size.unshift(1);
      }),
      button(word("− dimension"), "take the first dimension away", header.size.length > 0, () => {
        header.size.shift();
        header.stride.shift();
      }),
      button(word("contiguous"), "set the strides of a fresh tensor", true, () => { header.stride = contiguousStride(header.size); }),
    );
    controls.replaceChildren(...rows, last);
  }

  const moves = { ArrowLeft: [-1, -1], ArrowRight: [-1, 1], ArrowUp: [-2, -1], ArrowDown: [-2, 1], PageUp: [-3, -1], PageDown: [-3, 1] };
  const go = (index) => {
    const found = elements.find((each) => each.index.join() === index.join());
    if (!found) return;
    current = index;
    light(current, found.cell);
    found.node.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  result.addEventListener("keydown", (event) => {
    const move = moves[event.key];
    if (!move || !current) return;
    event.preventDefault();
    const dim = current.length + move[0];
    if (dim >= 0) go(current.map((i, d) => (d === dim ? i + move[1] : i)));
  });
  result.addEventListener("focus", () => elements.length && go(current ?? elements[0].index));
  result.addEventListener("blur", () => light(null, null));
  picture.addEventListener("pointerleave", () => light(null, null));
  drawControls();
  draw();
}

export default { render };
