"""Checks never crash, say what a wrong answer shows, and accept their own last hint.

Every exercise of the course is tried with junk of all kinds and with tensors of tensorglass and of PyTorch.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import pydoc
import random
import re
import reprlib
import sys
import traceback
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from glassroom.exercises import Misconception, check, engine, exercise, exercises, hint, judge
from glassroom.exercises._answer_key import hints_of, setup_of
from glassroom.exercises.account import account
from glassroom.exercises.expect import (
    call,
    every_slot,
    expect_copy,
    expect_equal,
    expect_tensor,
    expect_truths,
    expect_value,
    expect_view,
    expect_word,
)

COURSE = exercises()
HINTS = ["slices give views", "look at the slice", "window = a[…]", "window = a[0:2, 0:2]"]


class Explodes:
    """Looks like a tensor, and raises at every access."""

    def __getattribute__(self, name):
        if name == "__class__":
            return Explodes
        raise RuntimeError(f"no {name} at 0x7f001234")

    def __eq__(self, other):
        raise RuntimeError("not to be compared")

    __hash__ = None  # type: ignore[assignment]  # unhashable on purpose

    def __call__(self, *arguments):
        raise RuntimeError("not to be called")

    def __repr__(self):
        raise RuntimeError("not to be printed")


class HalfATensor:
    """Has the methods by which tensors are recognized, each of which raises or returns nonsense."""

    shape = ("two", None)
    dtype = Explodes()
    nbytes = -1

    def untyped_storage(self):
        raise MemoryError

    def storage_offset(self):
        return "zero"

    def stride(self):
        return 3

    def tolist(self):
        raise SystemExit(1)


def recipes(torch):
    """How to create each kind of junk: new for each answer, since a check may write into what it is given."""
    plain = st.one_of(
        st.none(),
        st.just(...),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.complex_numbers(),
    )
    strange = st.sampled_from([Explodes, object(), len, repr, lambda *a: a, lambda: 1 / 0, range(3), torch])
    tensors = st.sampled_from(
        [
            Explodes,
            HalfATensor,
            lambda: numpy.arange(6),
            lambda: numpy.float32(1),
            lambda: numpy.zeros((2, 3), order="F"),
            lambda: numpy.array(["a"]),
            lambda: torch.arange(6),
            lambda: torch.arange(6).view(2, 3),
            lambda: torch.zeros(2, 3).t(),
            lambda: torch.zeros(0, 3),
            lambda: torch.tensor(7),
            lambda: torch.ones(1).expand(10**8),
            lambda: torch.tensor([float("nan"), 1.0]),
            lambda: torch.arange(6).untyped_storage(),
            lambda: torch.Size([2, 3]),
            lambda: torch.float32,
            lambda: torch.Tensor,
        ]
    )
    leaves = st.one_of((plain | strange).map(lambda value: lambda: value), tensors)

    def nested(inner):
        lists = st.lists(inner, max_size=3).map(lambda parts: lambda: [part() for part in parts])
        return lists | st.tuples(inner, inner).map(lambda parts: lambda: tuple([part() for part in parts]))

    return st.recursive(leaves, nested, max_leaves=4)


@cache
def junk(torch):
    """Three hundred recipes for junk, drawn once: drawing takes ten times as long as a check."""
    found = []

    @settings(max_examples=300, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(recipes(torch))
    def gather(recipe):
        found.append(recipe)

    gather()
    return found


@contextlib.contextmanager
def declared(exercise_id, examine, hints=HINTS):
    """An exercise that exists while a test runs."""
    exercise(exercise_id, hints=hints)(examine)
    try:
        yield
    finally:
        del engine._declared[exercise_id]
        engine._rungs_taken.pop(exercise_id, None)


def said(function, *arguments, **given):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert function(*arguments, **given) is None
    return out.getvalue()


def misconception(expectation, *arguments, **keywords):
    with pytest.raises(Misconception) as caught:
        expectation(*arguments, **keywords)
    return str(caught.value)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("exercise_id", COURSE)
def test_checks_answer_junk_with_one_plain_sentence(torch, exercise_id):
    exercise = COURSE[exercise_id]
    chosen = random.Random(exercise_id)
    for _ in range(40):
        answers = [chosen.choice(junk(torch))() for _ in exercise.answers]
        besides = {name: chosen.choice(junk(torch))() for name in exercise.given}
        text = said(check, exercise_id, *answers, **besides)
        told = reprlib.repr((answers, besides))
        assert text.startswith(("Not yet: ", "✓ ")), told
        # one sentence, in several lines if it is long
        assert all(line.startswith("  ") for line in text.splitlines()[1:]), told
        assert not re.search(r"0x[0-9a-f]+|Traceback", text), told


def test_what_is_told_of_an_object_has_no_address():
    def examine(answer):
        raise Misconception(f"`answer` is {answer}.")

    with declared("z-object", examine):
        assert said(check, "z-object", [object()]).strip() == "Not yet: `answer` is [<object object at 0x…>]."


def test_check_and_hint_answer_junk_ids_and_too_many_answers(torch):
    for make in [Explodes, *junk(torch)[:60]]:
        anything = make()
        assert said(check, anything, anything, anything).startswith("Not yet: "), reprlib.repr(anything)
        assert said(hint, anything), reprlib.repr(anything)


@pytest.mark.sweep
@pytest.mark.parametrize("exercise_id", COURSE)
def test_unanswered_exercises_say_that_they_wait_and_where_help_is(torch, exercise_id):
    exercise = COURSE[exercise_id]
    names = {"torch": torch, "np": numpy}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(setup_of(exercise.id), names)
    given = {name: names[name] for name in exercise.given if name in names}
    for blank in (..., None):
        text = said(check, exercise_id, *(blank for _ in exercise.answers), **given)
        assert text.startswith("Not yet: ")
        assert f'hint("{exercise_id}")' in text


@pytest.mark.sweep
@pytest.mark.parametrize("exercise_id", COURSE)
def test_the_last_hint_is_code_that_passes_the_check(torch, exercise_id):
    exercise = COURSE[exercise_id]
    names = {"torch": torch, "np": numpy}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(setup_of(exercise.id), names)
        exec(hints_of(exercise.id)[-1], names)
    verdict = judge(
        exercise_id,
        *(names[name] for name in exercise.answers),
        **{name: names[name] for name in exercise.given},
    )
    assert verdict.solved, verdict.message


@pytest.mark.parametrize("exercise_id", COURSE)
def test_looking_around_in_a_kernel_meets_no_answer(exercise_id):
    exercise, answer = COURSE[exercise_id], hints_of(exercise_id)[-1]
    module = sys.modules[exercise.examine.__module__]
    met = [repr(exercise), str(vars(exercise)), pydoc.plain(pydoc.render_doc(exercise))]
    met += [getattr(exercise, name) for name in dir(exercise) if isinstance(getattr(exercise, name, None), str)]
    met += [text for name, text in vars(module).items() if isinstance(text, str) and not name.startswith("_")]
    assert [text for text in met if answer in text] == []
    assert not hasattr(exercise, "hints")


def test_what_an_answer_prints_follows_the_verdict():
    with declared("00-prints", lambda function: function() and None):
        text = said(check, "00-prints", lambda: print("x is 3\nand 4"))
        assert text.splitlines()[1:] == ["While it was checked, your answer printed:", "    x is 3", "    and 4"]
        talkative = said(check, "00-prints", lambda: [print("again " * 100) for _ in range(1000)])
        assert talkative.startswith("✓ ")
        assert len(talkative) < 3000
        assert talkative.rstrip().endswith("…")
        silent = said(check, "00-prints", lambda: None)
        assert "printed" not in silent


@pytest.mark.parametrize("exercise_id", COURSE)
def test_ids_begin_with_their_part_and_a_number_or_with_a_word(exercise_id):
    """The number was the notebook's when the exercise was written; capstones and reviews have a word instead."""
    part = COURSE[exercise_id].examine.__module__.split(".")[-2]
    match = re.fullmatch(r"(?:([a-z]?)\d\d|[a-z]{3,})(-[a-z0-9]+)+", exercise_id)
    assert match
    assert match[1] in (None, "" if part == "memory" else part[0])  # a part after the first has its letter in front


