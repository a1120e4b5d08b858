// The live autograd graph: wakes the static SVG. Pointing at a node, or walking to it with the arrow keys, lights where its
// gradients go, and says in words what the node is and what it saved.

import { fitted } from "../../live/fitted.js";
import { explored, framed } from "../../live/pointing.js";

const HELP = "Point at a node to see where its gradients go, or walk with the arrow keys.";
const FOLDS = " Click on a fold, or press Enter, to open it.";
const KEYS = "Enter opens and closes a fold, Down follows the first gradient, Up goes back, Left and Right go from box to box as one reads, Home is the root, Escape leaves.";

function readBoxes(root) {
  const boxes = new Map();
  for (const element of root.querySelectorAll(".box")) {
    const { key, to, says } = element.dataset;
    const rect = element.querySelector("rect");
    boxes.set(key, {
      element, key, says, to: to ? to.split(" ") : [], from: [],
      x: Number(rect.getAttribute("x")) + Number(rect.getAttribute("width")) / 2, y: Number(rect.getAttribute("y")),
    });
  }
  for (const box of boxes.values()) for (const key of box.to) boxes.get(key).from.push(box.key);
  return boxes;
}

/** The box that a key leads to from another. */
function moved(key, box, boxes) {
  const order = [...boxes.values()].sort((a, b) => a.y - b.y || a.x - b.x);
  switch (key) {
    case "ArrowDown": return boxes.get(box.to[0]) ?? box;
    case "ArrowUp": return boxes.get(box.from[0]) ?? box;
    case "ArrowLeft": return order[order.indexOf(box) - 1] ?? box;
    case "ArrowRight": return order[order.indexOf(box) + 1] ?? box;
    case "Home": return [...boxes.values()][0];
    case "End": return [...boxes.values()].reduce((last, other) => (other.y >= last.y ? other : last));
    default: return null;
  }
}

function wake(root, status, { at, help, toggle }) {
  const boxes = readBoxes(root);
  if (!boxes.size) return;
  let lit = null;
  const edges = [...root.querySelectorAll(".edge")];

  const light = (box) => {
    lit = box;
    for (const other of boxes.values()) {
      other.element.classList.toggle("at", other === box);
      other.element.classList.toggle("on", Boolean(box) && box.to.includes(other.key));
    }
    for (const edge of edges) edge.classList.toggle("on", Boolean(box) && edge.dataset.from === box.key);
    status.textContent = box ? box.says : help;
    status.classList.toggle("idle", !box);
  };

  const all = [...boxes.values()];
  const first = boxes.get(at) ?? all[0];
  explored(root, all, { name: "box", first, light, moved: (key, box) => moved(key, box, boxes) });
  root.addEventListener("keydown", (event) => {
    if (["Enter", " "].includes(event.key) && lit && toggle(lit.key)) event.preventDefault();
  });
  root.addEventListener("click", (event) => {
    const element = event.target.closest(".box");
    if (element) toggle(element.dataset.key);
  });
  if (at) root.focus({ preventScroll: true });
}

/** Draw the graph; `open` is the fold that is open, and `at` where the keyboard stands after a fold was opened or closed. */
function render({ model, el }, open = null, at = null) {
  const opened = model.get("opened");
  const svg = open === null ? model.get("svg") : opened[open];
  const shown = { get: (name) => (name === "svg" ? svg : model.get(name)) };
  const { root, status } = framed({ model: shown, el }, { className: "gr-graph", kind: "autograd graph", keys: KEYS });
  const toggle = (key) => {
    if (open === null && Object.hasOwn(opened, key)) render({ model, el }, key, key);
    else if (open !== null && root.querySelector(`.box.fold[data-key="${key}"]`)) render({ model, el }, null, open);
    else return false;
    return true;
  };
  const help = Object.keys(opened).length ? `${HELP}${FOLDS}` : HELP;
  wake(root, status, { at, help, toggle });
}

export default { render: fitted((widget) => render(widget)) };
