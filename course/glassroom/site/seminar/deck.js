// The slides: one at a time, step by step; and bars for what the class answers.

const { slides, votes } = JSON.parse(document.getElementById("deck").textContent);
const main = document.getElementById("slide");
const number = document.getElementById("number");
const said = document.getElementById("said");
const reached = slides.map(() => 0); // the last step that each slide shows
const revealed = new Set(); // the questions whose truth was shown
let place = -1;
let typed = "";
let typing = 0;

const element = (name, className, text = "") => {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
};

/** A single word that people read, for translators to find. */
const word = (text) => text;

/** "1 answer", "2 answers". A translation may have its plural behind a bar: "Antwort|Antworten". */
const counted = (n, one) => {
  const [single, many = /[^\0-~]/.test(one) ? one : `${one}s`] = one.split("|");
  return `${n} ${n === 1 ? single : many}`;
};

/** HTML of ours whose scripts run when it is put into the page, as innerHTML's do not. */
const fragment = (html) => document.createRange().createContextualFragment(html);

const addStep = (step) => {
  const part = element("section", "step");
  part.setAttribute("aria-label", step ? `Step ${step + 1}` : "The cells");
  main.querySelector(".work").append(part);
  part.append(fragment(slides[place].steps[step].html));
  for (const question of slides[place].steps[step].reveals) {
    revealed.add(question);
    const boxes = [...main.querySelectorAll(`.votes[data-question="${question}"]`)];
    for (const box of boxes.slice(0, -1)) box.remove(); // the bars go on beside the truth
  }
  return part;
};

const isWide = matchMedia("(min-width: 60rem)"); // narrower pages scroll as others do

/** The text and the cells, each with the box that it scrolls in: its own where they are side by side. */
const parts = () =>
  [...main.querySelectorAll(isWide.matches ? ".text, .work" : "none")].map((part) => [
    part,
    getComputedStyle(part).overflowY === "auto" ? part : main,
  ]);

const isMore = ([, box]) => box.scrollTop + box.clientHeight < box.scrollHeight - 4;

const ZOOMS = [1, 0.9, 0.8, 0.7]; // smaller letters are not read at the back of a room

/** Make each part small enough to be seen at once; where that does not do, keys show the rest of it. */
const fit = () => {
  for (const [part, box] of parts()) {
    const fits = ZOOMS.find((zoom) => {
      part.style.zoom = zoom;
      return box.scrollHeight <= box.clientHeight + 4;
    });
    part.style.zoom = fits ?? 1;
  }
  mark();
};

/** Say on the button whether a part goes on below. */
const mark = () => {
  const more = parts().some(isMore);
  const button = document.getElementById("on");
  const all = slides[place].steps.length;
  button.textContent = more ? "↓" : "→";
  button.classList.toggle("waits", more || reached[place] + 1 < all);
  button.disabled = !more && place + 1 === slides.length && reached[place] + 1 === all;
};

/** Boxes that scroll can be reached by Tab. */
const makeReachable = () => {
  for (const box of main.querySelectorAll("pre:not(.gr-text), .live, .text")) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  }
};

const show = (to) => {
  place = Math.max(0, Math.min(to, slides.length - 1));
  const slide = slides[place];
  main.replaceChildren();
  main.className = slide.text && slide.steps.some((step) => step.html) ? "both" : "one";
  if (slide.text) {
    const text = element("section", "text");
    text.setAttribute("aria-label", slide.title);
    text.append(fragment(slide.text));
    main.append(text);
  }
  if (!main.querySelector("h1, h2, h3, h4")) main.prepend(element("p", "section", slide.title));
  main.append(element("div", "work"));
  for (let step = 0; step <= reached[place]; step++) addStep(step);
  number.value = place + 1;
  document.getElementById("of").textContent = `of ${slides.length}`;
  history.replaceState(null, "", `#${place + 1}`);
  said.textContent = `Slide ${place + 1} of ${slides.length}: ${slide.title}`;
  main.scrollTop = 0;
  fit();
  main.focus({ preventScroll: true });
  shown();
};

const shown = () => {
  makeReachable();
  document.getElementById("back").disabled = place === 0;
  mark();
  if (!votes) return;
  const body = JSON.stringify({ slide: place, step: reached[place] });
  fetch("shown", { method: "POST", headers: { "Content-Type": "application/json" }, body }).then(count, () => {});
};

