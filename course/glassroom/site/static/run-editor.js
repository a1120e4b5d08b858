// Code that can be changed: a text area over the same text in colours.

const KEYWORDS =
  "and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|" +
  "lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield";
const TOKENS = [
  ["c1", /#.*/y],
  ["s2", /[rbfuRBFU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)/y],
  ["mi", /(?:0[xob][\da-f_]+|\d[\d_]*\.?[\d_]*(?:e[+-]?\d+)?j?)/iy],
  ["kc", /(?:None|True|False)\b/y],
  ["k", new RegExp(`(?:${KEYWORDS})\\b`, "y")],
  ["n", /[\p{L}_][\p{L}\d_]*/uy],
  ["o", /[-+*/%@=<>!&|^~:]+/y],
  ["", /\s+|[^]/y],
];

/** Python with the classes that the page's own code has. */
function coloured(code) {
  const box = document.createDocumentFragment();
  for (let place = 0; place < code.length; ) {
    for (const [name, pattern] of TOKENS) {
      pattern.lastIndex = place;
      const found = pattern.exec(code)?.[0];
      if (!found) continue;
      const piece = document.createElement("span");
      piece.className = name;
      piece.textContent = found;
      box.append(piece);
      place += found.length;
      break;
    }
  }
  return box;
}

export class Editor {
  /** `pre` holds the code as the page came; `onRun` is called by Shift+Enter and Ctrl+Enter, `onLeave` by Escape. */
  constructor(pre, code, name, { onRun, onLeave, onChange }) {
    this.pre = pre;
    this.original = code;
    this.name = name;
    this.told = { onRun, onLeave, onChange };
    this.area = null;
  }

  get code() {
    return this.area ? this.area.value : this.original;
  }

  get isChanged() {
    return this.code !== this.original;
  }

  /** Let the reader change the code. */
  open() {
    this.prepare();
    this.area.focus();
  }

  prepare() {
    if (this.area === null) {
      this.area = document.createElement("textarea");
      this.area.value = this.original;
      this.area.spellcheck = false;
      this.area.autocapitalize = "off";
      this.area.autocomplete = "off";
      this.area.setAttribute("aria-label", this.name);
      this.area.addEventListener("input", () => this.draw());
      this.area.addEventListener("keydown", (event) => this.key(event));
      this.pre.parentElement.classList.add("run-edited");
      this.pre.removeAttribute("tabindex");
      this.pre.setAttribute("aria-hidden", "true");
      this.pre.after(this.area);
      this.draw();
    }
  }

  reset() {
    this.area.value = this.original;
    this.draw();
    this.area.focus();
  }

  draw() {
    this.pre.replaceChildren(coloured(`${this.area.value}\n`));
    this.told.onChange();
  }

  key(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.told.onRun(event.shiftKey);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.told.onLeave();
    } else if (event.key === "Enter") {
      const before = this.area.value.slice(0, this.area.selectionStart);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      const indent = /^ */.exec(line)[0] + (/:\s*(#.*)?$/.test(line) ? "    " : "");
      if (!indent) return;
      event.preventDefault();
      if (!document.execCommand("insertText", false, `\n${indent}`)) this.area.setRangeText(`\n${indent}`); // undo knows the first
      this.draw();
    }
  }
}
