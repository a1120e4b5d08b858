// The live autograd graph: wakes the static SVG. Pointing at a node, or walking to it with the arrow keys, lights where its
// gradients go, and says in words what the node is and what it saved.

const HELP = "Point at a node to see where its gradients go, or walk with the arrow keys.";
const KEYS = "Down follows the first gradient, Up goes back, Left and Right change between neighbours, Home is the root, Escape leaves.";

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
export function moved(key, box, boxes) {
  const level = [...boxes.values()].filter((other) => other.y === box.y).sort((a, b) => a.x - b.x);
  switch (key) {
    case "ArrowDown": return boxes.get(box.to[0]) ?? box;
    case "ArrowUp": return boxes.get(box.from[0]) ?? box;
    case "ArrowLeft": return level[level.indexOf(box) - 1] ?? box;
    case "ArrowRight": return level[level.indexOf(box) + 1] ?? box;
    case "Home": return [...boxes.values()][0];
    case "End": return [...boxes.values()].reduce((last, other) => (other.y >= last.y ? other : last));
    default: return null;
  }
}

function wake(root, status) {
  const boxes = readBoxes(root);
  if (!boxes.size) return;
  const edges = [...root.querySelectorAll(".edge")];
  const byElement = new Map([...boxes.values()].map((box) => [box.element, box]));
  let current = null; // where the keyboard is

  const light = (box) => {
    for (const other of boxes.values()) {
      other.element.classList.toggle("at", other === box);
      other.element.classList.toggle("on", Boolean(box) && box.to.includes(other.key));
    }
    for (const edge of edges) edge.classList.toggle("on", Boolean(box) && edge.dataset.from === box.key);
    status.textContent = box ? box.says : HELP;
    status.classList.toggle("idle", !box);
  };
  const focused = () => root.ownerDocument.activeElement === root || root.getRootNode().activeElement === root;

  root.addEventListener("pointerover", (event) => {
    const element = event.target.closest(".box");
    if (element) light(byElement.get(element));
  });
  root.addEventListener("pointerleave", () => light(focused() ? current : null));
  root.addEventListener("pointerdown", (event) => {
    const element = event.target.closest(".box");
    if (element) current = byElement.get(element);
  });
  root.addEventListener("focus", () => {
    current ??= [...boxes.values()][0];
    light(current);
  });
  root.addEventListener("blur", () => light(null));
  root.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the notebook has its own meaning for almost every key
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (event.key === "Escape") {
      event.preventDefault();
      root.blur();
      return;
    }
    const next = moved(event.key, current, boxes);
    if (!next) return;
    event.preventDefault();
    current = next;
    light(current);
    current.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  light(null);
}

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "gr-graph";
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  root.setAttribute("aria-roledescription", "autograd graph");
  root.setAttribute("aria-label", model.get("label"));
  root.setAttribute("aria-description", KEYS);
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab listens before we do, unless told not to
  root.innerHTML = model.get("svg");
  root.firstElementChild.setAttribute("aria-hidden", "true"); // the label, the status and the text speak for it
  const status = document.createElement("p");
  status.className = "gr-status";
  status.setAttribute("role", "status");
  status.setAttribute("aria-live", "polite");
  const text = document.createElement("pre");
  text.className = "gr-text";
  text.textContent = model.get("text");
  el.replaceChildren(root, status, text);
  wake(root, status);
}

export default { render };
