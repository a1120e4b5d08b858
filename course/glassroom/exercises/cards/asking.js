// Predictions that wait for their answers: buttons where there are few, else a field to type into. Several are a table.

import { keepKeys, make, prose } from "../../live/elements.js";
import { listen } from "../../live/listening.js";

const choice = (name, value, label, chosen, told) => {
  const input = Object.assign(document.createElement("input"), { type: "radio", name, value, checked: chosen });
  const text = Object.assign(document.createElement("span"), { textContent: label });
  const whole = document.createElement("label");
  whole.className = "gr-choice";
  whole.append(input, text);
  input.addEventListener("change", () => told(value));
  return whole;
};

const asked = ({ question, fields }, group, answers, told, advised) => {
  const one = make("div", "gr-question");
  one.setAttribute("role", "group");
  one.setAttribute("aria-label", `Prediction: ${question}`);
  const words = make("p");
  words.append(...prose(question));
  const places = make("div", "gr-fields");
  for (const { kind, choices, hint } of fields) {
    const field = make("fieldset");
    const now = answers(kind);
    const ways = make("div", "gr-ways");
    field.append(make("legend", "", kind), ways);
    for (const value of choices) {
      ways.append(choice(`${group}-${kind}`, value, value, value === now, (chosen) => {
        for (const typed of field.querySelectorAll("input[type=text]")) typed.value = "";
        told(kind, chosen);
      }));
    }
    if (hint) {
      const typed = Object.assign(make("input"), {
        type: "text", placeholder: hint, value: choices.includes(now) ? "" : now, spellcheck: false,
      });
      typed.setAttribute("aria-label", `${kind}: ${hint}`);
      typed.addEventListener("change", () => {
        for (const each of field.querySelectorAll("input[type=radio]")) each.checked = false;
        told(kind, typed.value);
      });
      typed.setAttribute("aria-describedby", `${group}-${kind}-advice`);
      ways.append(typed);
    }
    const advice = make("p", "gr-advice");
    advice.id = `${group}-${kind}-advice`;
    advice.setAttribute("aria-live", "polite");
    ways.append(advice);
    advised(kind, advice);
    places.append(field);
  }
  one.append(words, places);
  return one;
};

const render = ({ model, el }) => {
  const root = make("div", "gr gr-answer");
  root.dataset.kind = "open";
  keepKeys(root); // they are for the buttons, and not for the notebook
  const said = make("p", "gr-said");
  said.setAttribute("aria-live", "polite");
  root.append(said);
  const group = `gr-${Math.random().toString(36).slice(2)}`;
  const advised = {};
  let shown = 0;

  const ask = () => {
    const questions = model.get("questions");
    root.classList.toggle("gr-several", questions.length > 1);
    for (; shown < questions.length; shown += 1) {
      const place = shown;
      const tell = (kind, value) => {
        model.set("answers", { ...model.get("answers"), [`${place} ${kind}`]: value });
        model.save_changes();
      };
      const answers = (kind) => model.get("answers")[`${place} ${kind}`] ?? "";
      const advise = (kind, advice) => (advised[`${place} ${kind}`] = advice);
      said.before(asked(questions[place], `${group}-${place}`, answers, tell, advise));
    }
  };
  const show = () => {
    said.textContent = model.get("noted");
    const advice = model.get("advice");
    for (const [key, place] of Object.entries(advised)) place.textContent = advice[key] ?? "";
  };
  const close = () => model.get("closed") && root.remove();
  model.on("change:questions", ask);
  model.on("change:noted", show);
  model.on("change:advice", show);
  ask();
  show();
  el.append(root);
  model.on("change:closed", close);
  close();
  listen(model);
  return () => {
    model.off("change:questions", ask);
    model.off("change:noted", show);
    model.off("change:advice", show);
    model.off("change:closed", close);
  };
};

export default { render };
