// Where an index leads: the arithmetic of arithmetic.py, line for line, PyTorch's and NumPy's; a test compares the two.

import { combinations, product, tuple } from "../../live/boxes.js";
import { asIs } from "../../live/elements.js";

const MOST_PICKS = 65536;

/** An index that PyTorch refuses; `error` names the class that it raises. */
export class RefusedIndex extends Error {
  constructor(error, words) {
    super(words);
    this.error = error;
  }
}

const bracketed = (numbers) => `[${numbers.join(", ")}]`;
const modulo = (i, n) => ((i % n) + n) % n;
export const every = (size) => combinations(size.map((n) => [...Array(n).keys()]));

/** How many dimensions of the tensor an item is about. */
export function dimsOf({ kind, size }) {
  if (kind === "mask") return size.length;
  return kind === "int" || kind === "slice" || kind === "positions" ? 1 : 0;
}

/** The element of index tensor `positions` at an index of the size that it is broadcast to. */
export function elementAt({ size, elements }, index) {
  const own = index.slice(index.length - size.length);
  return elements[own.reduce((place, i, dim) => place * size[dim] + (size[dim] === 1 ? 0 : i), 0)];
}

function nonzero(mask) {
  const found = every(mask.size).filter((_, at) => mask.elements[at]);
  return mask.size.map((_, dim) => ({
    kind: "positions", name: `${mask.name}.nonzero()[:, ${dim}]`, size: [found.length], stride: [1],
    elements: found.map((index) => index[dim]),
  }));
}

/** The start and step of a slice along a dimension, and how many positions it has. */
export function walkOf({ start, stop, step }, length, isNumpys) {
  const by = step ?? 1;
  if (by === 0) throw new RefusedIndex("ValueError", asIs("slice step cannot be zero"));
  if (by < 0 && !isNumpys) throw new RefusedIndex("ValueError", asIs("step must be greater than zero"));
  const [low, high] = by < 0 ? [-1, length - 1] : [0, length];
  const within = (i) => Math.min(Math.max(i < 0 ? i + length : i, low), high);
  const [first, last] = by < 0 ? [high, low] : [low, high];
  const begin = start === null ? first : within(start);
  const end = stop === null ? last : within(stop);
  const number = Math.max(Math.ceil((end - begin) / by), 0);
  return isNumpys && !number ? { start: 0, step: 1, number } : { start: begin, step: by, number };
}

function positionOf(i, where, length) {
  if (i < -length || i >= length) {
    throw new RefusedIndex("IndexError", asIs(`index ${i} is out of bounds for ${where} with size ${length}`));
  }
  return i < 0 ? i + length : i;
}

function sliced(item, dim, length, stride, isNumpys) {
  const { start, step, number } = walkOf(item, length, isNumpys);
  return { source: dim, length: number, stride: stride * step, start, step };
}

function checkScalar(item) {
  if (item.kind === "slice") {
    walkOf(item, 0, false);
    throw new RefusedIndex("IndexError", asIs("slice() cannot be applied to a 0-dim tensor."));
  }
  if (item.kind === "int") {
    if (item.value) positionOf(item.value, "dimension 0", 0);
    const words = asIs("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a");
    throw new RefusedIndex("IndexError", asIs(`${words} 0-dim tensor to a number`));
  }
}

/** How many dimensions the items are about; refuses what cannot be counted. */
function aboutHowMany(ndim, items, isTuple, isNumpys) {
  if (!isTuple && !ndim && !isNumpys) checkScalar(items[0]);
  const about = items.reduce((sum, item) => sum + dimsOf(item), 0);
  if (items.filter((item) => item.kind === "ellipsis").length > 1) {
    if (isNumpys) throw new RefusedIndex("IndexError", asIs("an index can only have a single ellipsis ('...')"));
    throw new RefusedIndex("not read here", "... stands for all dimensions that no other item is about: once is enough");
  }
  if (about > ndim && isNumpys) {
    const words = asIs(`too many indices for array: array is ${ndim}-dimensional, but ${about} were indexed`);
    throw new RefusedIndex("IndexError", words);
  }
  if (about > ndim) throw new RefusedIndex("IndexError", asIs(`too many indices for tensor of dimension ${ndim}`));
  return about;
}

