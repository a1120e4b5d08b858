// The broadcast explorer: sizes lined up, what is stretched, and which cells each cell of the result reads, as sizes are changed.
// The arithmetic and the words are those of broadcast.py; a test compares the two.

import { board, button, combinations, counted, element, gridOf, listed, product, spokenLines, stage, tuple, visibleWindow, walked } from "../../live/boxes.js";
import { asIs, grouped, make, scrolling, word } from "../../live/elements.js";
import { explored } from "../../live/pointing.js";

const LETTERS = "ijklmnpqrstuvwxyz";
const HELP = "Point at a cell to see what is read, or walk with the arrow keys.";
const HUES = 6;
const MOST_OPERANDS = 6;
const MOST_DIMS = 6;
const NAME_IN_A_BOX = 6;
const NO_SIZE = `A size is written as integers, such as (4, 1) or 4 1, at most ${MOST_DIMS} of them.`;

const nbytes = (operand, size) => product(size) * operand.itemsize;
const same = (one, other) => one.join() === other.join();

/** The size at which sizes meet, and what PyTorch says if they do not. */
export function meet(sizes) {
  let common = sizes[0];
  for (const size of sizes) {
    const [a, b] = [common, size];
    const met = [...(a.length >= b.length ? a : b)];
    for (let back = 1; back <= Math.min(a.length, b.length); back += 1) {
      const [m, n] = [a.at(-back), b.at(-back)];
      if (m !== n && m !== 1 && n !== 1) {
        const where = asIs(`at non-singleton dimension ${met.length - back}`);
        return { size: null, refusal: asIs(`The size of tensor a (${m}) must match the size of tensor b (${n}) ${where}`) };
      }
      met[met.length - back] = m === 1 ? n : m;
    }
    common = met;
  }
  return { size: common, refusal: "" };
}

const dimsOf = (operands) => Math.max(...operands.map((operand) => operand.size.length));
const aligned = (operand, dims) => [...Array(dims - operand.size.length).fill(null), ...operand.size];

function badDim(operands, dims) {
  for (let dim = dims - 1; dim >= 0; dim -= 1) {
    const lengths = operands.map((operand) => aligned(operand, dims)[dim]).filter((n) => n !== null && n !== 1);
    if (new Set(lengths).size > 1) return dim;
  }
  return null;
}

/** The operand's own index of the cell that is read at an index of the result. */
export function readBy(operand, index) {
  return index.slice(index.length - operand.size.length).map((i, dim) => (operand.size[dim] === 1 ? 0 : i));
}

function isFirst(operand, index) {
  return aligned(operand, index.length).every((n, dim) => index[dim] === 0 || (n !== 1 && n !== null));
}

export function stretchedStride(operand, size) {
  const stride = aligned({ size: operand.stride }, size.length);
  return aligned(operand, size.length).map((n, dim) => (n === null || (n === 1 && size[dim] !== 1) ? 0 : stride[dim]));
}

function why(operands, dims) {
  const bad = badDim(operands, dims);
  const has = operands.map((operand) => [operand.name, aligned(operand, dims)[bad]]).filter(([, n]) => n !== null);
  const lines = [`Dimension ${bad}: ${listed(has.map(([name, n]) => `${name} has ${n}`))}. Lengths fit if they are the same, or 1.`];
  for (const operand of operands) {
    const others = operands.filter((other) => other !== operand).map((other) => other.size);
    for (let behind = 1; behind <= dims - operand.size.length; behind += 1) {
      const size = [...operand.size, ...Array(behind).fill(1)];
      if (!meet([...others, size]).size) continue;
      const index = ["...", ...Array(behind).fill("None")].join(", ");
      lines.push(`${operand.name}[${index}] has size ${tuple(size)}, and would fit.`);
      break;
    }
  }
  return lines;
}