def test_hints_climb_the_ladder_and_stay_on_its_last_rung():
    with declared("98-ladder", lambda window: None):
        rungs = [said(hint, "98-ladder") for _ in range(5)]
    assert [rung[:11] for rung in rungs] == [
        "Hint 1 of 4",
        "Hint 2 of 4",
        "Hint 3 of 4",
        "Hint 4 of 4",
        "Hint 4 of 4",
    ]
    assert all(text in rung for text, rung in zip(HINTS, rungs, strict=False))


def test_unknown_ids_name_the_nearest_exercise():
    with declared("98-nearest", lambda window: None):
        assert 'Did you mean "98-nearest"?' in said(check, "98-neerest", 1)


def test_check_and_hint_without_an_id_say_what_an_id_is():
    assert "the exercise's id" in said(check)
    assert "the exercise's id" in said(hint)


def test_an_exercise_is_declared_once_and_with_four_hints():
    with declared("98-once", lambda window: None), pytest.raises(ValueError, match="twice"):
        exercise("98-once", hints=HINTS)
    with pytest.raises(ValueError, match="four"):
        exercise("98-short", hints=HINTS[:3])


def test_lessons_of_solved_exercises_are_reported():
    with declared("98-lesson", lambda answer: "Forty-two it is."):
        assert said(check, "98-lesson", 42) == "✓ 98-lesson is solved. Forty-two it is.\n"