/** Whether slices, None or ... stand between NumPy's index arrays, of which ints are some. */
function separated(items) {
  const areArrays = items.map((item) => ["int", "bool", "positions", "mask"].includes(item.kind));
  return areArrays.slice(areArrays.indexOf(true), areArrays.lastIndexOf(true)).includes(false);
}

/** Apply the basic items to `led`; answers with the others, each with the axis where it begins. */
function basic(size, stride, items, led, about, isNumpys) {
  const ndim = size.length;
  const picks = items.some((item) => ["bool", "positions", "mask"].includes(item.kind));
  const chosen = [];
  let dim = 0;
  const whole = (after) => {
    for (; dim < after; dim += 1) led.axes.push({ source: dim, length: size[dim], stride: stride[dim], start: 0, step: 1 });
  };
  const unsqueezed = () => (isNumpys ? 0 : dim < ndim ? size[dim] * stride[dim] : 1);
  const fresh = () => ({ source: null, length: 1, stride: unsqueezed(), start: 0, step: 1 });
  const choose = (name, own, elements) => {
    chosen.push([led.axes.length, { kind: "positions", name, size: own, stride: own.map(() => 1), elements }]);
  };
  items.forEach((item, position) => {
    if (item.kind === "none") led.axes.push(fresh());
    else if (item.kind === "bool") {
      choose(item.text, [Number(item.value)], item.value ? [0] : []);
      led.axes.push(fresh());
    } else if (item.kind === "int" && isNumpys && picks) {
      choose(item.text, [], [item.value]);
      whole(dim + 1);
    } else if (item.kind === "int") {
      led.fixed.set(dim, positionOf(item.value, isNumpys ? asIs(`axis ${dim}`) : asIs(`dimension ${position}`), size[dim]));
      led.offset += led.fixed.get(dim) * stride[dim];
      dim += 1;
    } else if (item.kind === "slice") {
      led.axes.push(sliced(item, dim, size[dim], stride[dim], isNumpys));
      led.offset += led.axes.at(-1).start * stride[dim];
      dim += 1;
    } else if (item.kind === "ellipsis") whole(dim + ndim - about);
    else {
      chosen.push([led.axes.length, item]);
      whole(dim + dimsOf(item));
    }
  });
  whole(ndim);
  return chosen;
}

function checkMask(mask, axes, first, isNumpys) {
  mask.size.forEach((n, dim) => {
    const axis = axes[first + dim];
    if (axis.length === n) return;
    if (isNumpys) {
      const words = asIs(`boolean index did not match indexed array along axis ${axis.source}; size of axis is ${axis.length}`);
      throw new RefusedIndex("IndexError", asIs(`${words} but size of corresponding boolean axis is ${n}`));
    }
    const words = asIs(`The shape of the mask ${bracketed(mask.size)} at index ${dim} does not match the shape of the indexed tensor`);
    throw new RefusedIndex("IndexError", asIs(`${words} ${bracketed(axes.map((each) => each.length))} at index ${first + dim}`));
  });
}

function mismatch(picked, isNumpys) {
  const sizes = isNumpys
    ? asIs(`arrays could not be broadcast together with shapes ${picked.filter((each) => each.size.length).map((each) => tuple(each.size).replaceAll(" ", "")).join(" ")} `)
    : asIs(`tensors could not be broadcast together with shapes ${picked.map((each) => bracketed(each.size)).join(", ")}`);
  return new RefusedIndex("IndexError", asIs(`shape mismatch: indexing ${sizes}`));
}

function commonSize(picked, isNumpys) {
  const dims = Math.max(0, ...picked.map((each) => each.size.length));
  return [...Array(dims).keys()].map((at) => {
    const lengths = picked.map((each) => each.size.at(at - dims)).filter((n) => n !== undefined && n !== 1);
    if (new Set(lengths).size > 1) throw mismatch(picked, isNumpys);
    return lengths[0] ?? 1;
  });
}

function checkPositions(picked, lengths, where, shape) {
  for (const block of every(shape)) {
    picked.forEach((each, number) => positionOf(elementAt(each, block), where[number], lengths[number]));
  }
}

