// A watched cell: its code with the line that ran, what the step did, and the storages after it.

import { make, scrolling } from "../../live/elements.js";
import { fill, player, statusPanel } from "../../live/steps.js";

const JUMPS = [["allocation", "a"], ["write", "w"], ["copy", "c"]];
const PACE = 900; // milliseconds a step, when it plays
const BEFORE = ["Before the first step", "Step with the arrow keys, or click a line of the code to go to where it runs."];

function render({ model, el }) {
  const frames = model.get("frames");
  const cards = model.get("cards");
  const root = make("div", "gr-watch");
  const style = make("style", "", model.get("sheet"));
  const panel = statusPanel();
  const memory = make("div", "gr-cards");

  const lines = new Map();
  const code = make("div", "gr-code");
  const looks = [scrolling(code, "the code"), scrolling(memory, "the storages after this step")];
  for (const [number, source] of model.get("code")) {
    const line = make("div", "gr-line");
    line.append(make("span", "gr-number", String(number)), make("span", "gr-source", source || " "));
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
      if (here && number === frame.line && code.scrollHeight > code.clientHeight) {
        code.scrollTop = line.offsetTop - code.offsetTop - code.clientHeight / 2;
      }
    }
    fill(panel, frame ? frame.lines : BEFORE);
    const wanted = frame ? frame.cards : [];
    wanted.forEach((card, place) => {
      const shown = memory.children[place];
      if (shown?.dataset.card === String(card)) return;
      const holder = make("div", "gr-card");
      holder.dataset.card = card;
      holder.innerHTML = cards[card];
      holder.firstElementChild.setAttribute("aria-hidden", "true"); // the panel and the text speak for it
      if (shown) shown.replaceWith(holder);
      else memory.append(holder);
    });
    while (memory.children.length > wanted.length) memory.lastElementChild.remove();
    for (const look of looks) look();
    for (const [kind, button] of jumps) button.disabled = next(kind, at) === 0;
    if (at === frames.length) pause();
    return { count: `step ${at} of ${frames.length}`, value: frame ? frame.lines[0] : BEFORE[0] };
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
    if (steps.at() === frames.length) steps.go(0);
    play.textContent = "pause";
    ticking = setInterval(() => (root.isConnected ? steps.go(steps.at() + 1) : pause()), PACE);
    return undefined;
  }

  const steps = player(root, {
    kind: "watched cell", label: model.get("label"), unit: "step", count: frames.length, draw,
    keys: { " ": toggle, ...Object.fromEntries(JUMPS.map(([kind, key]) => [key, () => jump(kind)])) },
    help: "Space plays, a, w and c go to the next allocation, write and copy.",
  });
  const play = steps.button("play", "play or pause", toggle);
  const jumps = new Map(JUMPS.map(([kind]) => [kind, steps.button(`next ${kind}`, `next ${kind}`, () => jump(kind))]));
  steps.controls.append(play, ...jumps.values());

  const side = make("div", "gr-side");
  side.append(panel, memory);
  const body = make("div", "gr-body");
  body.append(code, side);
  root.append(style, make("p", "gr-totals", model.get("totals")), steps.controls, body);
  for (const note of model.get("notes")) root.append(make("p", "gr-note", note));
  el.replaceChildren(root, make("pre", "gr-text", model.get("text")));
  steps.go(0);
}

export default { render };