def test_wrong_calls_show_how_the_exercise_is_checked():
    with declared("98-call", lambda window, *, a: None):
        for text in (
            said(check, "98-call", 1),
            said(check, "98-call", 1, 2, a=3),
            said(check, "98-call", 1, b=2),
        ):
            assert 'check("98-call", window, a=…)' in text


def test_a_huge_tensor_is_refused_before_anything_goes_through_it(torch):
    huge = torch.ones(1).expand(10**9)
    with declared("00-huge", lambda rows, *, given: len(list(rows)) and None):
        for rows, given, named in [(huge, 1, "rows"), ([huge], 1, "rows"), ([1], (2, [huge]), "given")]:
            text = said(check, "00-huge", rows, given=given)
            assert text == f"Not yet: `{named}` has 1,000,000,000 elements, more than any exercise asks for.\n"


def test_a_copy_is_told_from_a_view(torch):
    a = torch.arange(6)
    expect_view(a[1:4], "b", of=a, of_name="a")
    expect_copy(a[1:4].clone(), "b", of=a, of_name="a")
    copied = misconception(expect_view, a[1:4].clone(), "b", of=a, of_name="a", because="Slices give a view.")
    assert copied == "`b` is a copy: it has a storage of its own, not `a`'s. Slices give a view."
    assert "`b` is a view" in misconception(expect_copy, a[1:4], "b", of=a, of_name="a")
    assert "under a second name" in misconception(expect_copy, a, "b", of=a, of_name="a")


def test_tensors_of_no_elements_share_only_their_own_storage(torch):
    a = torch.empty(0)
    expect_view(a.view(0, 1), "b", of=a, of_name="a")
    expect_copy(torch.empty(0), "b", of=a, of_name="a")


def test_two_storages_over_one_numpy_array_share_memory(torch):
    array = numpy.arange(6)
    tail = torch.from_numpy(array[2:])
    expect_view(tail, "tail", of=torch.from_numpy(array), of_name="whole")
    expect_view(tail, "tail", of=array, of_name="array")
    expect_copy(torch.tensor(array), "copied", of=array, of_name="array")


def test_layouts_are_compared_by_shape_stride_and_offset(torch):
    a = torch.arange(6).view(2, 3)
    expect_tensor(a[1:], "b", shape=(1, 3), stride=(3, 1), offset=3, dtype="int64", value=[[3, 4, 5]])
    assert "shape (3, 2)" in misconception(expect_tensor, a.t(), "b", shape=(2, 3))
    assert "stride (1, 3)" in misconception(expect_tensor, a.t(), "b", stride=(2, 1))
    assert "offset 3" in misconception(expect_tensor, a[1:], "b", offset=1)
    assert "torch.int64" in misconception(expect_tensor, a, "b", dtype="float32")


