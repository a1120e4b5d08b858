// What is said of an index: the words of words.py; a test compares the two.

import { counted, element, listed, product, tuple } from "../../live/boxes.js";
import { word } from "../../live/elements.js";
import { blockOf, dimsOf, follow, inOrder, picksOf, placeOf, RefusedIndex, walkOf } from "./arithmetic.js";
import { itemsOf } from "./typed_index.js";

const LETTERS = "ijklmnpqrstuvwxyz";

/** What comes of `tensor[typed]`: items, where they lead, what is picked; or why it is refused. */
export function indexed(tensor, typed) {
  const code = `${tensor.name}[${typed.trim()}]`;
  try {
    const { items, isTuple } = itemsOf(typed, tensor);
    const led = follow(tensor, items, isTuple);
    return { tensor, typed, code, items, led, picks: picksOf(led), refused: null };
  } catch (error) {
    if (!(error instanceof RefusedIndex)) throw error;
    return { tensor, typed, code, items: [], led: null, picks: new Map(), refused: error };
  }
}

function stepped({ start, step }, letter) {
  const steps = Math.abs(step) === 1 ? letter : `${Math.abs(step)}·${letter}`;
  if (step < 0) return `${start} - ${steps}`;
  return start ? `${start} + ${steps}` : steps;
}

function rule({ tensor, led }) {
  const letters = [...LETTERS.slice(0, led.size.length)];
  const block = blockOf(led, letters);
  const found = new Map(led.fixed);
  led.axes.forEach((axis, dim) => {
    if (axis.source === null) return;
    const positions = led.chosen.get(dim);
    if (!positions) {
      found.set(axis.source, stepped(axis, letters[placeOf(led, dim)]));
      return;
    }
    const own = block.slice(block.length - positions.size.length);
    found.set(axis.source, element(positions.name, own.map((letter, at) => (positions.size[at] === 1 ? "0" : letter))));
  });
  return `${element("result", letters)} is ${element(tensor.name, inOrder(found))}`;
}

function meeting({ items, led, picks }) {
  const lines = [];
  const picked = [...led.chosen.values()];
  if (items.filter((item) => ["bool", "positions", "mask"].includes(item.kind)).length > 1) {
    const names = listed(picked.map((each) => `${each.name} ${tuple(each.size)}`));
    const where = led.atFront ? "goes to the front, as other dimensions lie between theirs" : "stands in the place of their dimensions";
    lines.push(`${names} are read together, as ${tuple(led.shape)}, which ${where}.`);
  }
  const again = [...picks.values()].filter((times) => times > 1).length;
  if (again && !led.size.includes(0)) {
    const are = again === 1 ? "position is" : "positions are";
    lines.push(`${again} ${are} picked more than once: of several values assigned there, one would stay.`);
  }
  return lines;
}

/** What is said above the table. */
export function lines(story) {
  const { tensor, code, led, refused } = story;
  if (refused) {
    const words = refused.error.endsWith("Error") ? `${refused.error}: ${refused.message}` : refused.message;
    return [`${code}: no result`, words];
  }
  const { name } = tensor;
  const header = led.stride === null || led.isNumber ? "" : `, stride ${tuple(led.stride)}, offset ${led.offset}`;
  const said = [`${code}: size ${tuple(led.size)}${header}`, rule(story)];
  if (led.isNumber) {
    const index = story.typed.trim().replace(/^[ ,]+|[ ,]+$/g, "");
    said.push(`A number: NumPy copies a single element. ${name}[${index}, ...] is a view.`);
  } else if (led.isView) said.push(`A view of ${name}: 0 bytes are copied, and what is written to it is written to ${name}.`);
  else {
    const number = product(led.size);
    const made = `A copy: ${counted(number, "element")} picked into new memory, ${counted(number * tensor.itemsize, "byte")}.`;
    said.push(`${made} Assigning, ${code} = …, writes to ${name} itself.`, ...meeting(story));
  }
  return said;
}

const dimsWords = (first, number) => (number === 0 ? "" : number === 1 ? String(first) : `${first}–${first + number - 1}`);

function does(item, dim, { tensor, led }) {
  const [n, step] = [tensor.size[dim], tensor.stride[dim]];
  if (item.kind === "none") return "a new dimension of length 1";
  if (item.kind === "bool") return `a new dimension, picked ${item.value ? "once" : "never"}`;
  if (item.kind === "int") {
    const at = item.value < 0 ? item.value + n : item.value;
    if (led.chosen.size && tensor.is_numpys) return `position ${at} of ${n}, read together with the index arrays`;
    return `one position of ${n}: the dimension goes, offset + ${at}·${step}`;
  }
  if (item.kind === "slice") {
    const { start, step: by, number } = walkOf(item, n, tensor.is_numpys);
    const moved = start ? `, offset + ${start}·${step}` : "";
    const wider = by === 1 ? "" : `, stride ${step} → ${step * by}`;
    return `length ${n} → ${number}${moved}${wider}`;
  }
  if (item.kind === "mask") {
    const on = item.elements.reduce((sum, each) => sum + each, 0);
    return `mask ${tuple(item.size)}: ${on} of ${item.elements.length} True`;
  }
  return item.kind === "positions" ? `index tensor ${tuple(item.size)}: picks positions of ${n}` : "as it is";
}

/** What each item does, and to which dimension. */
export function table({ tensor, items, led }) {
  const rows = [[word("item"), word("dim"), ""]];
  if (!led) return rows;
  const ndim = tensor.size.length;
  const about = items.reduce((sum, item) => sum + dimsOf(item), 0);
  let dim = 0;
  for (const item of items) {
    const dims = item.kind === "ellipsis" ? ndim - about : dimsOf(item);
    rows.push([item.text, dimsWords(dim, dims), does(item, dim, { tensor, led })]);
    dim += dims;
  }
  if (dim < ndim) rows.push(["", dimsWords(dim, ndim - dim), "as it is"]);
  return rows;
}
