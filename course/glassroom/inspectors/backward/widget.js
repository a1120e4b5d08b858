// The backward stepper: a recorded backward, node by node, and in a large graph fold by fold. Frame 0 is before the first
// step.

import { grouped, make, reveal, scrolling } from "../../live/elements.js";
import { fitted } from "../../live/fitted.js";
import { fill, player, standing, statusPanel } from "../../live/steps.js";

const BEFORE = ["Before the first step", "The graph is recorded; no gradient has moved yet."];

function render({ model, el }) {
  const frames = model.get("frames");
  const maps = model.get("maps");
  const root = make("div", "gr-stepper");
  const graph = make("div", "gr-picture");
  graph.innerHTML = model.get("svg");
  graph.firstElementChild.setAttribute("aria-hidden", "true"); // the panel and the text speak for it
  const side = make("div", "gr-side");
  const panel = statusPanel();
  const memory = make("div", "gr-memory");
  const looks = [scrolling(graph, "the graph"), scrolling(memory, "leaves and their gradients")];
  side.append(panel, memory);
  const body = make("div", "gr-body");
  body.append(graph, side);

  const boxes = new Map([...graph.querySelectorAll(".box")].map((box) => [box.dataset.key, box]));
  const edges = [...graph.querySelectorAll(".edge")];
  const sent = [...graph.querySelectorAll(".sent")].map((element) => ({ element, turn: Number(element.dataset.turn) }));
  const grads = Object.entries(model.get("grads")).flatMap(([key, [turn, before]]) => {
    const element = boxes.get(key)?.querySelector(".grad");
    return element ? [{ element, turn, before, after: element.textContent }] : []; // a leaf may be in a fold
  });
  let drawn = null;

  function draw(at) {
    const frame = at ? frames[at - 1] : null;
    const [since, turn] = [at > 1 ? frames[at - 2].turn : 0, frame?.turn ?? 0];
    const here = new Set(frame?.keys);
    const past = new Set(frames.slice(0, Math.max(0, at - 1)).flatMap((each) => each.keys));
    const freed = new Set(frames.slice(0, at).filter((each) => each.freed).flatMap((each) => each.keys));
    for (const [key, box] of boxes) {
      box.classList.toggle("at", here.has(key));
      box.classList.toggle("past", past.has(key) && !here.has(key));
      box.classList.toggle("freed", freed.has(key));
    }
    for (const each of sent) {
      each.element.classList.toggle("there", each.turn <= turn);
      each.element.classList.toggle("on", since < each.turn && each.turn <= turn);
    }
    for (const each of grads) {
      each.element.textContent = each.turn <= turn ? each.after : each.before;
      each.element.classList.toggle("filled", each.turn <= turn);
    }
    for (const edge of edges) edge.classList.toggle("on", here.has(edge.dataset.from));
    fill(panel, frame ? frame.lines : BEFORE);
    const map = frame ? frame.map : -1;
    if (map !== drawn) {
      memory.innerHTML = map < 0 ? "" : maps[map];
      memory.firstElementChild?.setAttribute("aria-hidden", "true");
    }
    drawn = map;
    for (const look of looks) look();
    if (frame) reveal(graph, boxes.get(frame.key));
    const steps = frame && frame.first < turn ? `${grouped(frame.first)}–${grouped(turn)}` : grouped(turn);
    return { count: `step ${steps} of ${grouped(frames.at(-1)?.turn ?? 0)}`, value: (frame ? frame.lines : BEFORE)[0] };
  }

  const kind = "backward stepper";
  const steps = player(root, { kind, label: model.get("label"), unit: "step", count: frames.length, draw });
  root.append(steps.controls, body);
  el.replaceChildren(root, make("pre", "gr-text", model.get("text")));
  steps.go(standing(el, 0));
}

export default { render: fitted(render) };
