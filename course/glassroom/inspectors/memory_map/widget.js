// The live memory map: wakes the static SVG, which carries in its data- attributes which bytes every cell is.
// Pointing at a cell, or walking to it with the arrow keys, lights every cell that is the same bytes, and says so in words.

import { grouped } from "../../live/elements.js";
import { fitted } from "../../live/fitted.js";
import { explored, framed } from "../../live/pointing.js";

const HELP = "Point at a cell to see which bytes it is, or walk with the arrow keys.";
const KEYS = "Arrow keys walk over the cells, Enter follows a link, Page Up and Page Down change tensor, Escape leaves.";
const NAMED = 6; // so many other cells are named in the status line

function readCells(root) {
  const cells = [];
  for (const part of root.querySelectorAll(".strip, .tensor")) {
    const { name, storage, size } = part.dataset;
    const isStrip = part.classList.contains("strip");
    const bytes = Number(part.dataset.itemsize);
    for (const element of part.querySelectorAll(".cell")) {
      const low = Number(element.dataset.b);
      cells.push({
        element, part, name, storage, isStrip, bytes, low, high: low + bytes,
        index: element.dataset.i === "" ? [] : element.dataset.i.split(",").map(Number),
        value: element.querySelector("text").textContent,
        lost: element.classList.contains("lost"),
        windowed: "windowed" in part.dataset,
        dims: isStrip || !size ? (isStrip ? 1 : 0) : size.split(",").length,
      });
    }
  }
  return cells;
}

const label = (cell) => (cell.index.length ? `${cell.name}[${cell.index.join(", ")}]` : cell.name);


const bytesOf = ({ low, high }) =>
  high - low === 1 ? `byte ${grouped(low)}` : `bytes ${grouped(low)}–${grouped(high - 1)}`;

function listed(names) {
  const shown = names.length > NAMED ? [...names.slice(0, NAMED), `${names.length - NAMED} more`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

export function linkedTo(cell, cells) {
  return cells.filter(
    (other) => other !== cell && other.storage === cell.storage && !other.lost && other.low < cell.high && cell.low < other.high,
  );
}

export function sentence(cell, cells) {
  const others = linkedTo(cell, cells);
  const tensors = others.filter((other) => !other.isStrip).map(label);
  const shownOnly = cells.some((other) => other.storage === cell.storage && other.windowed) ? " (of the cells shown)" : "";
  if (cell.lost) return `${label(cell)} would be ${bytesOf(cell)}, which lie outside ${cell.storage}`;
  if (cell.isStrip) {
    const who = tensors.length ? `is ${listed(tensors)}` : "is no cell of the tensors shown";
    return `${label(cell)}, ${bytesOf(cell)}, ${who}${shownOnly} · value ${cell.value}`;
  }
  const unit = cells.find((other) => other.isStrip && other.storage === cell.storage).bytes;
  const first = Math.floor(cell.low / unit);
  const last = Math.floor((cell.high - 1) / unit);
  const place = `${cell.storage}[${first === last ? first : `${first}–${last}`}]`;
  const also = tensors.length ? `, also ${listed(tensors)}${shownOnly}` : "";
  return `${label(cell)} is ${place}, ${bytesOf(cell)}${also} · value ${cell.value}`;
}

/** The cells in order of tensors: each storage's strip, then the tensors over it, as one list per name. */
function partsOf(cells) {
  const parts = new Map();
  for (const cell of cells) {
    const key = cell.isStrip ? `strip ${cell.storage}` : cell.part;
    if (!parts.has(key)) parts.set(key, []);
    parts.get(key).push(cell);
  }
  return [...parts.values()];
}

/** The cell one step along a dimension of the tensor; past the end of a row of slabs comes the next slab. */
function stepped(cell, part, dim, by) {
  if (dim < 0) return cell;
  const shown = [...new Set(part.map((other) => other.index[dim]))].sort((a, b) => a - b);
  const at = shown.indexOf(cell.index[dim]) + by;
  const wanted = [...cell.index];
  if (at >= 0 && at < shown.length) {
    wanted[dim] = shown[at];
    return part.find((other) => other.index.every((i, d) => i === wanted[d])) ?? cell;
  }
  if (dim === cell.dims - 1) return cell;
  const outer = stepped(cell, part, dim - 1, by);
  if (outer === cell) return cell;
  wanted[dim] = by > 0 ? shown[0] : shown.at(-1);
  wanted[dim - 1] = outer.index[dim - 1];
  for (let d = 0; d < dim - 1; d += 1) wanted[d] = outer.index[d];
  return part.find((other) => other.index.every((i, d) => i === wanted[d])) ?? cell;
}

function steppedInStrip(cell, part, by) {
  const lines = [...new Set(part.map((other) => other.part))];
  const line = part.filter((other) => other.part === cell.part);
  const next = lines[lines.indexOf(cell.part) + by];
  if (!next) return cell;
  const target = part.filter((other) => other.part === next);
  return target[Math.min(line.indexOf(cell), target.length - 1)];
}

function moved(key, cell, cells) {
  const parts = partsOf(cells);
  const part = parts.find((each) => each.includes(cell));
  const place = parts.indexOf(part);
  const sameRow = part.filter((other) =>
    cell.isStrip ? other.part === cell.part : other.index.slice(0, -1).every((i, d) => i === cell.index[d]),
  );
  switch (key) {
    case "ArrowLeft": return cell.isStrip ? (part[part.indexOf(cell) - 1] ?? cell) : stepped(cell, part, cell.dims - 1, -1);
    case "ArrowRight": return cell.isStrip ? (part[part.indexOf(cell) + 1] ?? cell) : stepped(cell, part, cell.dims - 1, 1);
    case "ArrowUp": return cell.isStrip ? steppedInStrip(cell, part, -1) : stepped(cell, part, cell.dims - 2, -1);
    case "ArrowDown": return cell.isStrip ? steppedInStrip(cell, part, 1) : stepped(cell, part, cell.dims - 2, 1);
    case "Home": return sameRow[0];
    case "End": return sameRow.at(-1);
    case "PageUp": return parts[(place + parts.length - 1) % parts.length][0];
    case "PageDown": return parts[(place + 1) % parts.length][0];
    case "Enter":
    case " ": {
      const ring = [cell, ...linkedTo(cell, cells)].sort((a, b) => cells.indexOf(a) - cells.indexOf(b));
      return ring[(ring.indexOf(cell) + 1) % ring.length];
    }
    default: return null;
  }
}

function wake(root, status) {
  const cells = readCells(root);
  if (!cells.length) return;

  const light = (cell) => {
    for (const other of cells) other.element.classList.remove("on", "at");
    status.textContent = cell ? sentence(cell, cells) : HELP;
    status.classList.toggle("idle", !cell);
    if (!cell) return;
    cell.element.classList.add("at");
    for (const other of linkedTo(cell, cells)) other.element.classList.add("on");
  };

  const first = cells.find((cell) => !cell.isStrip) ?? cells[0];
  explored(root, cells, { name: "cell", first, light, moved: (key, cell) => moved(key, cell, cells) });
}

function render(widget) {
  const { root, status } = framed(widget, { className: "gr-map", kind: "memory map", keys: KEYS });
  wake(root, status);
}

export default { render: fitted(render) };
