// A prediction that waits for its answers: buttons where there are few, else a field to type into.

import { keepKeys, prose } from "../../live/elements.js";

const choice = (name, value, label, chosen, told) => {
  const input = Object.assign(document.createElement("input"), { type: "radio", name, value, checked: chosen });
  const text = Object.assign(document.createElement("span"), { textContent: label });
  const whole = document.createElement("label");
  whole.className = "gr-choice";
  whole.append(input, text);
  input.addEventListener("change", () => told(value));
  return whole;
};

const render = ({ model, el }) => {
  const root = document.createElement("div");
  root.className = "gr gr-answer";
  root.dataset.kind = "open";
  keepKeys(root); // they are for the buttons, and not for the notebook
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", `Prediction: ${model.get("question")}`);
  const question = document.createElement("p");
  question.append(...prose(model.get("question")));
  const said = document.createElement("p");
  said.className = "gr-said";
  said.setAttribute("aria-live", "polite");
  const group = `gr-${Math.random().toString(36).slice(2)}`;

  const tell = (kind, value) => {
    model.set("answers", { ...model.get("answers"), [kind]: value });
    model.save_changes();
  };
  const fields = model.get("fields").map(({ kind, choices, hint }) => {
    const field = document.createElement("fieldset");
    const legend = Object.assign(document.createElement("legend"), { textContent: kind });
    const now = model.get("answers")[kind] ?? "";
    field.append(legend);
    for (const value of choices) {
      field.append(choice(`${group}-${kind}`, value, value, value === now, (chosen) => {
        for (const typed of field.querySelectorAll("input[type=text]")) typed.value = "";
        tell(kind, chosen);
      }));
    }
    if (hint) {
      const typed = Object.assign(document.createElement("input"), {
        type: "text", placeholder: hint, value: choices.includes(now) ? "" : now, spellcheck: false,
      });
      typed.setAttribute("aria-label", `${kind}: ${hint}`);
      typed.addEventListener("change", () => {
        for (const each of field.querySelectorAll("input[type=radio]")) each.checked = false;
        tell(kind, typed.value);
      });
      field.append(typed);
    }
    return field;
  });
  const show = () => (said.textContent = model.get("noted"));
  model.on("change:noted", show);
  show();
  root.append(question, ...fields, said);
  el.append(root);
  return () => model.off("change:noted", show);
};

export default { render };