const on = () => {
  const more = parts().filter(isMore);
  if (more.length) {
    for (const box of new Set(more.map(([, each]) => each))) box.scrollBy({ top: 0.8 * box.clientHeight });
    said.textContent = "More of this slide is shown.";
  } else if (reached[place] + 1 < slides[place].steps.length) {
    reached[place] += 1;
    const part = addStep(reached[place]);
    said.textContent = "The next step is shown.";
    fit();
    part.scrollIntoView({ block: "nearest" });
    shown();
  } else if (place + 1 < slides.length) {
    show(place + 1);
  }
};

const back = () => show(place - 1);

// Bars.

const bar = (row, most, isTold) => {
  const line = element("li", "bar");
  const isRight = isTold && row.right;
  line.classList.toggle("right", isRight);
  const track = element("span", "track");
  const length = element("span", "length");
  length.style.width = `${most ? (100 * row.votes) / most : 0}%`;
  track.append(length);
  const answer = element("span", "answer", row.answer);
  answer.title = row.answer; // a long one is cut after two lines
  line.append(answer, track, element("span", "count", String(row.votes)));
  line.append(element("span", "mark", isRight ? `✓ ${word("right")}` : ""));
  return line;
};

const draw = (box, fields, isTold) => {
  const drawn = JSON.stringify([fields, isTold]);
  if (box.dataset.drawn === drawn) return;
  box.dataset.drawn = drawn;
  box.replaceChildren();
  for (const field of fields) {
    if (isTold && !field.voters) continue; // nobody has answered
    const group = element("div", "field");
    const list = element("ul", "bars");
    const heading = `${field.kind}: ${counted(field.voters, "answer")}`;
    list.setAttribute("aria-label", heading);
    const most = Math.max(...field.rows.map((row) => row.votes), 0);
    // The truth is a bar without votes, too, but not before it is told.
    for (const row of field.rows) if (isTold || row.votes || (row.choice && field.voters)) list.append(bar(row, most, isTold));
    group.append(element("p", "kind", heading), list);
    if (field.more) group.append(element("p", "more", `and ${field.more} with other answers`));
    box.append(group);
  }
  fit();
};

const count = async () => {
  for (const box of main.querySelectorAll(".votes")) {
    const question = Number(box.dataset.question);
    const got = await fetch(`votes-${question}`).then((reply) => (reply.ok ? reply.json() : null), () => null);
    if (got) draw(box, got, revealed.has(question));
  }
};

// Keys. What has the focus keeps its own: an inspector its arrows, a field its letters.

const isTheirs = (event) => {
  const paging = event.key === "PageDown" || event.key === "PageUp"; // what a presenter's remote sends
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return true;
  if (event.target.closest("input, textarea, select")) return true;
  if (event.target.closest(".glassroom, button, summary, a[href]")) return !paging && event.key !== "Escape";
  return false;
};

const goTo = () => {
  if (typed) show(Number(typed) - 1);
  typed = "";
};

document.addEventListener("keydown", (event) => {
  if (isTheirs(event)) return;
  const keys = {
    ArrowRight: on, PageDown: on, " ": on, ArrowLeft: back, PageUp: back,
    Home: () => show(0), End: () => show(slides.length - 1), Enter: goTo, Escape: () => main.focus(),
    t: theme,
  };
  if (/^[0-9]$/.test(event.key)) {
    typed = (typed + event.key).slice(-4);
    clearTimeout(typing);
    typing = setTimeout(goTo, 700);
  } else if (keys[event.key]) {
    keys[event.key]();
  } else {
    return;
  }
  event.preventDefault();
});

const theme = () => {
  const root = document.documentElement;
  const isDark = root.dataset.jpThemeLight
    ? root.dataset.jpThemeLight === "false"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.jpThemeLight = String(isDark);
};

document.getElementById("on").addEventListener("click", on);
document.getElementById("back").addEventListener("click", back);
number.addEventListener("change", () => show((Number(number.value) || place + 1) - 1));
new ResizeObserver(() => {
  fit();
  makeReachable();
}).observe(main);
main.addEventListener("scroll", mark, { capture: true, passive: true });
for (const event of ["load", "toggle"]) main.addEventListener(event, fit, { capture: true }); // a picture, what was folded
show((Number(location.hash.slice(1)) || 1) - 1);
if (votes) setInterval(count, 1000);
