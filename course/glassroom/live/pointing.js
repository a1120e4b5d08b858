// What every picture has in common whose parts one points at, or walks to with the keys: the frame, the words below it, the
// pointer and the keyboard.

import { keepKeys, marked } from "./elements.js";

/** Put the picture of a model up, with a line of words and the text below it. Returns the picture and the line. */
export function framed({ model, el }, { className, kind, keys }) {
  const root = document.createElement("div");
  root.className = `gr gr-frame ${className}`;
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  root.setAttribute("aria-roledescription", kind);
  root.setAttribute("aria-label", model.get("label"));
  root.setAttribute("aria-description", keys);
  keepKeys(root);
  root.innerHTML = model.get("svg");
  root.firstElementChild.setAttribute("aria-hidden", "true"); // the label, the status and the text speak for it
  const status = document.createElement("p");
  status.className = "gr gr-status";
  status.setAttribute("role", "status");
  status.setAttribute("aria-live", "polite");
  const text = document.createElement("pre");
  text.className = "gr-text";
  text.textContent = model.get("text");
  el.replaceChildren(root, status, text);
  marked(root);
  return { root, status };
}

/**
 * Wake the `parts` of a picture, each of which has its `element`, of the class `name`. `light(part)` lights one, or none for
 * null; `moved(key, part)` is the part to which a key leads, null if it leads nowhere; the keyboard begins at `first`.
 */
export function explored(root, parts, { name, first, light, moved }) {
  const byElement = new Map(parts.map((part) => [part.element, part]));
  let current = null; // where the keyboard is
  const focused = () => root.ownerDocument.activeElement === root || root.getRootNode().activeElement === root;
  const pointedAt = (event) => byElement.get(event.target.closest(`.${name}`));

  root.addEventListener("pointerover", (event) => {
    const part = pointedAt(event);
    if (part) light(part);
  });
  root.addEventListener("pointerleave", () => light(focused() ? current : null));
  root.addEventListener("pointerdown", (event) => {
    current = pointedAt(event) ?? current;
  });
  root.addEventListener("focus", () => {
    current ??= first;
    light(current);
  });
  root.addEventListener("blur", () => light(null));
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    const next = moved(event.key, current);
    if (!next) return;
    event.preventDefault();
    current = next;
    light(current);
    current.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  light(null);
}
