// The live model map: its modules are walked, and each says what it holds.

import { fitted } from "../../live/fitted.js";
import { explored, framed } from "../../live/pointing.js";

const HELP = "Point at a module to see what it holds, or walk with the arrow keys.";
const KEYS = "Up and Down walk over the modules, Left leads to the one around it, Home and End lead to the ends, Escape leaves.";

function render(widget) {
  const { root, status } = framed(widget, { className: "gr-model", kind: "model map", keys: KEYS });
  const words = widget.model.get("words");
  const parts = [...root.querySelectorAll(".module")].map((element, at) => ({ element, at, depth: Number(element.dataset.depth) }));
  const light = (part) => {
    for (const each of parts) each.element.classList.toggle("at", each === part);
    status.textContent = part ? words[part.at] : HELP;
    status.classList.toggle("idle", !part);
  };
  const around = (part) => parts.slice(0, part.at).findLast((each) => each.depth < part.depth) ?? part;
  const moved = (key, part) => {
    switch (key) {
      case "ArrowUp": return parts[part.at - 1] ?? part;
      case "ArrowDown": case "ArrowRight": return parts[part.at + 1] ?? part;
      case "ArrowLeft": return around(part);
      case "Home": return parts[0];
      case "End": return parts.at(-1);
      default: return null;
    }
  };
  explored(root, parts, { name: "module", first: parts[0], light, moved });
}

export default { render: fitted(render) };
