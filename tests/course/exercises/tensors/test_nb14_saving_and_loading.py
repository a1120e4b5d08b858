"""What people answer wrongly in notebook 14 of part 2, and what the checks tell them."""

from __future__ import annotations

import io
from textwrap import dedent
from types import SimpleNamespace

import pytest
from exercise_answers import right_answers, verdict_on, wrong_answers

from glassroom.exercises._answer_key import hints_of, setup_of

TOGETHER = "def save_both(whole, part, file): "
SHAPES = """
def shapes(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    return {}
"""
ANSWERS = "nested, size, function, own_class, text = "

WRONG = [
    ("t14-buffer", "loaded = state", "`state` itself"),
    ("t14-buffer", "loaded = dict(state)", "`loaded['w']`"),
    ("t14-buffer", "loaded = state['w']", "the keys of `state`"),
    ("t14-buffer", "loaded = {'w': state['w'] + 1, 'step': 3}", "`loaded['w']` holds"),
    ("t14-buffer", "loaded = {'w': state['w'].clone(), 'step': 4}", "`loaded['step']` is 4"),
    ("t14-small", "import pickle\ndef packed(part): return pickle.dumps(part)", "it holds the whole storage"),
    ("t14-small", "def packed(part): return pickle.dumps(part.contiguous())", "`packed(big[3])` is"),
    ("t14-small", "def packed(part): return pickle.dumps(part.clone() * 0)", "pickle.loads(packed(big[:, 3]))"),
    ("t14-small", "import pickle\ndef packed(part): return pickle.dumps(part.tolist())", "it should be a tensor"),
    ("t14-small", "def packed(part): return part.clone()", "is not bytes"),
    ("t14-small", "def packed(part): return bytes(part.tolist()[0:0])", "is no pickle: pickle.loads raised EOFError"),
    ("t14-together", TOGETHER + "torch.save([whole.clone(), part.clone()], file)", "share no memory"),
    ("t14-together", TOGETHER + "torch.save(whole, file)", "one call of `save` for both"),
    ("t14-together", TOGETHER + "torch.save([whole, whole[1].sum()], file)", "the smaller"),
    ("t14-together", TOGETHER + "torch.save(whole, part, file)", "`save_both` raised"),
    ("t14-together", TOGETHER + "return [whole, part]", "wrote nothing"),
    ("t14-data", ANSWERS + "False, True, False, False, True", "nested as deep as you like"),
    ("t14-data", ANSWERS + "True, True, True, False, True", "looked up in a module"),
    ("t14-data", ANSWERS + "'yes', 'yes', 'no', 'no', 'yes'", "`nested` is 'yes'; it should be True or False, without"),
    ("t14-data", ANSWERS + "True, True, False, False, False", "until somebody runs it"),
    ("t14-header", SHAPES.replace("{}", "header"), "`__metadata__` is not a tensor"),
    ("t14-header", SHAPES.replace("{}", "{k: [] for k in header if k[0] != '_'}"), "`shapes` says"),
    ("t14-header", SHAPES.replace("{}", "list(header)"), "should be a dictionary"),
    ("t14-header", SHAPES.replace("{}", "{name: each['shape'] for name, each in header.items()}"), "KeyError"),
]  # fmt: skip

ALSO_RIGHT = [
    ("t14-buffer", "torch.save(state, buffer); loaded = torch.load(io.BytesIO(buffer.getvalue()))"),
    ("t14-small", "def packed(part): return pickle.dumps(torch.tensor(part.tolist()))"),
    ("t14-together", TOGETHER + "torch.save({'a': whole, 'b': part}, file)"),
    ("t14-together", TOGETHER + "torch.save([part, whole], file)"),
    ("t14-header", SHAPES.replace("{}", "{k: tuple(v['shape']) for k, v in header.items() if 'shape' in v}")),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)


class OneOfMine:
    """An object of a class of your own."""


def test_the_answers_are_what_load_does():
    torch = pytest.importorskip("torch", reason="real PyTorch is not installed (extra: parity)")
    answers: dict = {}
    exec(dedent(hints_of("t14-data")[-1]), answers)
    things = {
        "nested": {"a": [torch.ones(2)]}, "size": torch.Size([2]), "function": print, "own_class": OneOfMine(),
        "text": "import os",
    }  # fmt: skip
    for name, thing in things.items():
        file = io.BytesIO()
        torch.save(thing, file)
        file.seek(0)
        try:
            torch.load(file)
            assert answers[name], name
        except Exception:
            assert not answers[name], name


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        ("loaded = {'w': state['w'].clone(), 'step': 3}", "nothing was written into `buffer`"),
        ("torch.save(state, buffer); buffer.seek(0); loaded = torch.load(buffer)", ""),
        ("torch.save(state, buffer); loaded = torch.load(io.BytesIO(buffer.getvalue()))", ""),
    ],
)
def test_an_answer_that_was_never_saved_is_seen_in_the_cell_that_runs(torch, monkeypatch, attempt, told):
    request = {"content": {"code": f"{setup_of('t14-buffer')}\n{attempt}\ncheck(...)"}}
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(get_parent=lambda: request))
    verdict = verdict_on(torch, "t14-buffer", attempt)
    assert verdict.solved is not bool(told), verdict.message
    assert told in verdict.message
