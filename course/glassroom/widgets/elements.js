// Making elements of a page.

/** An element with a class and words in it, either of which may be missing. Words are text, and never markup. */
export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}
