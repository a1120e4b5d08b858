// What everything that is stepped through has in common: the buttons, the slider, the count and the keys.

import { keepKeys, make } from "./elements.js";

const KEYS = "Right and Left step forwards and back, Home is the beginning, End is the last, Escape leaves.";

export function fill(panel, lines) {
  panel.replaceChildren(...lines.map((line) => make("p", "", line)));
}

/** A panel whose words are read out as they change. */
export function statusPanel() {
  const panel = make("div", "gr-panel");
  panel.setAttribute("role", "status");
  panel.setAttribute("aria-live", "polite");
  return panel;
}

/** The step that a player in `el` stood at before it was drawn anew, or else `opens`. */
export const standing = (el, opens) => Number(el.dataset.at ?? opens);

/**
 * Make `root` a player of `count` steps; step 0 is before the first, and is left out where `begin` is 1. `draw(at)` shows a
 * step, and answers with the words of the count and of the slider. `keys` maps further keys to functions, which `help`
 * explains.
 */
export function player(root, { kind, label, unit, count, draw, begin = 0, keys = {}, help = "" }) {
  root.classList.add("gr", "gr-frame", "gr-player");
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  root.setAttribute("aria-roledescription", kind);
  root.setAttribute("aria-label", label);
  root.setAttribute("aria-description", `${KEYS}${help ? ` ${help}` : ""}`);
  keepKeys(root);

  let at = 0;
  const controls = make("div", "gr-controls");
  const slider = Object.assign(make("input"), { type: "range", min: begin, max: count, value: begin });
  slider.setAttribute("aria-label", unit);
  const counted = make("span", "gr-count");
  const button = (text, title, act) => {
    const node = Object.assign(make("button", "", text), { type: "button", title });
    node.setAttribute("aria-label", title);
    node.addEventListener("click", act);
    return node;
  };
  const [first, back, on, last] = [
    button("|◀", `${begin ? "" : "before "}the first ${unit}`, () => go(begin)),
    button("◀", "step back", () => go(at - 1)),
    button("▶", "step forwards", () => go(at + 1)),
    button("▶|", `the last ${unit}`, () => go(count)),
  ];
  controls.append(first, back, on, last, slider, counted);
  controls.hidden = count === 0;

  function go(wanted) {
    const focused = root.ownerDocument.activeElement;
    const isInside = root.contains(focused);
    at = Math.min(count, Math.max(begin, wanted));
    const words = draw(at);
    if (root.parentNode) root.parentNode.dataset.at = at;
    slider.value = at;
    slider.setAttribute("aria-valuetext", words.value);
    counted.textContent = words.count;
    first.disabled = back.disabled = at <= begin;
    on.disabled = last.disabled = at === count;
    // A button that is disabled under the finger hears no key, nor does what the step has taken away.
    if (isInside && (focused.disabled || !root.contains(focused))) root.focus({ preventScroll: true });
  }

  slider.addEventListener("input", () => go(Number(slider.value)));
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if ("scrolls" in event.target.dataset && event.key.startsWith("Arrow")) return;
    if (["BUTTON", "SUMMARY"].includes(event.target.tagName) && [" ", "Enter"].includes(event.key)) return;
    const target = {
      ArrowRight: at + 1, ArrowLeft: at - 1, PageDown: at + 10, PageUp: at - 10, Home: begin, End: count,
    }[event.key];
    if (target === undefined && !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    if (target === undefined) keys[event.key]();
    else go(target);
  });
  return { controls, button, go, at: () => at };
}