/** Pick along the axes that the other items stand at. `isApart` is what NumPy goes by, null for PyTorch. */
function advanced(led, chosen, isApart) {
  const isNumpys = isApart !== null;
  const lengths = led.axes.map((axis) => axis.length);
  for (const [first, positions] of chosen) {
    if (positions.kind === "mask") checkMask(positions, led.axes, first, isNumpys);
    (positions.kind === "mask" ? nonzero(positions) : [positions]).forEach((each, at) => led.chosen.set(first + at, each));
  }
  for (const [dim, one] of led.chosen) {
    if (isNumpys && !one.size.length) positionOf(one.elements[0], asIs(`axis ${led.axes[dim].source}`), lengths[dim]);
  }
  const dims = [...led.chosen.keys()];
  const picked = [...led.chosen.values()];
  led.shape = commonSize(picked, isNumpys);
  led.atFront = isApart ?? (dims.length > 0 && Math.max(...dims) - Math.min(...dims) + 1 !== dims.length);
  led.first = led.atFront || !dims.length ? 0 : Math.min(...dims);
  const rest = lengths.filter((_, dim) => !led.chosen.has(dim));
  led.size = [...rest.slice(0, led.first), ...led.shape, ...rest.slice(led.first)];
  const along = dims.map((dim) => lengths[dim]);
  if (along.includes(0) && !led.shape.includes(0) && !isNumpys) {
    throw new RefusedIndex("IndexError", asIs("index is out of bounds for dimension with size 0"));
  }
  if (product(led.shape) > MOST_PICKS) {
    throw new RefusedIndex("too much to draw", "index tensors are drawn that pick up to 65,536 positions");
  }
  if (!(isNumpys ? led.shape : led.size).includes(0)) {
    const where = dims.map((dim, at) => (isNumpys ? asIs(`axis ${led.axes[dim].source}`) : asIs(`dimension ${at}`)));
    checkPositions(picked, along, where, led.shape);
  }
  const order = led.atFront ? [...dims, ...led.axes.keys()].filter((dim, at, all) => all.indexOf(dim) === at) : [...led.axes.keys()];
  led.stride = isNumpys ? null : resultStrides(order.map((dim) => led.axes[dim]), led, picked);
  led.offset = 0;
}

/** The strides with which cells are read as another size; null if that takes a copy. As tensorglass.geometry has it. */
function viewStrides(size, stride, wanted) {
  if (size.includes(0)) {
    if (size.join() === wanted.join()) return stride;
    return wanted.map((_, dim) => product(wanted.slice(dim + 1).map((n) => Math.max(n, 1))));
  }
  const made = wanted.map(() => 1);
  let place = wanted.length - 1;
  let run = 1;
  let step = stride.at(-1) ?? 1;
  for (let dim = size.length - 1; dim >= 0; dim -= 1) {
    run *= size[dim];
    if (dim > 0 && (size[dim - 1] === 1 || stride[dim - 1] === run * step)) continue; // the same run goes on
    let filled = 1;
    for (; place >= 0 && (filled < run || wanted[place] === 1); place -= 1) {
      made[place] = filled * step;
      filled *= wanted[place];
    }
    if (filled !== run) return null;
    run = 1;
    step = stride[dim - 1];
  }
  return made;
}

