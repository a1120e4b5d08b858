// Marks by hand: one answer at a time. What is typed is saved to the class's manual.csv a moment later.
"use strict";

const at = id => document.getElementById(id);
const [points, comment, status] = [at("points"), at("comment"), at("status")];
const PAUSE = 400; // milliseconds after the last key

let answers = [];
let current = -1;
let timer = 0;
let saving = Promise.resolve(); // one after the other, in the order in which they were typed

const waits = one => Boolean(one.unsaved) || (one.points === "" && (one.earned === null || one.doubt !== ""));
const shown = one => one.points || one.earned || (waits(one) ? "…" : "0");
const key = number => String.fromCharCode(97 + number); // of a line of the rubric: a, b, c
const lines = one => one.comment.split("\n");
const checked = (one, line) => lines(one).includes(line.says);

function made(tag, words = "", name = "") {
  const element = document.createElement(tag);
  element.textContent = words;
  element.className = name;
  return element;
}

// What stands at the left: each question with its answers.

function list() {
  const parts = [];
  let before = "";
  answers.forEach((one, number) => {
    const question = `${one.assignment}, ${one.id}`;
    if (question !== before) {
      before = question;
      parts.push(made("h2", question), made("ol"));
    }
    const button = made("button");
    button.type = "button";
    button.append(made("span"), made("span"));
    button.addEventListener("click", () => go(number));
    const item = made("li");
    item.append(button);
    parts.at(-1).append(item);
    one.button = button;
    one.number = parts.at(-1).children.length;
  });
  at("answers").replaceChildren(...parts);
}

function label(one) {
  return at("names").checked ? one.name : `answer ${one.number}`;
}

function refresh() {
  answers.forEach((one, number) => {
    one.button.className = waits(one) ? "waits" : "";
    one.button.setAttribute("aria-current", number === current);
    one.button.firstChild.textContent = label(one);
    one.button.lastChild.textContent = waits(one) ? "to mark" : `${shown(one)} of ${one.most}`;
  });
  const left = answers.filter(waits).length;
  at("progress").textContent = `${answers.length - left} of ${answers.length} marked`;
  const one = answers[current];
  if (one) {
    at("whose").textContent = label(one);
    for (const box of at("rubric").querySelectorAll("input")) box.checked = checked(one, one.rubric[box.value]);
  }
}

// One answer.

function go(number) {
  if (!answers.length) return;
  save();
  current = (number + answers.length) % answers.length;
  const one = answers[current];
  at("question").textContent = one.id;
  at("ask").textContent = one.ask;
  at("doubt").textContent = one.doubt && `To look at: ${one.doubt}.`;
  at("answer").textContent = one.answer.trim() || "There is no answer.";
  at("answer").className = one.answer.trim() ? (one.words ? "words" : "") : "empty";
  at("answer").scrollTop = 0;
  at("most").textContent = `of ${one.most}`;
  points.value = one.points;
  points.placeholder = one.earned ?? "";
  comment.value = one.comment;
  const boxes = one.rubric.map((line, place) => {
    const [row, box] = [made("label"), made("input")];
    Object.assign(box, { type: "checkbox", value: place });
    box.addEventListener("change", () => toggle(place));
    const worth = `${line.points < 0 ? "−" : "+"}${Math.abs(line.points)}`;
    row.append(box, made("kbd", key(place)), made("span", line.says), made("span", worth, "worth"));
    return row;
  });
  at("rubric").replaceChildren(at("rubric").firstElementChild, ...boxes); // its title stays
  at("rubric").hidden = !boxes.length;
  complain(one.refused ? `Not saved: ${one.refused}` : "");
  refresh();
  one.button.scrollIntoView({ block: "nearest" });
  points.focus();
  points.select();
}

// More points than there are, or none that can be read: the server says so, while the answer still stands there.
function isRefused(one) {
  const given = Number(one.points.replace(",", "."));
  return !(given >= 0 && given <= one.most);
}

function nextToMark() {
  if (current >= 0 && isRefused(answers[current])) return save();
  const order = answers.map((_, step) => (current + 1 + step) % answers.length);
  const found = order.find(number => waits(answers[number]));
  if (found === undefined) {
    save();
    say("Everything is marked.");
  } else go(found);
}

// A line of the rubric is in force when the comment has it: so the learner reads why.
function toggle(place) {
  const one = answers[current];
  const line = one.rubric[place];
  if (!line) return;
  const off = checked(one, line);
  const left = lines(one).filter(each => each !== line.says);
  comment.value = (off ? left : [...left, line.says]).join("\n").trim();
  const sum = Number(one.points.replace(",", ".") || 0) + (off ? -line.points : line.points);
  points.value = String(Math.round(Math.min(one.most, Math.max(0, sum)) * 1e4) / 1e4);
  typed();
  refresh();
}

// Saving.

function say(words, bad = false) {
  status.textContent = words;
  status.className = bad ? "bad" : "muted";
}

function complain(words) {
  points.setAttribute("aria-invalid", words !== "");
  if (words) say(words, true);
}

function typed() {
  const one = answers[current];
  one.points = points.value.trim();
  one.comment = comment.value;
  one.dirty = true;
  say("…");
  clearTimeout(timer);
  timer = setTimeout(save, PAUSE);
}

function save() {
  clearTimeout(timer);
  for (const one of answers.filter(each => each.dirty)) {
    one.dirty = false;
    const { learner, assignment, id, points: value, comment: words } = one;
    const body = JSON.stringify({ learner, assignment, id, points: value, comment: words });
    saving = saving.then(() => send(one, body));
  }
}

async function send(one, body) {
  try {
    const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body, keepalive: body.length < 60000 };
    const said = await (await fetch("mark", sent)).json();
    one.refused = said.problem ?? "";
    one.unsaved = one.refused !== "";
    if (one === answers[current]) complain(said.problem ?? "");
    say(one.refused ? `Not saved: ${one.refused}` : "Saved.", one.unsaved);
  } catch {
    one.unsaved = true;
    say("Not saved: glassroom mark has ended. Start it again, and type this mark once more.", true);
  }
  refresh();
}

points.addEventListener("input", typed);
comment.addEventListener("input", typed);
points.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const letter = event.key.length === 1 && event.key >= "a" && event.key <= "z";
  if (event.key === "Enter") nextToMark();
  else if (event.key === "ArrowUp") go(current - 1);
  else if (event.key === "ArrowDown") go(current + 1);
  else if (letter) toggle(event.key.charCodeAt(0) - 97);
  else return;
  event.preventDefault();
});
comment.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) nextToMark();
  else if (event.key === "Escape") points.focus();
  else return;
  event.preventDefault();
});
at("previous").addEventListener("click", () => go(current - 1));
at("next").addEventListener("click", () => go(current + 1));
at("waiting").addEventListener("click", nextToMark);
at("names").addEventListener("change", refresh);
addEventListener("beforeunload", event => {
  const open = answers.some(one => one.dirty || one.unsaved);
  save();
  if (open) event.preventDefault();
});

fetch("answers")
  .then(reply => reply.json())
  .then(said => {
    if (said.problem) return say(said.problem, true);
    answers = said.answers;
    list();
    at("paper").hidden = !answers.length;
    at("nothing").hidden = answers.length > 0;
    const first = answers.findIndex(waits);
    go(first < 0 ? 0 : first);
  });
