// The curve of memory over the steps of a watched cell: what was held after each, and as a line the most while it ran.

import { make } from "../../live/elements.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 40;

const drawn = (name, attributes) => {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};

/** The curve, and what marks a step in it; `go(step)` is called for the step that is clicked. */
export function curveOf(frames, label, go) {
  const most = Math.max(1, ...frames.map((frame) => frame.high));
  const y = (bytes) => HEIGHT - (bytes / most) * (HEIGHT - 2);
  const node = make("div", "gr-curve");
  node.setAttribute("aria-hidden", "true"); // the totals and the panel say it in words
  const svg = drawn("svg", { viewBox: `0 0 ${frames.length} ${HEIGHT}`, preserveAspectRatio: "none", height: HEIGHT });
  const along = (key) => frames.map((frame, at) => `L${at} ${y(frame[key])}H${at + 1}`).join("");
  const cursor = drawn("rect", { class: "cursor", y: 0, width: 1, height: HEIGHT });
  svg.append(
    drawn("path", { class: "held", d: `M0 ${HEIGHT}${along("held")}V${HEIGHT}Z` }),
    drawn("path", { class: "high", d: `M0 ${HEIGHT}${along("high")}` }),
    cursor,
  );
  svg.addEventListener("click", (event) => {
    const { left, width } = svg.getBoundingClientRect();
    go(Math.floor(((event.clientX - left) / width) * frames.length) + 1);
  });
  node.append(svg, make("span", "gr-most", label));
  return { node, mark: (at) => cursor.setAttribute("x", at - 1) };
}
