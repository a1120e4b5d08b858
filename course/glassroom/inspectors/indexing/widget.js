// The index explorer: an index is typed, or built by pointing at cells, and what it picks is seen immediately.

import { board, button, element, gridOf, spokenLines, stage, tuple, walked } from "../../live/boxes.js";
import { make, scrolling } from "../../live/elements.js";
import { explored } from "../../live/pointing.js";
import { blockOf, elementAt, sourceOf, timesOf } from "./arithmetic.js";
import { indexed, lines, table } from "./words.js";

const HELP = "Point at a cell, or walk with the arrow keys. Click or Enter: the index of that cell; with Shift: the block up to it.";
const HUES = 6;

const same = (one, other) => one.join() === other.join();
const placed = (index, times = 1) => {
  const words = `${index.length ? `[${index.join()}]` : ""}${times > 1 ? ` ×${times}` : ""}`.trim();
  return words ? [words] : [];
};

function tensorGrid(story) {
  const { tensor, led, picks } = story;
  const grid = gridOf({
    title: `${tensor.name} ${tuple(tensor.size)}`,
    size: tensor.size,
    hue: 0,
    boxAt: (index) => {
      const times = led ? timesOf(led, picks, index) : 0;
      return { lines: [tensor.values[index.join()] ?? "·", ...placed(index, times)], look: times ? "" : "idle" };
    },
  });
  for (const part of grid.parts) Object.assign(part, { kind: "tensor", source: part.index });
  return grid;
}

function positionsGrid(positions, shape, hue) {
  const own = (index) => index.slice(shape.length - positions.size.length).map((i, dim) => (positions.size[dim] === 1 ? 0 : i));
  const isFirst = (index) => index.every((i, dim) => i === 0 || (positions.size[dim - shape.length + positions.size.length] ?? 1) !== 1);
  const stretched = same(shape, positions.size) ? "" : `, stretched to ${tuple(shape)}`;
  const grid = gridOf({
    title: `${positions.name} ${tuple(positions.size)}${stretched}`,
    size: shape,
    hue,
    boxAt: (index) => ({
      lines: [String(elementAt(positions, index)), ...placed(own(index))],
      look: isFirst(index) ? "" : "again",
    }),
  });
  for (const part of grid.parts) Object.assign(part, { kind: "positions", positions, own: own(part.index) });
  return grid;
}

function resultGrid({ tensor, led }) {
  const grid = gridOf({
    title: `result ${tuple(led.size)}, ${led.isView ? "a view" : led.isNumber ? "a number" : "a copy"}`,
    size: led.size,
    hue: led.isView ? 0 : null, // a view is the same memory, and has its colour
    boxAt: (index) => {
      const source = sourceOf(led, index);
      return { lines: [tensor.values[source.join()] ?? "·", ...placed(source)], look: "" };
    },
  });
  for (const part of grid.parts) Object.assign(part, { kind: "result", source: sourceOf(led, part.index) });
  return grid;
}

function gridsOf(story) {
  const { led } = story;
  if (!led) return [tensorGrid(story)];
  const picked = [...led.chosen].filter(([dim]) => led.axes[dim].source !== null).map(([, positions]) => positions);
  const areShown = led.chosen.size > 1 || picked.some((each) => !each.name.includes(".nonzero()"));
  const further = areShown ? picked.map((each, at) => positionsGrid(each, led.shape, (at + 1) % HUES)) : [];
  return [tensorGrid(story), ...further, resultGrid(story)];
}

function tableNode(story) {
  const [head, ...rows] = table(story);
  const node = make("table", "gr-sizes gr-items");
  const line = (words, tag) => {
    const row = make("tr");
    row.append(...words.map((word, at) => {
      const cell = make(!word ? "td" : at === 0 ? "th" : tag, "", word);
      if (cell.tagName === "TH") cell.scope = tag === "th" ? "col" : "row";
      return cell;
    }));
    return row;
  };
  const [top, body] = [make("thead"), make("tbody")];
  top.append(line(head, "th"));
  body.append(...rows.map((row) => line(row, "td")));
  node.append(top, body);
  return node;
}

