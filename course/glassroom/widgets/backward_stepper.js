// The backward stepper: a recorded backward, node by node. Frame 0 is before the first step.

const KEYS = "Right and Left step forwards and back, Home is before the first step, End after the last, Escape leaves.";

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function render({ model, el }) {
  const frames = model.get("frames");
  const maps = model.get("maps");
  const root = make("div", "gr-stepper");
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  root.setAttribute("aria-roledescription", "backward stepper");
  root.setAttribute("aria-label", model.get("label"));
  root.setAttribute("aria-description", KEYS);
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab listens before we do, unless told not to

  const controls = make("div", "gr-controls");
  const slider = Object.assign(make("input"), { type: "range", min: 0, max: frames.length, value: 0 });
  slider.setAttribute("aria-label", "step");
  const count = make("span", "gr-count");
  const button = (text, title, target) => {
    const node = Object.assign(make("button", "", text), { type: "button", title });
    node.setAttribute("aria-label", title);
    node.addEventListener("click", () => go(target()));
    return node;
  };
  const buttons = [
    button("|◀", "before the first step", () => 0),
    button("◀", "step back", () => at - 1),
    button("▶", "step forwards", () => at + 1),
    button("▶|", "after the last step", () => frames.length),
  ];
  controls.append(...buttons, slider, count);

  const graph = make("div", "gr-graph");
  graph.innerHTML = model.get("svg");
  graph.firstElementChild.setAttribute("aria-hidden", "true"); // the panel and the text speak for it
  const side = make("div", "gr-side");
  const panel = make("div", "gr-panel");
  panel.setAttribute("role", "status");
  panel.setAttribute("aria-live", "polite");
  const memory = make("div", "gr-memory");
  side.append(panel, memory);
  const body = make("div", "gr-body");
  body.append(graph, side);
  root.append(controls, body);
  el.replaceChildren(root, make("pre", "gr-text", model.get("text")));

  const boxes = new Map([...graph.querySelectorAll(".box")].map((box) => [box.dataset.key, box]));
  const edges = [...graph.querySelectorAll(".edge")];
  let at = 0;
  let drawn = null;

  function go(wanted) {
    at = Math.max(0, Math.min(frames.length, wanted));
    const frame = at ? frames[at - 1] : null;
    const past = new Set(frames.slice(0, Math.max(0, at - 1)).map((each) => each.key));
    const freed = new Set(frames.slice(0, at).filter((each) => each.freed).map((each) => each.key));
    for (const [key, box] of boxes) {
      box.classList.toggle("at", frame?.key === key);
      box.classList.toggle("past", past.has(key) && frame?.key !== key);
      box.classList.toggle("freed", freed.has(key));
    }
    for (const edge of edges) edge.classList.toggle("on", frame !== null && edge.dataset.from === frame.key);
    const lines = frame ? frame.lines : ["Before the first step", "The graph is recorded; no gradient has moved yet."];
    panel.replaceChildren(...lines.map((line) => make("p", "", line)));
    const map = frame ? frame.map : -1;
    if (map !== drawn) memory.innerHTML = map < 0 ? "" : maps[map];
    drawn = map;
    slider.value = at;
    count.textContent = `step ${at} of ${frames.length}`;
    buttons[0].disabled = buttons[1].disabled = at === 0;
    buttons[2].disabled = buttons[3].disabled = at === frames.length;
    boxes.get(frame?.key)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  slider.addEventListener("input", () => go(Number(slider.value)));
  root.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the notebook has its own meaning for almost every key
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (event.key === "Escape") {
      event.preventDefault();
      root.ownerDocument.activeElement?.blur();
      return;
    }
    const target = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: frames.length }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  });
  go(0);
}

export default { render };
