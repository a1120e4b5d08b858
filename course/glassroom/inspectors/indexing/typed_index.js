// What somebody typed between the brackets, read as typed_index.py reads it, and never run; a test compares the two.

import { product } from "../../live/boxes.js";
import { asIs } from "../../live/elements.js";
import { elementAt, every, follow, RefusedIndex, sourceOf } from "./arithmetic.js";

const TOKEN = /\s*(?:(\d+\.\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+)|(\d+)|([\p{L}_][\p{L}\p{N}_]*)|(\.\.\.|<=|>=|==|!=|[[\](),:<>~-]))/uy;
const WORDS = { None: { kind: "none" }, True: { kind: "bool", value: true }, False: { kind: "bool", value: false } };
const COMPARISONS = {
  "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
  "==": (a, b) => a === b, "!=": (a, b) => a !== b,
};

/** What is said of an index that is not read here. */
export function unreadable(text) {
  const can = "numbers, slices, None, ..., True, False, lists, names given as keywords, sliced names, ~mask and x > 2";
  const written = text.trim();
  return new RefusedIndex("not read here", written ? `${written} is not read here: ${can} are` : `write ${can}`);
}

function contiguousStride(size) {
  return size.map((_, dim) => product(size.slice(dim + 1).map((n) => Math.max(n, 1))));
}

/** The syntax tree of what was typed: nodes with a `type` and their `text` as Python would write it. */
function parsed(typed) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  const rest = () => typed.slice(TOKEN.lastIndex);
  while (rest().trim()) {
    const found = TOKEN.exec(typed);
    if (!found) throw unreadable(typed);
    const [, real, whole, word, sign] = found;
    tokens.push(real !== undefined ? { real } : whole !== undefined ? { whole } : word !== undefined ? { word } : { sign });
  }
  let at = 0;
  const sees = (sign) => tokens[at]?.sign === sign;
  const takes = (sign) => (sees(sign) ? (at += 1, true) : false);
  const must = (sign) => {
    if (!takes(sign)) throw unreadable(typed);
  };

  function sequence(end) {
    const nodes = [];
    let comma = false;
    while (!(end ? sees(end) : at === tokens.length)) {
      nodes.push(item());
      comma = takes(",");
      if (!comma) break;
    }
    return { nodes, comma };
  }

  function item() {
    const lower = sees(":") ? null : expression();
    if (!sees(":")) return lower;
    must(":");
    const open = () => sees(",") || sees("]") || sees(":") || at === tokens.length;
    const upper = open() ? null : expression();
    const step = takes(":") && !open() ? expression() : null;
    const text = `${lower?.text ?? ""}:${upper?.text ?? ""}${step ? `:${step.text}` : ""}`;
    return { type: "slice", text, bounds: [lower, upper, step] };
  }

  function expression() {
    const left = unary();
    const sign = tokens[at]?.sign;
    if (!(sign in COMPARISONS)) return left;
    at += 1;
    const right = unary();
    if (tokens[at]?.sign in COMPARISONS) throw unreadable(typed);
    return { type: "comparison", text: `${left.text} ${sign} ${right.text}`, left, sign, right };
  }

  function unary() {
    for (const [sign, type] of [["-", "minus"], ["~", "invert"]]) {
      if (!takes(sign)) continue;
      const inner = unary();
      return { type, text: `${sign}${inner.text}`, inner };
    }
    return primary();
  }

  function primary() {
    const token = tokens[at] ?? {};
    at += 1;
    if (token.whole !== undefined) {
      if (/^0+[1-9]/.test(token.whole)) throw unreadable(typed);
      return { type: "whole", text: String(Number(token.whole)), value: Number(token.whole) };
    }
    if (token.real !== undefined) {
      const value = Number(token.real);
      return { type: "real", text: Number.isInteger(value) ? `${value}.0` : String(value), value };
    }
    if (token.sign === "...") return { type: "ellipsis", text: "..." };
    if (token.sign === "[") {
      const { nodes } = sequence("]");
      must("]");
      if (nodes.some((node) => node.type === "slice")) throw unreadable(typed);
      return { type: "list", text: `[${nodes.map((node) => node.text).join(", ")}]`, nodes };
    }
    if (token.sign === "(") {
      const { nodes, comma } = sequence(")");
      must(")");
      if (nodes.some((node) => node.type === "slice")) throw unreadable(typed);
      if (nodes.length === 1 && !comma) return nodes[0];
      const inner = nodes.map((node) => node.text).join(", ");
      return { type: "tuple", text: nodes.length === 1 ? `(${inner},)` : `(${inner})`, nodes };
    }
    if (token.word === undefined) throw unreadable(typed);
    if (token.word in WORDS) return { type: "word", text: token.word };
    if (!takes("[")) return { type: "name", text: token.word };
    const { nodes, comma } = sequence("]");
    must("]");
    if (!nodes.length) throw unreadable(typed);
    const inner = nodes.map((node) => node.text).join(", ") + (nodes.length === 1 && comma ? "," : "");
    const index = comma || nodes.length > 1 ? { type: "tuple", nodes, text: inner } : nodes[0];
    return { type: "sliced", text: `${token.word}[${inner}]`, name: token.word, index };
  }

  const { nodes, comma } = sequence(null);
  if (at !== tokens.length || !nodes.length) throw unreadable(typed);
  return comma || nodes.length > 1 ? { type: "tuple", nodes, text: typed } : nodes[0];
}

