// A picture of what happened in time, moment by moment: the memory timeline, the device map. Frame 0 is before the first.
// Parts of the picture say in data-on at which moments they are lit ("3-7", or several such), and in data-says what they are.

const KEYS = "Right and Left step forwards and back, Home is before the first, End is the last, Escape leaves.";

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

export function isOn(spans, moment) {
  return spans.some(([first, last]) => first <= moment && moment <= last);
}

const spansOf = (element) => element.dataset.on.split(" ").map((span) => span.split("-").map(Number));

function render({ model, el }) {
  const frames = model.get("frames");
  const maps = model.get("maps");
  const unit = model.get("unit");
  const root = make("div", "gr-moments");
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  root.setAttribute("aria-roledescription", model.get("kind"));
  root.setAttribute("aria-label", model.get("label"));
  root.setAttribute("aria-description", KEYS);
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab listens before we do, unless told not to

  const controls = make("div", "gr-controls");
  const slider = Object.assign(make("input"), { type: "range", min: 0, max: frames.length, value: 0 });
  slider.setAttribute("aria-label", unit);
  const count = make("span", "gr-count");
  const button = (text, title, target) => {
    const node = Object.assign(make("button", "", text), { type: "button", title });
    node.setAttribute("aria-label", title);
    node.addEventListener("click", () => go(target()));
    return node;
  };
  const buttons = [
    button("|◀", `before the first ${unit}`, () => 0),
    button("◀", "step back", () => at - 1),
    button("▶", "step forwards", () => at + 1),
    button("▶|", `the last ${unit}`, () => frames.length),
  ];
  controls.append(...buttons, slider, count);
  controls.hidden = frames.length === 0;

  const picture = make("div", "gr-picture");
  picture.innerHTML = model.get("svg");
  picture.firstElementChild.setAttribute("aria-hidden", "true"); // the panel and the text speak for it
  const panel = make("div", "gr-panel");
  panel.setAttribute("role", "status");
  panel.setAttribute("aria-live", "polite");
  const state = make("div", "gr-state");
  root.append(controls, panel, picture, state);
  el.replaceChildren(root, make("pre", "gr-text", model.get("text")));

  const parts = [...picture.querySelectorAll("[data-on]")].map((element) => ({ element, spans: spansOf(element) }));
  const cursor = picture.querySelector(".cursor");
  let at = 0;
  let drawn = -1;

  function say(lines) {
    panel.replaceChildren(...lines.map((line) => make("p", "", line)));
  }

  function go(wanted) {
    at = Math.max(0, Math.min(frames.length, wanted));
    const frame = at ? frames[at - 1] : null;
    for (const { element, spans } of parts) element.classList.toggle("on", frame !== null && isOn(spans, frame.at));
    root.classList.toggle("stepping", frame !== null);
    if (cursor && frame) cursor.setAttribute("transform", `translate(${frame.x} 0)`);
    say(frame ? frame.lines : model.get("before"));
    const map = frame ? frame.map : -1;
    if (map !== drawn) state.innerHTML = map < 0 ? "" : maps[map];
    drawn = map;
    slider.value = at;
    slider.setAttribute("aria-valuetext", frame ? frame.lines[0] : model.get("before")[0]);
    count.textContent = `${unit} ${frame ? frame.at : 0} of ${frames.length ? frames.at(-1).at : 0}`;
    buttons[0].disabled = buttons[1].disabled = at === 0;
    buttons[2].disabled = buttons[3].disabled = at === frames.length;
  }

  /** The frame whose stretch of the time axis was hit, or -1. */
  function frameUnder(event) {
    const svg = picture.firstElementChild;
    const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const step = frames.length > 1 ? frames[1].x - frames[0].x : 0;
    return cursor && frames.length && x < frames.at(-1).x + step ? frames.findLastIndex((frame) => frame.x <= x) : -1;
  }

  slider.addEventListener("input", () => go(Number(slider.value)));
  picture.addEventListener("pointerover", (event) => {
    const part = event.target.closest("[data-says]");
    for (const { element } of parts) element.classList.toggle("pointed", element === part);
    if (part) say([part.dataset.says]);
  });
  picture.addEventListener("pointerleave", () => {
    for (const { element } of parts) element.classList.remove("pointed");
    go(at);
  });
  picture.addEventListener("click", (event) => {
    const part = event.target.closest("[data-on]");
    const found = part ? frames.findIndex((frame) => frame.at >= spansOf(part)[0][0]) : frameUnder(event);
    if (found >= 0) go(found + 1);
  });
  root.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the notebook has its own meaning for almost every key
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (event.key === "Escape") {
      event.preventDefault();
      root.ownerDocument.activeElement?.blur();
      return;
    }
    const target = {
      ArrowRight: at + 1, ArrowLeft: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: frames.length,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  });
  go(0);
}

export default { render };
