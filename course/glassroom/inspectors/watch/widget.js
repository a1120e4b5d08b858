// A watched cell: its code with the line that ran, what the step did, and the storages after it.

import { grouped, make, scrolling, word } from "../../live/elements.js";
import { fitted } from "../../live/fitted.js";
import { fill, player, standing, statusPanel } from "../../live/steps.js";
import { curveOf } from "./curve.js";

const JUMPS = [["allocation", "a"], ["write", "w"], ["copy", "c"]];
const PACE = 900; // milliseconds a step, when it plays
const NOTHING = ["No statement ran"];

// A line of code that, where it is too long, goes on behind a bracket, a comma, a sign of equality, or the point of a name.
const breakable = (code) => code.split(/(?<=[([{,=]|[A-Za-z_)\]]\.)(?=[^\s=])/).flatMap((piece, at) => (at ? [make("wbr"), piece] : [piece]));

function render({ model, el }) {
  const frames = model.get("frames");
  const cards = model.get("cards");
  const pieces = model.get("pieces");
  const briefs = model.get("briefs");
  const opened = new Set(); // the storages of which one has asked for more than a line
  const root = make("div", "gr-watch");
  const style = make("style", "", model.get("sheet"));
  const panel = statusPanel();
  const memory = make("div", "gr-cards");
  const curve = model.get("curve") ? curveOf(frames, model.get("curve"), (at) => steps.go(at)) : null;

  const lines = new Map();
  const code = make("div", "gr-code");
  const side = make("div", "gr-side");
  const looks = [scrolling(code, "the code"), scrolling(side, "what this step did, and the storages after it")];
  for (const [number, source, grown] of model.get("code")) {
    const line = make("div", "gr-line");
    const gutter = make("span", `gr-grown${grown.startsWith("−") ? " less" : ""}`, grown);
    const begin = source.length - source.trimStart().length, indent = begin + 2; // of the lines that a long one goes on in
    const words = make("span", "gr-source");
    words.append(make("span", "gr-indent", source.slice(0, begin)), ...breakable(source.slice(begin) || " "));
    Object.assign(words.style, { paddingLeft: `${indent}ch`, textIndent: `-${indent}ch` });
    line.append(make("span", "gr-number", String(number)), gutter, words);
    line.addEventListener("click", () => visit(number));
    lines.set(number, line);
    code.append(line);
  }

  function draw(at) {
    const frame = at ? frames[at - 1] : null;
    for (const [number, line] of lines) {
      const here = frame !== null && frame.line <= number && number <= frame.end;
      line.classList.toggle("at", here);
      line.classList.toggle("raised", here && frame.raised);
    }
    fill(panel, frame ? frame.lines : NOTHING);
    if (frame) curve?.mark(at);
    memory.replaceChildren(...(frame ? [...frame.cards.map(cardOf), ...frame.rest.map(briefOf)] : []));
    side.scrollTop = 0;
    const line = frame && lines.get(frame.line);
    if (line && code.scrollHeight > code.clientHeight) { // now that the panel has taken its room
      code.scrollTop = line.offsetTop - code.offsetTop - Math.max(code.clientHeight - line.offsetHeight, 0) / 3;
    }
    for (const look of looks) look();
    for (const [kind, button] of jumps) button.disabled = next(kind, at) === 0;
    if (at === frames.length) pause();
    return { count: `step ${grouped(at)} of ${grouped(frames.length)}`, value: (frame ? frame.lines : NOTHING)[0] };
  }

  /** A part of a card: a text, the number of a piece, or that of pieces with gaps and the texts in the gaps. */
  function whole(part) {
    if (!Array.isArray(part)) return typeof part === "number" ? pieces[part] : part;
    const [number, texts] = part;
    return pieces[number].split("\0").map((piece, gap) => piece + (texts[gap] ?? "")).join("");
  }

  function cardOf(card) {
    const holder = make("div", "gr-card");
    holder.innerHTML = cards[card].map(whole).join("");
    holder.firstElementChild.setAttribute("aria-hidden", "true"); // the panel and the text speak for it
    return holder;
  }

  /** A storage that the step did not touch: a line, which opens. */
  function briefOf([brief, card]) {
    const words = briefs[brief];
    const node = make("details", "gr-brief");
    const [name] = words.split(" ");
    node.append(make("summary", "", words));
    const open = () => {
      if (node.open && node.children.length === 1) node.append(cardOf(card));
    };
    node.open = opened.has(name);
    open();
    node.addEventListener("toggle", () => {
      if (node.open) opened.add(name);
      else opened.delete(name);
      open();
      for (const look of looks) look();
    });
    return node;
  }

  /** The first step after `at` that did this, or 0. */
  const next = (kind, at) => frames.findIndex((frame, place) => place >= at && frame.kinds.includes(kind)) + 1;
  const jump = (kind) => {
    const found = next(kind, steps.at());
    if (found) steps.go(found);
  };
  function visit(number) {
    const ran = frames.flatMap((frame, place) => (frame.line <= number && number <= frame.end ? [place + 1] : []));
    if (ran.length) steps.go(ran.find((step) => step > steps.at()) ?? ran[0]);
  }

  let ticking = null;
  function pause() {
    clearInterval(ticking);
    ticking = null;
    play.textContent = "play";
  }
  function toggle() {
    if (ticking !== null) return pause();
    if (steps.at() === frames.length) steps.go(1);
    play.textContent = "pause";
    ticking = setInterval(() => (root.isConnected ? steps.go(steps.at() + 1) : pause()), PACE);
    return undefined;
  }

  const steps = player(root, {
    kind: "watched cell", label: model.get("label"), unit: "step", count: frames.length, begin: 1, draw,
    keys: { " ": toggle, ...Object.fromEntries(JUMPS.map(([kind, key]) => [key, () => jump(kind)])) },
    help: "Space plays, a, w and c go to the next allocation, write and copy.",
  });
  const play = steps.button(word("play"), "play or pause", toggle);
  const jumps = new Map(JUMPS.map(([kind]) => [kind, steps.button(`next ${kind}`, `next ${kind}`, () => jump(kind))]));
  const group = make("span", "gr-group"); // which moves to a line of its own as a whole
  group.append(play, ...jumps.values());
  steps.controls.append(group);

  side.append(panel, memory);
  const body = make("div", "gr-body");
  body.append(code, side);
  root.append(style, make("p", "gr-totals", model.get("totals")), steps.controls, ...(curve ? [curve.node] : []), body);
  for (const note of model.get("notes")) root.append(make("p", "gr-note", note));
  el.replaceChildren(root, make("pre", "gr-text", model.get("text")));
  steps.go(standing(el, model.get("opens")));
}

export default { render: fitted(render) };