def test_values_are_compared_with_a_little_room_for_floats(torch):
    expect_value(torch.tensor([0.1, float("nan")]), "b", [0.1, float("nan")])
    assert "holds [0, 1]" in misconception(expect_value, torch.arange(2), "b", [0, 2])


def test_values_of_a_huge_tensor_are_not_listed(torch):
    assert "shape (1000000000,)" in misconception(expect_value, torch.ones(1).expand(10**9), "b", [1.0])


def test_plain_answers_are_compared_and_known_mistakes_named(torch):
    expect_equal(6, "offset", 6)
    expect_equal([3, 1], "stride", (3, 1))
    expect_equal(torch.Size([2, 3]), "shape", (2, 3))
    mistakes = {48: "That counts bytes."}
    assert misconception(expect_equal, 48, "offset", 6, mistakes) == "`offset` is 48. That counts bytes."
    assert misconception(expect_equal, 4, "offset", 6, mistakes) == "`offset` is 4: too small."
    assert misconception(expect_equal, 8.0, "offset", 6, mistakes) == "`offset` is 8.0: too large."
    assert misconception(expect_equal, 5, "offset", 6, mistakes).startswith("`offset` is 5: off by one.")
    assert misconception(expect_equal, (2, 8, 4), "size", (2, 3, 4)) == "`size` is (2, 8, 4): `size[1]` is too large."
    assert "`rows[1]` should be a plain integer" in misconception(expect_equal, [1, "2"], "rows", [1, 3])
    assert misconception(expect_equal, 5, "f(3)", 6) == "`f(3)` is 5; it should be 6."
    assert "it should be True or False" in misconception(expect_equal, 1, "shared", True)
    assert "it should be a plain integer" in misconception(expect_equal, torch.tensor(6), "offset", 6)
    assert "a tuple of 2" in misconception(expect_equal, 3, "stride", (3, 1))


def test_words_are_judged_by_their_sense_and_others_are_answered_with_the_choice():
    others = {"detach": "It shares.", "copy_": "It needs a place."}
    for said_so in ("clone", "Clone", " clone() ", "torch.clone"):
        expect_word(said_so, "undo", "clone", others)
    assert misconception(expect_word, "detach()", "undo", "clone", others) == (
        "`undo` is 'detach' in your answer. It shares."
    )
    for other in ("copy", 3, None):
        assert 'it should be "clone", "copy_" or "detach"' in misconception(expect_word, other, "undo", "clone", others)


def test_numbers_are_reported_with_the_digits_that_people_read(torch):
    told = misconception(expect_value, torch.tensor([0.7, 0.1]), "top", [0.8, 0.1])
    assert told == "`top` holds [0.7, 0.1]; it should hold [0.8, 0.1]."
    assert "1.00002" in misconception(expect_value, torch.tensor([1.00002]), "top", [1.0])


def test_an_answer_that_is_none_is_told_apart_from_one_that_is_not_there():
    with declared("00-tells", lambda window: None):
        assert "waits for your answer" in said(check, "00-tells", ...)
        assert "`window` is None" in said(check, "00-tells", None)


def test_a_check_records_and_leaves_the_switch_of_autograd_as_it_was(torch):
    def examine(function):
        function()
        assert (torch.ones(2, requires_grad=True) * 2).requires_grad is False

    with declared("00-switches", examine):
        assert "solved" in said(check, "00-switches", lambda: torch.set_grad_enabled(False))
        assert torch.is_grad_enabled()
        with torch.no_grad():
            assert "solved" not in said(check, "00-switches", lambda: None)
            assert not torch.is_grad_enabled()


def test_an_interrupted_check_shows_the_learners_frames_alone():
    def endless():
        raise KeyboardInterrupt

    def examine(function):
        return call(function, "function")

    with declared("00-interrupted", examine):
        try:
            check("00-interrupted", endless)
        except KeyboardInterrupt as interrupt:
            frames = [frame.f_code for frame, _ in traceback.walk_tb(interrupt.__traceback__)]
    ours = [code.co_name for code in frames if code.co_filename.startswith(str(Path(engine.__file__).parent))]
    assert ours == ["check"]  # which hides itself in a notebook
    assert frames[-1].co_name == "endless"