/** The sentence about a part, and the parts that light up with it. */
function about(part, parts, { tensor, led }) {
  const value = (source) => tensor.values[source.join()] ?? "not sent to the page";
  if (part.kind === "positions") {
    const readers = parts.filter((other) => other.kind === "result" && same(blockOf(led, other.index), part.index));
    const lit = parts.filter((other) => other.positions === part.positions && same(other.own, part.own));
    const who = readers.length === 1 ? element("result", readers[0].index) : `${readers.length} cells of the result`;
    const sources = parts.filter((other) => other.kind === "tensor" && readers.some((reader) => same(reader.source, other.source)));
    const name = element(part.positions.name, part.own);
    return { sentence: `${name} is ${elementAt(part.positions, part.index)}, read for ${who}`, lit: [...lit, ...readers, ...sources] };
  }
  const alike = parts.filter((other) => other !== part && other.source && same(other.source, part.source));
  const cell = `${element(tensor.name, part.source)} (${value(part.source)})`;
  if (part.kind === "result") {
    const picked = parts.filter((other) => other.kind === "positions" && same(other.index, blockOf(led, part.index)));
    return { sentence: `${element("result", part.index)} is ${cell}`, lit: [...alike, ...picked] };
  }
  const readers = alike.filter((other) => other.kind === "result").map((other) => element("result", other.index));
  const who = readers.length > 1 ? `${readers.slice(0, -1).join(", ")} and ${readers.at(-1)}` : readers[0];
  return { sentence: `${cell} is ${who ?? (led ? "not picked" : "here")}`, lit: alike };
}

/** The index of a cell, or of the block between two. */
function builtIndex(from, to) {
  const parts = from.map((i, dim) => {
    const [low, high] = [Math.min(i, to[dim]), Math.max(i, to[dim])];
    return same(from, to) ? String(i) : `${low}:${high + 1}`;
  });
  return parts.join(", ") || "...";
}

function render({ model, el }) {
  const tensor = model.get("tensor");
  const root = board("gr-index", model.get("label"));
  const fields = make("div", "gr-fields");
  const field = Object.assign(make("input"), { type: "text", value: tensor.typed, spellcheck: false, autocomplete: "off" });
  field.setAttribute("aria-label", `index of ${tensor.name}`);
  field.setAttribute("autocapitalize", "off");
  const whole = make("label", "gr-field");
  whole.append(make("b", "", `${tensor.name}[`), field, make("b", "", "]"));
  const said = spokenLines();
  const picture = make("div", "gr-picture");
  const look = scrolling(picture, "the items and the cells");
  const status = make("p", "gr-status idle", HELP);
  status.setAttribute("aria-live", "polite");
  root.append(fields, said, picture, status);
  el.replaceChildren(root);
  let anchor = tensor.size.map(() => 0);

  function draw() {
    const story = indexed(tensor, field.value);
    const { refused } = story;
    const [first, ...rest] = lines(story);
    said.replaceChildren(make("p", "", first), ...rest.map((line) => make("p", refused ? "bad" : "", line)));
    field.setAttribute("aria-invalid", refused !== null);
    const grids = gridsOf(story);
    const parts = grids.flatMap((grid) => grid.parts);
    const place = stage(`the cells of ${tensor.name} and of the result`);
    place.append(...grids.map((grid) => grid.node));
    picture.replaceChildren(...(refused ? [] : [tableNode(story)]), place);
    look();
    const light = (part) => {
      for (const other of parts) other.element.classList.remove("on", "at");
      status.classList.toggle("idle", !part);
      status.textContent = HELP;
      if (!part) return;
      const { sentence, lit } = about(part, parts, story);
      status.textContent = sentence;
      for (const other of lit) other.element.classList.add("on");
      part.element.classList.add("at");
    };
    const filled = grids.map((grid) => grid.parts).filter((each) => each.length);
    let current = filled[0]?.[0] ?? null;
    const moved = (key, part) => (part ? walked(key, part, filled) : null);
    const lightAndKeep = (part) => {
      current = part ?? current;
      light(part);
    };
    explored(place, parts, { name: "gr-box", first: current, light: lightAndKeep, moved });
    const build = (part, isBlock) => {
      if (part?.kind !== "tensor") return;
      if (!isBlock) anchor = part.index;
      const hadFocus = place.contains(root.ownerDocument.activeElement) || place === root.ownerDocument.activeElement;
      field.value = builtIndex(anchor, part.index);
      const at = draw();
      if (hadFocus) at.focus(part.index);
    };
    place.addEventListener("click", (event) => {
      const box = event.target.closest(".gr-box");
      build(parts.find((part) => part.element === box), event.shiftKey);
    });
    place.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      build(current, event.shiftKey);
    });
    return {
      focus(index) {
        const part = parts.find((each) => each.kind === "tensor" && same(each.index, index));
        part?.element.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
        place.focus({ preventScroll: true });
      },
    };
  }

  function write(typed) {
    field.value = typed;
    draw();
    field.focus();
  }

  const dims = tensor.size.length;
  const examples = [tensor.typed, ...(dims ? ["0", "..., 0", "1:", "::2", "..., None", "[0, -1]", `${tensor.name} > 2`] : ["...", "None"])];
  const pieces = [...new Set([...examples, ...Object.keys(tensor.names)])];
  if (!tensor.numbers) pieces.splice(pieces.indexOf(`${tensor.name} > 2`), 1);
  fields.append(whole, ...pieces.map((piece) => button(piece, `${tensor.name}[${piece}]`, () => write(piece))));
  field.addEventListener("input", draw);
  draw();
}

export default { render };
