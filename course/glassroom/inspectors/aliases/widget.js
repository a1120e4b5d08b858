// The live alias map: pointing at a tensor, or walking to it, lights those that share bytes with it, and says how.

import { fitted } from "../../live/fitted.js";
import { explored, framed } from "../../live/pointing.js";

const HELP = "Point at a tensor to see who shares its bytes, or walk with the arrow keys.";
const KEYS = "Up and Down walk over the tensors, Page Up and Page Down change storage, Home and End lead to the ends, Escape leaves.";

function render(widget) {
  const { root, status } = framed(widget, { className: "gr-aliases", kind: "alias map", keys: KEYS });
  const rows = widget.model.get("rows");
  const parts = [...root.querySelectorAll(".alias")].map((element, at) => ({ element, at, ...rows[at] }));
  const light = (part) => {
    for (const { element } of parts) element.classList.remove("on", "at");
    status.textContent = part ? part.words : HELP;
    status.classList.toggle("idle", !part);
    if (!part) return;
    part.element.classList.add("at");
    for (const other of part.with) parts[other].element.classList.add("on");
  };
  const firstOf = (group) => parts.find((part) => part.group === group);
  const moved = (key, part) => {
    if (!part) return null;
    const groups = [...new Set(parts.map((each) => each.group))];
    const turn = (by) => firstOf(groups[(groups.indexOf(part.group) + by + groups.length) % groups.length]);
    switch (key) {
      case "ArrowUp": case "ArrowLeft": return parts[part.at - 1] ?? part;
      case "ArrowDown": case "ArrowRight": return parts[part.at + 1] ?? part;
      case "Home": return parts[0];
      case "End": return parts.at(-1);
      case "PageUp": return turn(-1);
      case "PageDown": return turn(1);
      default: return null;
    }
  };
  explored(root, parts, { name: "alias", first: parts[0] ?? null, light, moved });
}

export default { render: fitted(render) };