/** The strides of what is picked: PyTorch lays the result out in the order in which it walks tensor and index tensors. */
function resultStrides(axes, { first, shape, size }, picked) {
  const after = first + picked.length;
  const strides = axes.map((axis) => axis.stride);
  const operands = [[...strides.slice(0, first), ...shape.map(() => 0), ...strides.slice(after)]];
  const contiguous = size.map((_, dim) => product(size.slice(dim + 1).map((n) => Math.max(n, 1))));
  let areAlike = true;
  for (const each of picked) {
    const lead = shape.length - each.size.length;
    const own = shape.map((n, dim) => (dim < lead || (each.size[dim - lead] === 1 && n !== 1) ? 0 : each.stride[dim - lead]));
    const around = [...Array(first).fill(1), ...shape, ...strides.slice(after).map(() => 1)];
    const stride = viewStrides(shape, own, around) ?? around; // stretched along all dimensions that it does not index
    operands.push(stride.map((step, dim) => (around[dim] === 1 && size[dim] !== 1 ? 0 : step)));
    areAlike &&= around.join() === size.join();
  }
  const isContiguous = (stride) => size.includes(0) || size.every((n, dim) => n === 1 || stride[dim] === contiguous[dim]);
  if (areAlike && operands.every(isContiguous)) return contiguous;
  const precedes = (inner, outer) => {
    for (const stride of operands) {
      const [a, b] = [stride[inner], stride[outer]];
      if (a === 0 || b === 0) continue; // stretched: it has no place of its own in memory
      if (a !== b) return a > b ? 1 : -1;
      if (size[inner] > size[outer]) return 1;
    }
    return 0;
  };
  const order = [...size.keys()].reverse(); // the innermost first
  for (let at = 1; at < order.length; at += 1) {
    let place = at;
    for (let before = at - 1; before >= 0; before -= 1) {
      const said = precedes(order[before], order[place]);
      if (said > 0) {
        [order[before], order[place]] = [order[place], order[before]];
        place = before;
      } else if (said < 0) break;
    }
  }
  if (order.every((dim, at) => dim === size.length - 1 - at)) return contiguous;
  const result = Array(size.length);
  let step = 1;
  for (const dim of order) {
    result[dim] = step;
    step *= size[dim];
  }
  return result;
}

/** Follow an index into a tensor, or into an array of NumPy's. Throws RefusedIndex for what is refused. */
export function follow({ size, stride, offset, is_numpys: isNumpys = false }, items, isTuple) {
  const led = {
    size: [], stride: [], offset, axes: [], fixed: new Map(), chosen: new Map(), shape: [], first: 0, atFront: false, isNumber: false,
  };
  const about = aboutHowMany(size.length, items, isTuple, isNumpys);
  const chosen = basic(size, stride, items, led, about, isNumpys);
  if (chosen.length) advanced(led, chosen, isNumpys ? separated(items) : null);
  else {
    led.size = led.axes.map((axis) => axis.length);
    led.stride = led.axes.map((axis) => axis.stride);
    led.isNumber = isNumpys && !led.axes.length && items.every((item) => item.kind === "int");
  }
  led.isView = led.chosen.size === 0 && !led.isNumber;
  return led;
}

/** The result's dimension that an axis became which is not chosen. */
export function placeOf(led, dim) {
  const kept = [...Array(dim).keys()].filter((each) => !led.chosen.has(each)).length;
  return led.chosen.size && kept >= led.first ? kept + led.shape.length : kept;
}

export const blockOf = (led, index) => index.slice(led.first, led.first + led.shape.length);

export const inOrder = (found) => [...found.keys()].sort((a, b) => a - b).map((source) => found.get(source));

/** The index of the tensor's cell that a cell of the result is. */
export function sourceOf(led, index) {
  const found = new Map(led.fixed);
  led.axes.forEach((axis, dim) => {
    if (axis.source === null) return;
    let at = index[placeOf(led, dim)];
    if (led.chosen.has(dim)) {
      at = elementAt(led.chosen.get(dim), blockOf(led, index));
      if (at < 0) at += axis.length;
    }
    found.set(axis.source, axis.start + at * axis.step);
  });
  return inOrder(found);
}

/** How often each combination of positions is picked along the chosen axes that walk along the tensor. */
export function picksOf(led) {
  const along = [...led.chosen.keys()].filter((dim) => led.axes[dim].source !== null);
  const picks = new Map();
  for (const block of every(led.shape)) {
    const key = along.map((dim) => modulo(elementAt(led.chosen.get(dim), block), Math.max(led.axes[dim].length, 1))).join();
    picks.set(key, (picks.get(key) ?? 0) + 1);
  }
  return picks;
}

/** How often the result has a cell of the tensor. */
export function timesOf(led, picks, cell) {
  const wanted = [];
  for (const [source, at] of led.fixed) if (cell[source] !== at) return 0;
  for (const [dim, axis] of led.axes.entries()) {
    if (axis.source === null) continue;
    const position = (cell[axis.source] - axis.start) / axis.step;
    if (!Number.isInteger(position) || position < 0 || position >= axis.length) return 0;
    if (led.chosen.has(dim)) wanted.push(position);
  }
  return picks.get(wanted.join()) ?? 0;
}
