// Making elements of a page.

/** The text itself: a single word that people read, which catalogues of translations take from here. */
export const word = (text) => text;
/** The text itself: a message of PyTorch's or code, which is the same in every language. */
export const asIs = (text) => text;

/** A number as it is read: 10,002. */
export const grouped = (number) => number.toLocaleString("en-US");

/** Mark a region while it is wider than its place, which scrolls.css shows; answers with what looks whether it is. */
export function marked(region) {
  const look = () => region.toggleAttribute("data-wider", region.scrollWidth > region.clientWidth);
  new ResizeObserver(look).observe(region);
  return look;
}

/** Let a region that is wider than its place be scrolled with the keyboard; answers with what looks whether it is. */
export function scrolling(region, label) {
  region.dataset.scrolls = "";
  const mark = marked(region);
  const look = () => {
    mark();
    const isWider = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
    if (isWider) {
      region.tabIndex = 0;
      region.setAttribute("role", "group");
      region.setAttribute("aria-label", label);
    } else for (const name of ["tabindex", "role", "aria-label"]) region.removeAttribute(name);
  };
  new ResizeObserver(look).observe(region);
  return look;
}

/** Scroll a region, and nothing around it, until a part of it can be seen. */
export function reveal(region, part) {
  const outer = region.getBoundingClientRect();
  const inner = part.getBoundingClientRect();
  const way = (low, high, from, to) => (low < from ? low - from : Math.max(Math.min(high - to, low - from), 0));
  region.scrollLeft += way(inner.left, inner.right, outer.left, outer.right);
  region.scrollTop += way(inner.top, inner.bottom, outer.top, outer.bottom);
}

/**
 * Keep keys that are pressed inside of `root` from the shortcuts of a notebook, which listens before we do, unless told not to:
 * by the element that has the focus, since some shortcuts are for whichever has it. Escape leaves for the notebook's cell, from
 * where its own keys lead on.
 */
export function keepKeys(root) {
  const tell = (element) => { element.dataset.lmSuppressShortcuts = "true"; };
  tell(root);
  root.addEventListener("focusin", (event) => tell(event.target));
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.target.blur();
    root.closest(".jp-Cell")?.focus({ preventScroll: true });
  });
}

/** An element with a class and words in it, either of which may be missing. Words are text, and never markup. */
export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/** The nodes of a sentence in which code stands between backquotes. */
export function prose(text) {
  return text.split(/(`[^`]+`)/).map((part) =>
    part.startsWith("`") && part.length > 2 ? make("code", "", part.slice(1, -1)) : document.createTextNode(part),
  );
}
