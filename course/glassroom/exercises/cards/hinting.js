// The button that gives the next hint, and the hints so far.

import { keepKeys, prose } from "../../live/elements.js";
import { listen } from "../../live/listening.js";

const render = ({ model, el }) => {
  const root = document.createElement("div");
  root.className = "gr gr-answer";
  root.dataset.kind = "open";
  keepKeys(root);
  const button = document.createElement("button");
  button.type = "button";
  const list = document.createElement("ol");
  list.setAttribute("aria-live", "polite");
  list.setAttribute("aria-label", "Hints");
  list.tabIndex = -1;

  const show = () => {
    const hints = model.get("hints");
    const rungs = model.get("rungs");
    while (list.children.length < hints.length) {
      const place = list.children.length;
      const item = document.createElement("li");
      const [rung, text, isCode] = hints[place];
      item.append(`${rung}: `);
      const told = document.createElement(isCode ? "pre" : "span");
      told.append(...(isCode ? [text] : prose(text)));
      item.append(told);
      list.append(item);
    }
    const given = hints.length;
    if (given >= rungs.length && button.ownerDocument.activeElement === button) list.focus(); // disabled, it hears no key
    button.disabled = given >= rungs.length;
    button.textContent = given >= rungs.length ? "That was the last hint" : `Hint ${given + 1} of ${rungs.length}: ${rungs[given]}`;
  };
  button.addEventListener("click", () => {
    model.set("asked", model.get("asked") + 1);
    model.save_changes();
  });
  model.on("change:hints", show);
  show();
  root.append(button, list);
  el.append(root);
  listen(model);
  return () => model.off("change:hints", show);
};

export default { render };