function saved(stretched, size) {
  if (!stretched.length) return "Nothing is stretched: all have the result's size.";
  if (size.includes(0)) return "Nothing is read: the result has no elements.";
  const whole = stretched.reduce((sum, operand) => sum + nbytes(operand, size), 0);
  const [again, copies] = stretched.length === 1 ? ["is read again", word("A copy")] : ["are read again", word("Copies")];
  const names = listed(stretched.map((operand) => operand.name));
  return `${names} ${again} through stride 0: 0 bytes are copied. ${copies} would take ${counted(whole, "byte")}.`;
}

/** Whether elements of its own lie in one cell, as after `expand`: PyTorch does not write to such a tensor. */
function sharesCells(operand) {
  return !operand.size.includes(0) && operand.size.some((n, dim) => n > 1 && operand.stride[dim] === 0);
}

function inPlace(operands, stretched, size) {
  const full = operands.filter((operand) => !stretched.includes(operand));
  const named = (some) => listed(some.map((operand) => operand.name));
  const able = full.filter((operand) => !sharesCells(operand));
  if (able.length === operands.length) return "In place: each can take the result.";
  const said = able.length ? [`${named(able)} can take the result`] : [];
  const shared = full.filter(sharesCells);
  if (shared.length) said.push(`${named(shared)} cannot (several of the elements share a cell)`);
  if (stretched.length) {
    const reason = asIs(`output with shape [${stretched[0].size.join(", ")}] doesn't match the broadcast shape [${size.join(", ")}]`);
    said.push(`${named(stretched)} cannot (${reason})`);
  }
  return `In place: ${said.join(", ")}.`;
}

/** What is said above the table. */
export function lines(operands) {
  const { size, refusal } = meet(operands.map((operand) => operand.size));
  const dims = dimsOf(operands);
  const met = listed(operands.map((operand) => `${operand.name} ${tuple(operand.size)}`));
  if (!size) return [`${met}: no common size`, refusal, ...why(operands, dims)];
  const letters = [...LETTERS.slice(0, dims)];
  const reads = operands.map((operand) => element(operand.name, readBy(operand, letters)));
  const stretched = operands.filter((operand) => !same(operand.size, size));
  return [
    `${met} → ${tuple(size)}`,
    `${element("result", letters)} reads ${listed(reads)}`,
    saved(stretched, size),
    inPlace(operands, stretched, size),
  ];
}

/** The sizes, lined up: a head, a row for each operand, and the result's. */
export function table(operands) {
  const { size } = meet(operands.map((operand) => operand.size));
  const dims = dimsOf(operands);
  const all = [...Array(dims).keys()];
  const bad = size ? null : badDim(operands, dims);
  const entry = (n, dim) => {
    if (!size) return n === null ? "" : dim === bad && n !== 1 ? `${n} ✕` : String(n);
    return n === null ? `·→${size[dim]}` : n === size[dim] ? String(n) : `${n}→${size[dim]}`;
  };
  const rows = operands.map((operand) => {
    const isStretched = size && !same(operand.size, size);
    const stride = `stride ${tuple(operand.stride)}${isStretched ? ` → ${tuple(stretchedStride(operand, size))}` : ""}`;
    const bytes = nbytes(operand, operand.size);
    const own = counted(bytes, "byte");
    return [
      `${operand.name} ${tuple(operand.size)}`,
      ...aligned(operand, dims).map(entry),
      operand.unit === "bytes" ? `${stride} bytes` : stride,
      isStretched ? `${own}, copied ${grouped(nbytes(operand, size))}` : own,
    ];
  });
  const last = size
    ? ["result", ...size.map(String), "", counted(product(size), "element")]
    : ["no result", ...all.map((dim) => (dim === bad ? "✕" : "")), "", ""];
  return [["", ...all.map((dim) => `dim ${dim}`), "", ""], ...rows, last];
}

/** What stands in a cell: its value, or for a mere size the number of the cell. */
function valueOf(operand, index) {
  return operand.values[index.join()] ?? String(index.reduce((sum, i, dim) => sum + i * operand.stride[dim], 0));
}