/** A list of ints or bools, or of lists of them, as an index tensor or a mask. */
function listOf(node) {
  const size = [];
  let level = [node];
  while (level.length && level[0].type === "list") {
    const [wanted, dim] = [level[0].nodes.length, size.length];
    for (const each of level) {
      if (each.type === "list" && each.nodes.length === wanted) continue;
      const got = each.type === "list" ? each.nodes.length : 0;
      throw new RefusedIndex("ValueError", asIs(`expected sequence of length ${wanted} at dim ${dim} (got ${got})`));
    }
    size.push(wanted);
    level = level.flatMap((each) => each.nodes);
  }
  const elements = level.map((each) => {
    if (each.type === "word" && each.text !== "None") return each.text === "True";
    if (each.type === "whole") return each.value;
    if (each.type === "minus" && each.inner.type === "whole") return -each.inner.value;
    throw unreadable(node.text);
  });
  const isMask = elements.length > 0 && elements.every((each) => typeof each === "boolean");
  return { kind: isMask ? "mask" : "positions", name: node.text, size, stride: contiguousStride(size), elements: elements.map(Number) };
}

/** The items of an index into `tensor`, and whether it is a tuple. Throws RefusedIndex for what cannot be read. */
export function itemsOf(typed, tensor) {
  return itemsIn(parsed(typed), tensor);
}

function itemsIn(node, tensor) {
  if (node.type === "tuple") return { items: node.nodes.map((each) => itemOf(each, tensor)), isTuple: true };
  if (node.type === "list" && !tensor.is_numpys && node.nodes.some((each) => each.type === "list")) {
    return { items: node.nodes.map((each) => itemOf(each, tensor)), isTuple: true }; // older programs write lists for tuples
  }
  const isTensor = node.type === "name" && ["positions", "mask"].includes(tensor.names[node.text]?.kind);
  return { items: [itemOf(node, tensor)], isTuple: isTensor || node.type === "sliced" };
}

function itemOf(node, tensor) {
  const { text } = node;
  if (node.type === "slice") {
    const [start, stop, step] = node.bounds.map((each) => (each === null ? null : wholeOf(each, tensor)));
    return { kind: "slice", text, start, stop, step };
  }
  const value = valueOf(node, tensor);
  if (!["positions", "mask"].includes(value.kind) || value.size.length) return { ...value, text };
  if (tensor.is_numpys && value.kind === "positions") return { ...value, text };
  const [only] = value.elements; // PyTorch reads a tensor of one number as that number
  return value.kind === "mask" ? { kind: "bool", value: only === 1, text } : { kind: "int", value: only, text };
}

function wholeOf(node, tensor) {
  const value = node.type === "real" ? node : valueOf(node, tensor);
  if (value.kind === "none") return null;
  if (value.kind === "int" || value.kind === "bool") return Number(value.value);
  throw new RefusedIndex("TypeError", asIs("slice indices must be integers or None or have an __index__ method"));
}

function valueOf(node, tensor) {
  const { type, text } = node;
  if (type === "whole") return { kind: "int", value: node.value };
  if (type === "minus" && node.inner.type === "whole") return { kind: "int", value: -node.inner.value };
  if (type === "word") return WORDS[text];
  if (type === "ellipsis") return { kind: "ellipsis" };
  if (type === "list") return listOf(node);
  if (type === "real") {
    const words = asIs("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices");
    throw new RefusedIndex("IndexError", asIs(`${words} (got float)`));
  }
  if (type === "name" && Object.hasOwn(tensor.names, text)) return { ...tensor.names[text], name: text };
  if (type === "invert") {
    const mask = valueOf(node.inner, tensor);
    if (mask.kind === "mask") return { ...mask, name: `(${text})`, elements: mask.elements.map((on) => 1 - on) };
  }
  if (type === "comparison" && node.left.type === "name" && node.left.text === tensor.name) return compared(node, tensor);
  if (type === "sliced" && ["positions", "mask"].includes(tensor.names[node.name]?.kind)) {
    const held = tensor.names[node.name];
    const { items, isTuple } = itemsIn(node.index, tensor);
    if (items.some((item) => ["positions", "mask", "bool"].includes(item.kind))) throw unreadable(text);
    const led = follow({ ...held, offset: 0, is_numpys: tensor.is_numpys }, items, isTuple);
    const elements = every(led.size).map((index) => elementAt(held, sourceOf(led, index)));
    if (led.isNumber) return { kind: "int", value: elements[0] };
    return { ...held, name: text, size: led.size, stride: led.stride ?? [], elements };
  }
  throw unreadable(text);
}

function compared({ text, sign, right }, { name, size, numbers }) {
  if (!numbers) throw new RefusedIndex("too much to draw", `${text} needs all values of ${name}: give the mask by a name`);
  const [number, by] = right.type === "minus" ? [right.inner, -1] : [right, 1];
  if (!["whole", "real"].includes(number.type)) throw unreadable(text);
  const elements = numbers.map((value) => Number(COMPARISONS[sign](numberOf(value), by * number.value)));
  return { kind: "mask", name: `(${text})`, size, stride: contiguousStride(size), elements };
}

/** A number; JSON has strings for those that are infinite or none. */
function numberOf(value) {
  if (typeof value === "number") return value;
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : NaN;
}