def test_all_wrong_slots_are_named_and_the_first_is_explained():
    table = {"a": (True, "It is."), "b": (False, "It is not."), "c": (True, "It must be.")}
    assert misconception(expect_truths, table, (True, True, True)) == "`b` is True in your answer. It is not."
    told = misconception(expect_truths, table, (False, False, False))
    assert (
        told == "1 of 3 is right; `a` and `c` are not yet. To begin with the first: `a` is False in your answer. It is."
    )
    expect_truths(table, (True, False, True))


def test_one_and_zero_for_truths_are_reported_as_such_and_not_counted_as_wrong():
    table = {"a": (True, "It is."), "b": (False, "It is not.")}
    told = misconception(expect_truths, table, (1, 0))
    assert told == "`a` is 1; it should be True or False, and 1 and 0 are numbers."


def test_a_name_that_is_words_stands_without_the_marks_of_code(torch):
    a = torch.arange(3)
    told = misconception(expect_equal, 3, "the label of samples[2]", 4)
    assert told == "the label of samples[2] is 3; it should be 4."
    told = misconception(expect_tensor, a, "the first of ready(batch)", value=[0, 1, 3])
    assert told.startswith("the first of ready(batch) holds [0, 1, 2]; ")
    told = misconception(expect_value, torch.arange(200), "the first of ready(batch)", torch.zeros(200))
    assert told == "the first of ready(batch) at `[1]` is 1; it should be 0."
    told = misconception(expect_equal, 3, "the number of calls of `step` in 8 rounds", 4)
    assert told == "the number of calls of `step` in 8 rounds is 3; it should be 4."
    assert misconception(expect_equal, 3, "sum(another x)", 4) == "`sum(another x)` is 3; it should be 4."


def test_slots_of_several_expectations_stand_in_blocks_of_their_own(torch):
    a = torch.arange(6)

    def both(first, second):
        with every_slot() as slot:
            with slot("first"):
                expect_tensor(first, "first", shape=(3,))
                expect_view(first, "first", of=a, of_name="a")
            with slot("second"):
                expect_tensor(second, "second", shape=(2,))

    both(a[:3], a[:2])
    assert misconception(both, a[:3].clone(), a[:2]).startswith("`first` is a copy")
    assert misconception(both, a, a).startswith("0 of 2 are right; `first` and `second` are not yet.")


def test_slips_of_the_pen_are_reported_in_any_exercise(torch):
    assert misconception(expect_equal, (3, 1), "stride", (1, 3)).endswith("the right numbers, in another order.")
    assert misconception(expect_equal, -6, "offset", 6).endswith("only the sign is wrong.")
    assert misconception(expect_equal, (3,), "stride", (3, 1)).endswith("1 number; there should be 2.")
    assert misconception(expect_value, torch.tensor([1, -2]), "x", [-1, 2]).endswith("with the wrong sign.")


def test_the_account_tells_what_a_function_did(torch):
    x = torch.arange(6.0).view(2, 3)
    with account() as kept:
        (kept.watched(x) + 1).exp_().sum(0)
        x.t().contiguous()
    assert kept.names >= {"add", "exp", "sum"}
    assert kept.copies == [24]
    assert kept.allocations[:2] == [24, 12]
    assert not kept.transfers
    with account() as after:
        pass
    x + 1
    assert not after.allocations


def test_functions_of_the_learner_are_called_and_their_errors_told():
    assert call(lambda x: x + 1, "f", 2) == 3
    assert "it should be a function" in misconception(call, 3, "f", 2)
    assert "raised ZeroDivisionError" in misconception(call, lambda x: x / 0, "f", 2)
    assert "Something is None there" in misconception(call, lambda x: x * None, "f", 2.0)
    assert "with the arguments that the task names" in misconception(call, lambda: 1, "f", 2)
    assert "take the tensor out of it" in misconception(call, lambda x: (x,) / 2, "f", 2)
    assert "Parentheses are missing" in misconception(call, lambda x: x.upper + "a", "f", "b")
    assert "// makes an int" in misconception(call, lambda n: list(range(n / 2)), "f", 4)
    assert "returned nothing" in misconception(call, lambda x: None, "f", 2)