const short = (name) => (name.length <= NAME_IN_A_BOX ? name : `${name.slice(0, NAME_IN_A_BOX - 1)}…`);

function operandGrid(operand, size, hue) {
  const shape = size ?? operand.size;
  const own = (index) => (size ? readBy(operand, index) : index);
  const stretched = same(shape, operand.size) ? "" : `, stretched to ${tuple(shape)}`;
  const grid = gridOf({
    title: `${operand.name} ${tuple(operand.size)}${stretched}`,
    size: shape,
    hue,
    boxAt: (index) => ({
      lines: [valueOf(operand, own(index)), ...(operand.size.length ? [`[${own(index).join()}]`] : [])],
      look: size && !isFirst(operand, index) ? "again" : "",
    }),
  });
  for (const part of grid.parts) Object.assign(part, { operand, own: own(part.index) });
  return grid;
}

function resultGrid(operands, size) {
  const read = (operand, own) => {
    const cell = element(short(operand.name), own).replaceAll(" ", "");
    return Object.keys(operand.values).length ? `${cell} ${valueOf(operand, own)}` : cell;
  };
  const reads = (index) => operands.map((operand) => read(operand, readBy(operand, index)));
  return gridOf({ title: `result ${tuple(size)}`, size, boxAt: (index) => ({ lines: reads(index), look: "even" }) });
}

function tableNode(operands) {
  const [head, ...rows] = table(operands);
  const node = make("table", "gr-sizes");
  const line = (words, tag, hue) => {
    const row = make("tr", hue === null ? "" : `hue${hue}`);
    const failed = hue === null && words.some((word) => word.includes("✕")); // the result's line, where there is none
    row.append(...words.map((word, at) => {
      const cell = make(!word ? "td" : at === 0 ? "th" : tag, word.includes("✕") || (at === 0 && failed) ? "bad" : "", word);
      if (cell.tagName === "TH") cell.scope = tag === "th" ? "col" : "row";
      if (at === 0 && hue !== null) cell.prepend(make("i", "gr-lane"));
      return cell;
    }));
    return row;
  };
  const body = make("tbody");
  body.append(...rows.map((row, at) => line(row, "td", at < operands.length ? at % HUES : null)));
  const top = make("thead");
  top.append(line(head, "th", null));
  node.append(top, body);
  return node;
}

/** A size as it is typed: numbers with anything but letters and signs between them; null if it is none. */
export function sizeOf(typed) {
  if (!/^[\s\d,()[\]×x]*$/.test(typed)) return null;
  const size = (typed.match(/\d+/g) ?? []).map(Number);
  return size.length > MOST_DIMS || size.some((n) => n > 1e9) ? null : size;
}

function counting(name, size) {
  const stride = size.map((_, dim) => product(size.slice(dim + 1).map((n) => Math.max(n, 1))));
  return { name, size, stride, itemsize: 4, unit: "elements", values: {} };
}

/** The sentence about a part, and the parts that light up with it. */
function about(part, parts, operands, isCut) {
  const shown = isCut ? " (of the cells shown)" : "";
  if (!part.operand) {
    const read = operands.map((operand) => ({ operand, own: readBy(operand, part.index) }));
    const lit = parts.filter((other) => other.operand && same(other.index, part.index));
    const originals = parts.filter((other) => read.some(({ operand, own }) =>
      other.operand === operand && same(other.own, own) && isFirst(operand, other.index)));
    const words = read.map(({ operand, own }) => `${element(operand.name, own)} (${valueOf(operand, own)})`);
    return { sentence: `${element("result", part.index)} reads ${listed(words)}`, lit: [...lit, ...originals] };
  }
  const twins = parts.filter((other) => other.operand === part.operand && same(other.own, part.own));
  const name = `${element(part.operand.name, part.own)} (${valueOf(part.operand, part.own)})`;
  const readers = parts.filter((other) => !other.operand && same(readBy(part.operand, other.index), part.own));
  if (!readers.length) return { sentence: name, lit: [] };
  const words = listed(readers.map((other) => element("result", other.index)));
  return { sentence: `${name} is read by ${words}${shown}`, lit: [...twins, ...readers] };
}

