// The outputs of a cell that has run in the page, as Jupyter shows them.

/** Which form of an output is shown: the first of these that it has. */
const FORMS = ["text/html", "image/svg+xml", "image/png", "image/jpeg", "text/markdown", "text/latex", "text/plain"];
const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** What a terminal would show: a line that begins anew after a carriage return. */
const asPrinted = (text) => text.replace(/\r+\n/g, "\n").replace(/^.*\r/gm, "");

/** Text with a terminal's colours, as elements. */
function coloured(text) {
  const box = document.createDocumentFragment();
  let classes = new Set();
  for (const [index, piece] of text.split(/\x1b\[([\d;]*)m/).entries()) {
    if (index % 2 === 0) {
      if (piece) box.append(classes.size ? element("span", [...classes].join(" "), piece) : piece);
      continue;
    }
    const codes = piece.split(";").map(Number);
    if (codes[0] === 38 || codes[0] === 48) continue; // one of 256 colours: the page has its own
    const bold = classes.has("ansi-bold") && !codes.includes(0);
    const kept = codes.some((code) => [0, 39, 49].includes(code)) ? [] : [...classes];
    classes = new Set(bold || codes.includes(1) ? [...kept, "ansi-bold"] : kept);
    const colour = codes.find((code) => (code >= 30 && code < 38) || (code >= 90 && code < 98));
    if (codes.some((code) => code >= 40 && code < 48)) classes.add("ansi-mark");
    else if (colour) classes = new Set([...classes].filter((each) => each === "ansi-bold")).add(`ansi-${COLOURS[colour % 10]}`);
  }
  return box;
}

/** Put HTML into an element of the page, with scripts that run. */
function live(box, html) {
  box.innerHTML = html;
  for (const script of box.querySelectorAll("script")) {
    const copy = document.createElement("script");
    for (const { name, value } of script.attributes) copy.setAttribute(name, value);
    copy.textContent = script.textContent;
    script.replaceWith(copy);
  }
}

export class Outputs {
  /** `place` is the element that shows them; what it shows already stays until the cell runs. */
  constructor(place) {
    this.place = place;
    this.named = new Map(); // by their display ids
    this.stale = false; // whether the next output takes the place of all
    this.lines = null; // what is being printed to
  }

  clear() {
    this.place.replaceChildren();
    this.place.hidden = false;
    this.stale = false;
    this.lines = null;
  }

  add(output) {
    const kind = output.output_type;
    if (kind === "clear_output") {
      if (output.wait) this.stale = true;
      else this.clear();
      return;
    }
    if (this.stale) this.clear();
    if (kind === "stream") return this.print(output);
    this.lines = null;
    if (kind === "error") return this.fail(output);
    const id = output.transient?.display_id;
    const known = this.named.get(id);
    if (kind === "update_display_data") {
      if (known) this.show(known, output.data);
      return;
    }
    const box = element("div", "output");
    this.place.append(box);
    if (id) this.named.set(id, box);
    this.show(box, output.data);
  }

  print({ name, text }) {
    if (this.lines?.name !== name) {
      const pre = element("pre", `run-text run-${name}`);
      pre.tabIndex = 0;
      this.place.append(pre);
      this.lines = { name, pre, text: "" };
    }
    this.lines.text = asPrinted(this.lines.text + text);
    this.lines.pre.replaceChildren(coloured(this.lines.text));
  }

  fail({ ename, evalue, traceback }) {
    const pre = element("pre", "run-text run-error");
    pre.tabIndex = 0;
    pre.append(coloured(traceback.length ? traceback.join("\n") : `${ename}: ${evalue}`));
    this.place.append(pre);
  }

  show(box, data) {
    const form = FORMS.find((each) => each in data);
    const content = form ? [data[form]].flat().join("") : "";
    box.replaceChildren();
    if (form === "text/html" || form === "image/svg+xml") live(box, content);
    else if (form?.startsWith("image/")) {
      const image = element("img", "");
      image.src = `data:${form};base64,${content}`;
      image.alt = [data["text/plain"] ?? ""].flat().join("");
      box.append(image);
    } else {
      const pre = element("pre", "run-text");
      pre.tabIndex = 0;
      pre.append(coloured(content));
      box.append(pre);
    }
  }
}