@pytest.mark.parametrize(
    ("slip", "told"),
    [
        (lambda torch, x: x.view(2, x.numel() / 2), "// makes an int"),
        (lambda torch, x: x.view(2, 2).max((0, 1)), "amax and amin take several dimensions"),
        (lambda torch, x: torch.stack(x), "a list of them"),
        (lambda torch, x: torch.autograd.grad(x.sum(), x, x.detach()), "a weight for each number"),
    ],
)
def test_a_slip_in_a_call_is_told_with_either_library(torch, slip, told):
    assert told in misconception(call, slip, "f", torch, torch.ones(4, requires_grad=True))


def test_several_tensors_are_named_in_a_row_with_one_and(torch):
    told = misconception(call, lambda *tensors: 1 / 0, "f", torch.ones(2), torch.ones(3), torch.ones(1))
    assert told.startswith(
        "given a tensor of shape (2,), a tensor of shape (3,) and a tensor of shape (1,), `f` raised"
    )


def test_the_line_of_a_cell_that_raised_is_reported():
    source = "def f(x):\n    y = x + 1\n    return y.size\n"
    linecache.cache["<a cell>"] = len(source), None, source.splitlines(keepends=True), "<a cell>"
    names = {"__name__": "__main__"}
    exec(compile(source, "<a cell>", "exec"), names)
    assert misconception(call, names["f"], "f", 2).endswith("The line is `return y.size`.")


def test_dots_where_code_should_write_are_waited_for_and_not_called_wrong(torch, monkeypatch, capsys):
    """The cell assigns nothing, so the answer is the given tensor itself."""
    b = torch.arange(6).view(2, 3)
    ends = ('\n\ncheck("00-last-cell", a, b=b)', "\ncheck('00-last-cell', a, b=b)")
    told_of = {"# your code here\n...": "the dots wait for your code", "...\nb[0, 2] = 7": "holds 5, not 7"}
    for (code, told), end in product(told_of.items(), ends):
        request = {"content": {"code": code + end}}
        shell = SimpleNamespace(get_parent=lambda request=request: request)
        monkeypatch.setattr("IPython.get_ipython", lambda shell=shell: shell)
        check("00-last-cell", b.view(6), b=b)
        assert told in capsys.readouterr().out


def test_an_answer_that_waits_is_open_and_one_that_was_given_is_not():
    assert judge("00-numbers", ...).is_open
    assert not judge("00-numbers", None).is_open
    assert not judge("00-numbers", 5).is_open


def test_a_check_that_is_called_in_another_way_promises_no_name_that_may_not_be_there(torch):
    message = judge("t03-together", lambda x, y, generator: (x, y), torch.zeros(2), torch.zeros(2)).message
    assert 'check("t03-together", shuffled, x=…, y=…, generator=…)' in message
    assert "generator=generator" not in message
    assert judge("02-count", 4, 2, 1).message == 'this exercise is checked by check("02-count", headers, storages).'


def test_a_number_in_quotes_is_a_wrong_answer_that_is_told_to_lose_them():
    verdict = judge("02-count", "4", "2")
    assert not verdict.is_open
    assert "0 of 2 are right" in verdict.message
    assert "it should be a plain integer, without quotes" in verdict.message


def test_a_word_where_a_number_is_asked_for_is_no_answer_rather_than_a_wrong_one():
    assert judge("00-numbers", "six").is_open
    assert judge("00-numbers", "six").message == "`numbers` is 'six'; it should be a plain integer."
    shapes = [(6, 28, 28), (6, 14, 14), (16, 10, 10), (16, 5, 5)]
    assert judge("n06-sizes", *shapes, "hundred").is_open
    assert judge("n06-sizes", "big", *shapes[1:], "hundred").is_open
    assert not judge("n06-sizes", (6, 28), *shapes[1:], "hundred").is_open
