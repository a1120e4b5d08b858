// A picture of what happened in time, moment by moment: the memory timeline, the device map. Frame 0 is before the first.
// Parts of the picture say in data-on at which moments they are lit ("3-7", or several such), and in data-says what they are.

import { grouped, make, reveal, scrolling } from "./elements.js";
import { fill, player, standing, statusPanel } from "./steps.js";

export function isOn(spans, moment) {
  return spans.some(([first, last]) => first <= moment && moment <= last);
}

const spansOf = (element) => element.dataset.on.split(" ").map((span) => span.split("-").map(Number));

export function moments({ model, el }) {
  const frames = model.get("frames");
  const maps = model.get("maps");
  const unit = model.get("unit");
  const root = make("div", "gr-moments");
  const picture = make("div", "gr-picture");
  picture.innerHTML = model.get("svg");
  picture.firstElementChild.setAttribute("aria-hidden", "true"); // the panel and the text speak for it
  const panel = statusPanel();
  const state = make("div", "gr-state");
  const looks = [scrolling(picture, "the picture"), scrolling(state, "the state after this step")];
  const parts = [...picture.querySelectorAll("[data-on]")].map((element) => ({ element, spans: spansOf(element) }));
  const cursor = picture.querySelector(".cursor");
  let drawn = -1;

  function draw(at) {
    const frame = at ? frames[at - 1] : null;
    for (const { element, spans } of parts) element.classList.toggle("on", frame !== null && isOn(spans, frame.at));
    root.classList.toggle("stepping", frame !== null);
    if (cursor && frame) cursor.setAttribute("transform", `translate(${frame.x} 0)`);
    fill(panel, frame ? frame.lines : model.get("before"));
    const map = frame ? frame.map : -1;
    if (map !== drawn) {
      state.innerHTML = map < 0 ? "" : maps[map];
      state.firstElementChild?.setAttribute("aria-hidden", "true");
    }
    drawn = map;
    for (const look of looks) look();
    const lit = parts.find(({ element }) => element.classList.contains("on"));
    if (lit) reveal(picture, cursor ?? lit.element);
    const count = `${unit} ${grouped(frame ? frame.at : 0)} of ${grouped(frames.length ? frames.at(-1).at : 0)}`;
    return { count, value: frame ? frame.lines[0] : model.get("before")[0] };
  }

  /** The frame whose stretch of the time axis was hit, or -1. */
  function frameUnder(event) {
    const svg = picture.firstElementChild;
    const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const step = frames.length > 1 ? frames[1].x - frames[0].x : 0;
    return cursor && frames.length && x < frames.at(-1).x + step ? frames.findLastIndex((frame) => frame.x <= x) : -1;
  }

  const steps = player(root, { kind: model.get("kind"), label: model.get("label"), unit, count: frames.length, draw });
  root.append(steps.controls, panel, picture, state);
  el.replaceChildren(root, make("pre", "gr-text", model.get("text")));

  picture.addEventListener("pointerover", (event) => {
    const part = event.target.closest("[data-says]");
    for (const { element } of parts) element.classList.toggle("pointed", element === part);
    if (part) fill(panel, [part.dataset.says]);
  });
  picture.addEventListener("pointerleave", () => {
    for (const { element } of parts) element.classList.remove("pointed");
    steps.go(steps.at());
  });
  picture.addEventListener("click", (event) => {
    const part = event.target.closest("[data-on]");
    const found = part ? frames.findIndex((frame) => frame.at >= spansOf(part)[0][0]) : frameUnder(event);
    if (found >= 0) steps.go(found + 1);
  });
  steps.go(standing(el, 0));
}
