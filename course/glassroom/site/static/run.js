// "Run" on every cell of a page, in the reader's own browser. Nothing is loaded before the first press.
import { Editor } from "./run-editor.js";
import { Outputs } from "./run-outputs.js";
import settings from "./run-settings.js";

const at = (address) => new URL(address, import.meta.url).href;
const isNotebook = document.querySelector("article div.cell") !== null;
const there = new URL(at(settings.pyodide)).host;
const host = there === location.host ? "this site" : there;
const STAGES = {
  python: `Loading Python from ${host}: ${settings.megabytes} MB, the first time`,
  packages: "Loading NumPy and IPython",
  library: "Starting tensorglass",
};
const FIRST_LINES = "import tensorglass as torch\nfrom glassroom import show\n\nx = torch.arange(6).view(2, 3)\nshow(x, x.t())";

/** Python, in a worker that is started when the first cell runs, and anew after it was stopped by force. */
class Python {
  constructor() {
    this.worker = null;
    this.isReady = false;
    this.waiting = new Map(); // by the ids of what was asked
    this.next = 0;
    this.onStage = () => {};
  }

  /** Resolves when Python runs. */
  start() {
    this.begun ??= new Promise((resolve, reject) => {
      this.worker = new Worker(at("run-worker.js"), { type: "module" });
      this.interrupt = self.crossOriginIsolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;
      this.fail = reject;
      this.worker.onerror = (event) => this.refuse(new Error(event.message || "the page's worker did not start"));
      this.worker.onmessage = ({ data }) => {
        if (data.what === "progress") this.onStage(STAGES[data.stage]);
        else if (data.what === "ready") {
          this.isReady = true;
          resolve();
        } else if (data.what === "failed" && data.id === undefined) reject(new Error(data.error));
        else this.answer(data);
      };
      const { language } = settings;
      this.worker.postMessage({
        what: "begin", pyodide: at(settings.pyodide), wheel: at(settings.wheel), language, isNotebook, interrupt: this.interrupt,
      });
    });
    return this.begun;
  }

  answer(data) {
    const asked = this.waiting.get(data.id);
    if (data.what === "output") return asked?.onOutput(data.output);
    this.waiting.delete(data.id);
    if (data.what === "failed") asked?.reject(new Error(data.error));
    else asked?.resolve(data);
  }

  ask(message, onOutput = () => {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onOutput });
      if (this.interrupt) this.interrupt[0] = 0;
      this.worker.postMessage({ ...message, id });
    });
  }

  /** Interrupt what runs, as Ctrl+C does; where the page may not, or a second time, end Python itself. */
  stop() {
    if (this.interrupt && this.waiting.size && this.interrupt[0] === 0) this.interrupt[0] = 2;
    else this.end(new Stopped());
  }

  refuse(error) {
    this.fail?.(error);
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  end(error) {
    this.worker?.terminate();
    this.refuse(error);
    this.worker = null;
    this.isReady = false;
    this.begun = undefined;
    for (const cell of cells) cell.hasRun = false;
  }
}

/** A single word that people read, for translators to find. */
const word = (text) => text;

class Stopped extends Error {}

/** A piece of the page's code with its buttons, what they say, and its output. */
class Cell {
  constructor({ box, pre, code, place, every = false, isFolded = false, isOwn = false }, number) {
    Object.assign(this, { box, every, isFolded, isOwn, number, hasRun: false });
    this.outputs = new Outputs(place);
    const name = `Code of cell ${number}`;
    const told = { onRun: (goesOn) => this.press(goesOn), onLeave: () => this.run.focus(), onChange: () => this.changed() };
    this.editor = new Editor(pre, code, name, told);
    this.run = button(word("Run"), `Run cell ${number}`, () => this.press());
    this.edit = button(word("Edit"), `Edit cell ${number}`, () => this.editor.open());
    this.reset = button("Undo changes", `Undo changes to cell ${number}`, () => this.editor.reset());
    this.stop = button(word("Stop"), `Stop cell ${number}`, () => stop());
    this.reset.hidden = this.stop.hidden = true;
    this.says = document.createElement("span");
    this.says.className = "run-says";
    this.says.setAttribute("role", "status");
    this.row = document.createElement("div");
    this.row.className = "run-row";
    this.row.append(this.run, this.stop, this.edit, this.reset, this.says);
    box.after(this.row);
    pre.addEventListener("dblclick", () => this.editor.open());
  }

  changed() {
    this.reset.hidden = !this.editor.isChanged;
    this.edit.hidden = this.isOwn || this.editor.isChanged;
  }

  say(text, kind = "") {
    this.says.textContent = text;
    this.row.dataset.kind = kind;
  }

  /** Run this cell, after those above it that a notebook would have run; `goesOn` puts the focus on the next. */
  press(goesOn = false) {
    if (goesOn) cells[this.number]?.focus();
    if (queue.includes(this)) return;
    queue.push(this);
    this.run.disabled = true;
    this.stop.hidden = false;
    this.say(queue.length > 1 ? "Waiting for the cell that runs" : "");
    if (queue.length === 1) work();
  }

