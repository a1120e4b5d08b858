// The question that the class is shown, and this browser's answer to it.

const form = document.getElementById("form");
const parts = document.getElementById("parts");
const said = document.getElementById("said");
let turn = -1;

const element = (name, words = {}) => Object.assign(document.createElement(name), words);

const field = ({ kind, choices, hint }, name) => {
  const box = element("fieldset");
  box.append(element("legend", { textContent: kind }));
  for (const value of choices) {
    const label = element("label", { className: "choice" });
    const input = element("input", { type: "radio", name, value });
    input.addEventListener("change", () => box.querySelectorAll("input[type=text]").forEach((each) => (each.value = "")));
    label.append(input, element("span", { textContent: value }));
    box.append(label);
  }
  if (hint) {
    const typed = element("input", { type: "text", placeholder: hint, autocomplete: "off", spellcheck: false });
    typed.setAttribute("autocapitalize", "off");
    typed.setAttribute("aria-label", `${kind}: ${hint}`);
    typed.addEventListener("input", () => box.querySelectorAll("input[type=radio]").forEach((each) => (each.checked = false)));
    box.append(typed);
  }
  return box;
};

const show = (asked) => {
  turn = asked.turn;
  form.hidden = asked.parts.length === 0;
  said.textContent = form.hidden ? "There is no question now." : "";
  parts.replaceChildren();
  asked.parts.forEach((part, nth) => {
    parts.append(element("p", { className: "question", textContent: part.question.replaceAll("`", "") }));
    part.fields.forEach((each, place) => parts.append(field(each, `field-${nth}-${place}`)));
  });
};

const answerOf = (box) => {
  const typed = box.querySelector("input[type=text]")?.value.trim();
  return typed || box.querySelector("input:checked")?.value || "";
};

const look = async () => {
  try {
    const asked = await (await fetch("question")).json();
    if (asked.turn !== turn) show(asked);
  } catch {
    form.hidden = true;
    said.textContent = "The class has ended, or the network is gone.";
    turn = -1;
  }
  setTimeout(look, 1500);
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const answers = [...parts.querySelectorAll("fieldset")].map(answerOf);
  const body = JSON.stringify({ turn, answers });
  try {
    const reply = await fetch("vote", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const told = await reply.json();
    said.textContent = reply.ok ? "Your answer is counted. You can change it until the result is shown." : told.problem;
  } catch {
    said.textContent = "Your answer did not arrive. Send it again.";
  }
});

look();
