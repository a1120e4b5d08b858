// The live explanation of a version error: its lines are walked, and each says what it did.

import { fitted } from "../../live/fitted.js";
import { explored, framed } from "../../live/pointing.js";

const HELP = "Point at a line to see what it did to the tensor, or walk with the arrow keys.";
const KEYS = "Up and Down walk over the lines, Home and End lead to the ends, Escape leaves.";

function render(widget) {
  const { root, status } = framed(widget, { className: "gr-version", kind: "version error", keys: KEYS });
  const words = widget.model.get("words");
  const parts = [...root.querySelectorAll(".line")].map((element, at) => ({ element, at }));
  const light = (part) => {
    for (const each of parts) each.element.classList.toggle("at", each === part);
    status.textContent = part ? words[part.at] : HELP;
    status.classList.toggle("idle", !part);
  };
  const moved = (key, part) => {
    const way = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[key];
    if (way) return parts[part.at + way] ?? part;
    return { Home: parts[0], End: parts.at(-1) }[key] ?? null;
  };
  explored(root, parts, { name: "line", first: parts[0], light, moved });
}

export default { render: fitted(render) };