  focus() {
    (this.editor.area ?? this.run).focus();
  }

  async execute() {
    python.onStage = (stage) => this.say(stage, "busy");
    await python.start();
    for (const cell of await this.needed()) {
      this.say(`Running cell ${cell.number}, which stands above`, "busy");
      await cell.evaluate();
    }
    this.say("Running", "busy");
    await this.evaluate();
  }

  /** The cells above that are to run first: in a notebook all that have not, for one's own lines if they name them. */
  async needed() {
    if (!isNotebook) return [];
    const above = cells.slice(0, this.number - 1).filter((each) => !each.hasRun && !each.isFolded && !each.isOwn);
    if (!this.isOwn || above.length === 0) return above;
    return (await python.ask({ what: "lacks", code: this.editor.code })).lacks ? above : [];
  }

  async evaluate() {
    const { code } = this.editor;
    this.outputs.clear();
    const done = await python.ask({ what: "run", code, every: this.every }, (output) => this.outputs.add(output));
    this.hasRun = true;
    const seconds = done.seconds.toFixed(1);
    this.say(done.ok ? `Ran in ${seconds} s, in your browser` : `An error stopped it after ${seconds} s`, done.ok ? "done" : "error");
  }

  rest() {
    this.run.disabled = false;
    this.stop.hidden = true;
  }
}

const python = new Python();
const cells = [];
const queue = []; // the first of it runs

async function work() {
  while (queue.length) {
    const cell = queue[0];
    try {
      await cell.execute();
    } catch (error) {
      if (error instanceof Stopped) cell.say("Stopped. What had run is gone: the next run begins anew.", "error");
      else if (python.isReady) cell.say(`Python ended: ${error.message}. The next run begins anew.`, "error");
      else cell.say(`Python could not be loaded from ${host}: ${error.message}. Look at the connection, and press Run again.`, "error");
      python.end(error);
    }
    queue.shift();
    cell.rest();
  }
}

function stop() {
  for (const cell of queue.splice(1)) {
    cell.rest();
    cell.say("");
  }
  python.stop();
}

function button(text, label, onClick) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", onClick);
  return made;
}

/** The lines after the prompts of an example: `>>> x` and `... y`. */
const withoutPrompts = (text) =>
  text.split("\n").filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4)).join("\n");

/** The pieces of code on the page, in order. */
function* pieces() {
  for (const block of document.querySelectorAll("article .highlight-python, article .highlight-pycon")) {
    const cell = block.closest("div.cell");
    if (!cell && (isNotebook || !block.closest(".runs") && !block.matches(".highlight-pycon"))) continue;
    const pre = block.querySelector("pre");
    const text = pre.textContent.replace(/\n+$/, "");
    const every = block.matches(".highlight-pycon");
    const box = cell ? block.closest(".cell_input") : block;
    if (!box) continue; // code in an output
    const known = cell ? cell.querySelector(".cell_output") : block.closest(".runs")?.querySelector(".ran");
    yield { box, pre, code: every ? withoutPrompts(text) : text, place: known, every, isFolded: cell?.matches(".tag_hide-cell") };
  }
}

/** A cell at the page's end for lines of one's own. */
function own() {
  const section = document.createElement("section");
  section.className = "run-own";
  section.setAttribute("aria-label", "Lines of your own");
  const say = `Python runs here, in your browser. Nothing is loaded before you press Run; then Python comes once from ${host}, ` +
    `${settings.megabytes} MB in all. Shift+Enter runs a cell, Escape leaves it.`;
  section.innerHTML = '<p class="run-heading">Try it</p><p class="run-about"></p><div class="highlight-python"><div class="highlight"><pre></pre></div></div>';
  section.querySelector(".run-about").textContent = say;
  const place = /\/notebooks\/(.+)\.html$/.exec(location.pathname)?.[1];
  if (settings.lite && place && isNotebook) {
    const link = document.createElement("a");
    link.href = at(`../lite/lab/index.html?path=${place}.ipynb`);
    link.textContent = "Work on this notebook in JupyterLab";
    section.querySelector(".run-about").append(" ", link, ", in your browser too: it keeps what you change and solve.");
  }
  document.querySelector("article").append(section);
  const pre = section.querySelector("pre");
  const code = isNotebook ? "" : FIRST_LINES;
  pre.textContent = code;
  return { box: section.querySelector(".highlight-python"), pre, code, isOwn: true };
}

function begin() {
  if (!document.querySelector("article")) return;
  for (const piece of [...pieces(), own()]) {
    const cell = new Cell(piece, cells.length + 1);
    if (!piece.place) {
      const place = document.createElement("div");
      place.className = "cell_output";
      place.hidden = true;
      cell.row.after(place);
      cell.outputs.place = place;
    }
    cells.push(cell);
    if (piece.isOwn) {
      cell.editor.prepare();
    }
  }
}

begin();