function render({ model, el }) {
  const given = model.get("operands");
  let operands = [...given];
  const root = board("gr-broadcast", model.get("label"));
  const fields = make("div", "gr-fields");
  const said = spokenLines();
  const picture = make("div", "gr-picture");
  const look = scrolling(picture, "the sizes and the cells");
  const status = make("p", "gr-status idle");
  status.setAttribute("aria-live", "polite");
  root.append(fields, said, picture, status);
  el.replaceChildren(root);

  function draw() {
    const { size, refusal } = meet(operands.map((operand) => operand.size));
    said.replaceChildren(...lines(operands).map((line) => make("p", line === refusal ? "bad" : "", line)));
    const grids = operands.map((operand, at) => operandGrid(operand, size, at % HUES));
    if (size) grids.push(resultGrid(operands, size));
    const parts = grids.flatMap((grid) => grid.parts);
    const isCut = size !== null && combinations(visibleWindow(size)).length < product(size);
    const place = stage("the cells of the operands and of the result");
    place.append(...grids.map((grid) => grid.node));
    picture.replaceChildren(tableNode(operands), place);
    look();
    const light = (part) => {
      for (const other of parts) other.element.classList.remove("on", "at");
      status.classList.toggle("idle", !part);
      if (!part) {
        status.textContent = parts.length ? HELP : "";
        return;
      }
      const { sentence, lit } = about(part, parts, operands, isCut);
      status.textContent = sentence;
      for (const other of lit) other.element.classList.add("on");
      part.element.classList.add("at");
    };
    const filled = grids.map((grid) => grid.parts).filter((each) => each.length);
    const moved = (key, part) => (part ? walked(key, part, filled) : null);
    explored(place, parts, { name: "gr-box", first: filled.at(-1)?.[0] ?? null, light, moved });
    light(null);
  }

  function drawFields() {
    const rows = operands.map((operand, at) => {
      const row = make("label", `gr-field hue${at % HUES}`);
      const field = Object.assign(make("input"), { type: "text", value: tuple(operand.size), spellcheck: false });
      field.setAttribute("aria-label", `size of ${operand.name}`);
      field.addEventListener("input", () => {
        const size = sizeOf(field.value);
        field.setAttribute("aria-invalid", size === null);
        if (size === null) {
          status.textContent = NO_SIZE;
          return;
        }
        const own = given.find((each) => each.name === operand.name && same(each.size, size));
        operands = operands.map((each, place) => (place === at ? own ?? counting(operand.name, size) : each));
        draw();
      });
      row.append(make("i", "gr-lane"), make("span", "", operand.name), field);
      if (operands.length > 1) row.append(button("−", `take ${operand.name} away`, () => change(operands.filter((_, place) => place !== at), at)));
      return row;
    });
    const more = button(word("+ operand"), "add an operand", () => {
      const taken = operands.map((operand) => operand.name);
      change([...operands, counting([..."abcdefghijkl"].find((letter) => !taken.includes(letter)), [1])], operands.length);
    });
    more.disabled = operands.length >= MOST_OPERANDS;
    fields.replaceChildren(...rows, more, button("as given", "begin again with the sizes given", () => change([...given], 0)));
  }

  /** Other operands; the keyboard goes to the field of the one at `place`, since all fields and buttons are new. */
  function change(wanted, place = null) {
    operands = wanted;
    drawFields();
    draw();
    const inputs = fields.querySelectorAll("input");
    if (place !== null) inputs[Math.min(place, inputs.length - 1)].focus({ preventScroll: true });
  }

  change(operands);
}

export default { render };
