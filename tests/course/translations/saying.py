"""Prints what the course says: checks, hints, predictions, inspectors, cards, notes, verdicts of exercises."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from every_inspector import every_inspector

import tensorglass as torch
from glassroom import check, hint, predict
from glassroom.exercises import exercises, judge
from glassroom.exercises._answer_key import hints_of, setup_of
from glassroom.exercises.cards.card import Revealed, revealed_card, verdict_card

verdicts = {}
for id, exercise in exercises().items():
    if id.startswith(sys.argv[1]):
        names = {"torch": torch, "...": ...}
        try:
            exec(f"{setup_of(exercise.id)}\n{hints_of(exercise.id)[3]}", names)
        except Exception:
            continue
        if all(name in names for name in (*exercise.answers, *exercise.given)):
            given = {name: names[name] for name in exercise.given}
            answers = [names[name] for name in exercise.answers]
            wrong = judge(id, *["nothing like it"] * len(answers), **given)
            verdicts[id] = judge(id, *answers, **given).solved, wrong.solved, wrong.message
print(json.dumps(verdicts))

for answer in (12, 6, ..., None, "six", torch.ones(3)):
    check("00-numbers", answer)
check("98")
check("06-which-ones", True, True, True, True, True)
check("06-in-order", lambda size: 1 / 0)
for _ in range(4):
    hint("06-which-ones")
predict("x", memory="view", shape=(2, 3), value=..., contiguous="yes").reveal(torch.ones(3), of=torch.ones(2))
for inspector in every_inspector(torch).values():
    print(inspector, inspector.label, sep="\n")
print(verdict_card("00-x", "wrong", "a", "", "t").html.partition("</style>")[2])
print(revealed_card([Revealed("q", [("value", "1", "2", "✗")], "")], "t").html.partition("</style>")[2])
for wrong in (lambda: torch.ones(2) + torch.ones(3), lambda: torch.ones(6).view(4)):
    try:
        wrong()
    except RuntimeError as error:
        print(*error.__notes__, sep="\n")
