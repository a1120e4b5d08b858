"""A prediction records the answers, and shows them beside the truth; it never crashes."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import re
from types import SimpleNamespace

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassroom.exercises import predict
from glassroom.exercises.cards.card import Revealed, asleep_question, revealed_card, verdict_card
from glassroom.exercises.cards.widgets import value_of
from glassroom.exercises.prediction import Prediction, mark_of


def revealed(answers, *result, **keywords):
    """The rows of the table: kind -> (the answer, the truth and the mark)."""
    with contextlib.redirect_stdout(io.StringIO()):
        prediction = predict("What will it be?", **answers)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert prediction.reveal(*result, **keywords) is None
    question, _, *lines = out.getvalue().splitlines()
    assert question == "What will it be?"
    return {row[0]: tuple(row[1:]) for row in (re.split(r"\s{2,}", line.strip()) for line in lines)}


def test_a_prediction_prints_its_question_and_answers_and_what_is_missing(capsys):
    predict("View or copy?", memory="view", stride=...)
    assert capsys.readouterr().out.splitlines() == [
        "Prediction: View or copy?",
        "  memory      view",
        "  stride      …",
    ]


@pytest.mark.parametrize(
    ("kind", "said", "advice"),
    [
        ("memory", "strided", 'write "view" or "copy"'),
        ("stride", "(3, 1)", "write a tuple"),
        ("offset", "0", "write an integer"),
        ("contiguous", "yes", "write True or False"),
        ("error", "refused", "write the name of an error"),
    ],
)
def test_an_answer_that_can_never_be_right_is_told_how_to_be_written(capsys, kind, said, advice):
    predict("?", **{kind: said})
    assert f"({advice}" in capsys.readouterr().out


def test_well_written_answers_get_no_advice(capsys):
    predict("?", memory="View", shape=3, stride=[3, 1], offset=0, nbytes=4.0, contiguous=False, error=ValueError)
    assert "write" not in capsys.readouterr().out


def test_second_names_of_dtypes_and_errors_in_small_letters_are_understood(torch):
    assert revealed({"dtype": "long"}, torch.arange(2))["dtype"][-1] == "✓"
    assert revealed({"error": "runtimeerror"}, lambda: torch.arange(6).view(4))["error"][-1] == "✓"


def test_only_known_kinds_of_answers_can_be_predicted():
    with pytest.raises(TypeError, match="memory, shape, stride"):
        predict("?", strides=(3, 1))


def test_every_fact_of_a_view_is_revealed(torch):
    a = torch.arange(12).view(3, 4)
    answers = {
        "memory": "view",
        "shape": (3,),
        "stride": [4],
        "offset": 1,
        "contiguous": False,
        "dtype": torch.int64,
        "nbytes": 24,
        "value": [1, 5, 9],
        "error": None,
    }
    rows = revealed(answers, a[:, 1], of=a)
    assert list(rows) == list(answers)
    assert all(row[-1] == "✓" for row in rows.values())


def test_wrong_and_missing_answers_stand_beside_the_truth(torch):
    a = torch.arange(6)
    rows = revealed({"memory": "copy", "shape": (3, 2), "stride": ...}, a.view(2, 3), of=a)
    assert rows == {
        "memory": ("copy", "view", "✗"),
        "shape": ("(3, 2)", "(2, 3)", "✗"),
        "stride": ("…", "(3, 1)"),
    }


def test_clones_and_views_of_no_elements_are_told_apart(torch):
    a = torch.empty(0)
    assert revealed({"memory": "view"}, a.view(0, 2), of=a)["memory"][-1] == "✓"
    assert revealed({"memory": "copy"}, torch.empty(0), of=a)["memory"][-1] == "✓"


def test_numpy_arrays_are_compared_by_their_memory(torch):
    array = numpy.zeros(3)
    assert revealed({"memory": "view"}, torch.from_numpy(array), of=array)["memory"][-1] == "✓"
    assert revealed({"memory": "view"}, torch.arange(3).numpy(), of=torch.arange(3))["memory"][-1] == "✗"


def test_a_raising_callable_is_the_truth_for_error(torch):
    a = torch.arange(6).view(2, 3)
    answers = {"error": "RuntimeError", "value": 3}
    rows = revealed(answers, lambda: a.t().view(6))
    assert rows["error"] == ("RuntimeError", "RuntimeError", "✓")
    assert rows["value"] == ("3", "–")
    assert any(line.startswith("RuntimeError: view size is not compatible") for line in rows)


def test_a_callable_that_raises_nothing_reveals_its_result(torch):
    rows = revealed({"error": "none", "shape": (3,)}, lambda: torch.arange(3))
    assert rows == {"error": ("none", "none", "✓"), "shape": ("(3,)", "(3,)", "✓")}


def test_exception_classes_are_taken_for_their_names():
    assert revealed({"error": ZeroDivisionError}, lambda: 1 / 0)["error"][-1] == "✓"


def test_a_plain_result_is_the_truth_itself(torch):
    assert revealed({"offset": 3}, torch.arange(12).view(4, 3)[1].storage_offset())["offset"][-1] == "✓"
    assert revealed({"nbytes": 48}, torch.arange(6).untyped_storage())["nbytes"][-1] == "✓"


def test_a_value_may_be_given_apart_from_the_result(torch):
    a = torch.arange(3)
    assert revealed({"memory": "view", "value": 0}, a[1:], of=a, value=a[0])["value"] == ("0", "0", "✓")


@pytest.mark.parametrize(
    ("dtype", "number", "shown"),
    [
        ("float32", 0.1, "0.1"),
        ("float32", 1e-10, "1e-10"),
        ("float32", 1 / 3, "0.33333334"),
        ("float32", 16777216.0, "16777216.0"),
        ("float16", 65504.0, "65504.0"),
        ("bfloat16", 0.7, "0.7"),
        ("float64", 1 / 3, "0.3333333333333333"),
        ("complex64", 0.1 - 0.2j, "(0.1-0.2j)"),
        ("int64", 7, "7"),
    ],
)
def test_values_are_revealed_in_the_digits_of_their_dtype(torch, dtype, number, shown):
    held = torch.tensor([number], dtype=getattr(torch, dtype))
    said = f"[{shown}]"
    assert revealed({"value": [number]}, held)["value"][1:] == (said, "✓")
    assert revealed({"value": held.tolist()}, held)["value"][1:] == (said, "✓")


def test_none_is_an_answer_for_a_value_and_no_error_is_one_for_an_error(torch):
    assert revealed({"value": None}, torch.tensor(3.0))["value"] == ("None", "3.0", "✗")
    assert revealed({"value": None}, torch.zeros(1).grad)["value"] == ("None", "None", "✓")
    assert revealed({"error": "no error"}, lambda: 1)["error"][-1] == "✓"
    assert revealed({"error": "No error"}, lambda: 1 / 0)["error"][-1] == "✗"


def test_what_a_widget_says_of_an_answer_is_never_empty_words(torch):
    prediction = Prediction("?", {"shape": ..., "value": ...})
    assert prediction.take("value", None) == ("Noted: value None", "")
    noted, advice = prediction.take("value", ...)
    assert (noted, advice[:15]) == ("", "This is empty: ")
    assert "write a tuple" in prediction.take("shape", None)[1]


A_VALUE = "a number such as 15, a list such as [7, 8, 9], or a list of rows such as [[7, 8], [9, 10]]"


@pytest.mark.parametrize(
    ("kind", "typed", "form"),
    [
        ("value", "0 1 2", A_VALUE),
        ("value", "no", A_VALUE),
        ("value", "", A_VALUE),
        ("shape", "2 by 3", "a tuple such as (8, 9)"),
        ("nbytes", "a kilobyte", "an integer"),
        ("dtype", "float33", "a dtype such as torch.int16"),
        ("error", "refused", 'the name of an error such as "IndexError", or "none"'),
    ],
)
def test_an_answer_that_cannot_be_read_is_told_its_form_and_is_not_noted(kind, typed, form):
    prediction = Prediction("?", {kind: ...})
    noted, advice = prediction.take(kind, value_of(kind, typed))
    assert noted == ""
    assert advice.endswith(f"write {form}.")
    assert not prediction.is_answered


@pytest.mark.parametrize("typed", ["3 x 2", "3x2", "(3 × 2)", "3, 2", "torch.Size([3, 2])", "Size((3, 2))"])
def test_a_shape_may_be_written_with_times(typed):
    assert value_of("shape", typed) == (3, 2)


def test_a_word_that_is_chosen_is_shown_as_its_button_is(capsys):
    prediction = Prediction("Which fraction?", {"value": "68%"}, ("50%", "68%", "95%"))
    assert prediction.take("value", "68%") == ("Noted: value 68%", "")
    prediction.reveal("95%")
    assert "'" not in capsys.readouterr().out


def test_a_text_that_is_not_chosen_is_told_from_a_number(capsys):
    Prediction("How many?", {"value": "5"}).reveal("5")
    assert capsys.readouterr().out.count("'5'") == 2


def test_an_answer_that_is_corrected_is_noted_and_needs_no_advice():
    prediction = Prediction("?", {"value": "0 1 2"})
    assert prediction.take("value", value_of("value", "0, 1, 2")) == ("Noted: value (0, 1, 2)", "")


def test_yes_and_no_are_true_and_false_where_nothing_else_can_be_meant():
    assert [value_of("contiguous", typed) for typed in ("yes", "No", "true", "False")] == [True, False, True, False]


def test_a_value_may_be_chosen_among_answers(capsys):
    guess = predict("When is it done?", ("earlier", "later"), value="soon")
    assert "value       'soon'  (write 'earlier' or 'later')" in capsys.readouterr().out
    assert guess.take("value", value_of("value", "earlier")) == ("Noted: value earlier", "")
    guess.reveal("earlier")
    assert "✓" in capsys.readouterr().out
    assert predict("Equal?", (True, False), value=True).take("value", value_of("value", "False"))[1] == ""


def test_the_card_for_a_page_without_its_kernel_has_the_questions_and_what_they_are_chosen_from():
    equal = Prediction("Equal?", {"value": ...}, (True, False)).asked()
    assert asleep_question([equal], "").data == {
        "asked": [{"question": "Equal?", "kinds": ["value"], "among": ["True", "False"]}]
    }
    assert "<p>Equal?</p>" in asleep_question([equal], "").html
    assert "View?" in asleep_question([equal, Prediction("View?", {"memory": "view"}).asked()], "").html


def test_an_answer_that_cannot_be_read_is_told_so_beside_the_truth(capsys):
    guess = predict("Which?", value="0 1 2")
    guess.reveal([0, 1, 2])
    assert capsys.readouterr().out.splitlines()[-1].split() == ["value", "'0", "1", "2'", "[0,", "1,", "2]", "?"]
    cards = [Revealed("Which?", [("value", "'0 1 2'", "[0, 1, 2]", "?")], "")]
    assert "? cannot be read" in revealed_card(cards, "").html
    both = [*cards, Revealed("And?", [("value", "1", "1", "✓")], "")]
    assert "1 of 2 right; 1 cannot be read" in revealed_card(both, "").html


@pytest.mark.parametrize(
    ("marks", "kind", "head"),
    [
        ("✓✓", "right", "2 of 2 right"),
        ("✓✓?", "partly", "2 of 3 right; 1 cannot be read"),
        ("✓✗✗?", "partly", "1 of 4 right; 1 cannot be read"),
        ("✓ ", "partly", "1 of 2 right; 1 not answered"),
        ("✗? ", "wrong", "0 of 3 right; 1 cannot be read; 1 not answered"),
        ("?? ", "open", "2 cannot be read; 1 not answered"),
        ("  ", "open", "You did not say anything."),
    ],
)
def test_the_head_of_a_card_counts_every_question_and_is_green_if_all_are_right(marks, kind, head):
    rows = [("value", "…" if mark == " " else "1", "2", mark.strip()) for mark in marks]
    together = revealed_card([Revealed("Which?", rows, "")], "").html
    apart = revealed_card([Revealed("Which?", [row], "") for row in rows], "").html
    for card in (together, apart):
        assert f'data-kind="{kind}"' in card
        assert f">{head}<" in re.sub(r"<span[^>]*>.</span>", "", card)


@pytest.mark.parametrize(("typed", "read"), [("600 weights", 600), ("1,024 numbers", 1024), ("-8 each", -8)])
def test_a_number_may_be_said_with_what_it_counts(typed, read):
    assert value_of("value", typed) == read


@pytest.mark.parametrize("typed", ["216 KiB", "2 nan", "1 true", "0 1 2", "600 of 900"])
def test_words_that_change_a_number_are_not_passed_over(typed):
    assert value_of("value", typed) == typed


def test_zero_and_a_small_number_are_two_answers(torch):
    assert revealed({"value": 0}, torch.tensor(1e-10))["value"][-1] == "✗"
    assert revealed({"value": 1e-10}, torch.tensor(0.0))["value"][-1] == "✗"
    assert revealed({"value": 0}, torch.tensor(0.1, dtype=torch.float64) * 3 - 0.3)["value"][-1] == "✓"


def test_a_bare_prediction_leaves_no_output_of_its_own(torch):
    with contextlib.redirect_stdout(io.StringIO()):
        prediction = predict("?", memory=...)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        prediction._ipython_display_()
    assert out.getvalue() == ""


class Explodes:
    def __getattribute__(self, name):
        raise RuntimeError(f"no {name} at 0x7f001234")

    def __call__(self):
        raise RuntimeError("not to be called")


JUNK = st.sampled_from([..., None, 0, -1.5, "view", "", (), [[]], [..., 1], {"a": 1}, Explodes, len, object(), b"x"])


@settings(max_examples=150, deadline=None)
@given(
    said=JUNK,
    result=JUNK,
    of=JUNK,
    kind=st.sampled_from(["memory", "shape", "dtype", "nbytes", "value", "error"]),
)
def test_junk_in_any_place_is_revealed_without_a_crash(said, result, of, kind):
    revealed({kind: said}, result, of=of)
    revealed({kind: Explodes()}, Explodes(), of=Explodes(), value=Explodes())


def test_tensors_meet_junk_without_a_crash(torch):
    for said in (..., None, torch, torch.arange(3), torch.float32, Explodes(), numpy.arange(3)):
        for kind in (
            "memory",
            "shape",
            "stride",
            "offset",
            "contiguous",
            "dtype",
            "nbytes",
            "value",
            "error",
        ):
            revealed({kind: said}, torch.arange(6)[::2], of=said)


def test_any_class_that_fits_and_an_error_are_right(capsys):
    def refuse():
        raise NotImplementedError("not here")

    for said in ("NotImplementedError", "RuntimeError", "Exception", "an error", "Error", RuntimeError):
        predict("which error?", error=said).reveal(refuse)
        assert "✓" in capsys.readouterr().out
    for said in ("none", "IndexError", "object"):
        predict("which error?", error=said).reveal(refuse)
        assert "✗" in capsys.readouterr().out
    predict("which error?", error="an error").reveal(lambda: 1)
    assert "✗" in capsys.readouterr().out


def test_shared_is_a_view(torch, capsys):
    a = torch.arange(6)
    predict("view or copy?", memory="shared").reveal(a[1:], of=a)
    assert "✓" in capsys.readouterr().out
    predict("view or copy?", memory="copied").reveal(a[1:], of=a)
    assert "✗" in capsys.readouterr().out


def test_an_error_of_several_lines_is_reported_whole_and_a_long_one_as_far_as_there_is_room(torch, capsys):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    predict("which error?", error="RuntimeError").reveal(lambda: model.load_state_dict({"1.weight": torch.ones(2)}))
    told = capsys.readouterr().out
    assert 'Missing key(s) in state_dict: "0.weight", "0.bias".' in told
    assert 'Unexpected key(s) in state_dict: "1.weight".' in told

    def refuse():
        raise ValueError("\n".join(map(str, range(100))))

    predict("which error?", error="ValueError").reveal(refuse)
    assert capsys.readouterr().out.splitlines()[-2:] == ["11", "…"]


def test_a_word_where_a_number_is_asked_for_is_no_answer(capsys):
    for kind, truth in (("value", 100), ("value", [1, 2]), ("offset", 100), ("nbytes", 100)):
        guess = predict("How many?", **{kind: "hundred"})
        guess.reveal(truth)
        assert (guess.right, guess.said) == (0, 0)
        assert "✗" not in capsys.readouterr().out
    guess = predict("Which?", value="hundred")
    guess.reveal("thousand")
    assert (guess.right, guess.said) == (0, 1)


@pytest.mark.parametrize(
    ("kind", "typed", "truth"),
    [
        ("value", 'float("nan")', [math.nan]),
        ("value", "[nan, -inf, 1]", [math.nan, -math.inf, 1.0]),
        ("value", "torch.nan", [math.nan]),
        ("value", "2 - 4i", 2 - 4j),
        ("value", "1e-10", [1e-10]),
        ("value", "-9", [[-9.0]]),
        ("value", "12,000,000", 12_000_000),
        ("nbytes", "12,000,000", 12_000_000),
        ("nbytes", "1500000*8", 12_000_000),
        ("shape", "(2, 3)", (2, 3)),
        ("shape", "2,300", (2, 300)),
        ("value", "[1, 2]", [1.0, 2.0]),
        ("value", "True", True),
    ],
)
def test_what_is_typed_into_a_field_is_read_as_people_write_it(kind, typed, truth):
    assert mark_of(kind, value_of(kind, typed), truth) == "✓"


@pytest.mark.parametrize(
    "typed", ["[0] * 10**9", "2 ** 10", "1 / 0", "open('x')", "x.y", "1 +", "float('x')", "[1, [", "0 1"]
)
def test_what_is_no_value_stays_the_text_that_was_typed(typed):
    assert value_of("value", typed) == typed


@pytest.mark.parametrize(
    ("said", "truth", "mark"),
    [
        ("9.4 KiB", 9640, "✓"),
        ("9.5 KiB", 9640, "✗"),
        ("160 KiB", 163840, "✓"),
        ("163,840 bytes", 163840, "✓"),
        ("163841 bytes", 163840, "✗"),
        ("144 bytes", 144, "✓"),
        ("1 byte", 1, "✓"),
        ("164 kB", 163840, "✓"),
        ("160 KB", 163840, "✓"),
        ("2 MiB", 2**21, "✓"),
        ("2 MiB", 2**20, "✗"),
    ],
)
def test_a_number_of_bytes_may_have_a_unit_and_be_rounded(said, truth, mark):
    for question, kind in (("How much?", "nbytes"), ("How many bytes?", "value")):
        prediction = Prediction(question, {kind: ...})
        assert prediction.take(kind, value_of(kind, said)) == (f"Noted: {kind} {said}", "")
        prediction.reveal(truth)
        assert (prediction.right, prediction.said) == (int(mark == "✓"), 1)
    assert "cannot be read" in Prediction("How many?", {"value": ...}).take("value", said)[1]


def test_true_and_false_in_small_letters_are_read_in_a_list():
    assert value_of("value", "[true, false, true]") == [True, False, True]


@pytest.mark.parametrize("said", ["runtime error", "Runtime Error", " runtime-error ", "a RuntimeError", " an error"])
def test_an_error_may_be_named_in_words(said):
    prediction = Prediction("?", {"error": ...})
    assert prediction.take("error", value_of("error", said))[1] == ""
    prediction.reveal(lambda: [].sort.missing or RuntimeError)
    assert (prediction.right, prediction.said) == ((1, 1) if said == " an error" else (0, 1))
    with pytest.raises(RuntimeError) as refused:
        raise RuntimeError("no")
    assert mark_of("error", said, *[type(refused.value).__name__, "an error"]) == "✓"


@pytest.mark.parametrize(
    ("kind", "said", "among"),
    [
        ("error", " yes", ()),
        ("error", "version error", ()),
        ("error", "refused", ()),
        ("value", "soon", ("now", "later")),
    ],
)
def test_an_answer_that_cannot_be_read_in_the_form_is_not_judged_either(torch, capsys, kind, said, among):
    guess = predict("?", among, **{kind: ...})
    assert "This cannot be read" in guess.take(kind, said)[1]
    guess.reveal(lambda: torch.ones(2) + torch.ones(3), value="later")
    told = capsys.readouterr().out
    assert "?" in told
    assert "✗" not in told
    assert guess.said == 0


def test_an_answer_that_cannot_be_read_is_not_counted_as_said(torch):
    prediction = Prediction("?", {"shape": "4x3", "offset": 0})
    prediction.reveal(torch.zeros(4, 3))
    assert (prediction.right, prediction.said) == (1, 1)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Hide the *scores*, of *every query* first.", "Hide the <em>scores</em>, of <em>every query</em> first."),
        ("Each *query's* shares", "Each <em>query's</em> shares"),
        ("每个*查询*的份额", "每个<em>查询</em>的份额"),
        ("`a *b* c` is code", "<code>a *b* c</code> is code"),
        ("a * b and c * d, 2*3 and 4*5, f(*a, **k)", "a * b and c * d, 2*3 and 4*5, f(*a, **k)"),
    ],
)
def test_words_between_asterisks_are_stressed_and_products_are_not(written, shown):
    assert f"<p>{shown}</p>" in verdict_card("x", "wrong", f"So: {written}", "", "").html.replace("So: ", "")


NOTEBOOKS = itertools.count()  # no two tests' cells have the same id


@pytest.fixture
def run_cell(monkeypatch, capsys):
    """Runs lines as the cell of an id, as a front end that tells the ids would; returns what was printed."""
    import IPython

    names, runs, notebook = {"predict": predict}, [], next(NOTEBOOKS)

    def run(cell, source):
        runs.append(cell)
        parent = {
            "header": {"msg_id": f"run {len(runs)}"},
            "metadata": {"cellId": f"{notebook}: {cell}"} if cell else {},
            "content": {"code": source, "allow_stdin": False},
        }
        monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(get_parent=lambda: parent))
        exec(source, names)
        return capsys.readouterr().out

    return run


FIRST = "guess = predict('one?', value=1)"
SECOND = "guess = predict('two?', value=2)"


def test_a_cell_that_runs_again_does_not_judge_the_prediction_of_another_question(run_cell):
    run_cell("ask 1", FIRST)
    assert "✓" in run_cell("tell 1", "guess.reveal(1)")
    run_cell("ask 2", SECOND)
    assert "✓" in run_cell("tell 2", "guess.reveal(2)")
    told = run_cell("tell 1", "guess.reveal(1); kept = guess.right, guess.said")
    assert not {"✓", "✗"} & set(told)
    assert "of another question, “two?”" in told
    assert " ".join(told.split()).endswith("run again the cell that asks “one?”, then this one.")
    run_cell("", "assert kept == (1, 1)")  # the judgment of the other cell stands
    run_cell("ask 1", FIRST)
    assert "✓" in run_cell("tell 1", "guess.reveal(1)")
    assert "another question, “one?”" in run_cell("tell 2", "guess.reveal(2)")


def test_a_prediction_that_is_asked_again_is_not_judged_in_place_of_one_that_was_never_revealed(run_cell):
    run_cell("ask 1", FIRST)
    run_cell("tell 1", "guess.reveal(1)")
    run_cell("ask 2", SECOND)
    run_cell("ask 1", FIRST)  # gone back to
    told = run_cell("tell 2", "guess.reveal(2)")
    assert not {"✓", "✗"} & set(told)
    assert " ".join(told.split()).endswith("run again the cell that asks “two?”, then this one.")
    assert "✓" in run_cell("tell 1", "guess.reveal(1)")
    run_cell("ask 2", SECOND)
    assert "✓" in run_cell("tell 2", "guess.reveal(2)")


def test_a_cell_that_refused_one_of_its_predictions_judges_them_all_when_it_runs_again(run_cell):
    run_cell("ask 1", FIRST)
    run_cell("tell 1", "guess.reveal(1)")
    run_cell("ask both", "guess, other = predict('two?', value=2), predict('three?', value=3)")
    run_cell("ask 1", FIRST)
    both = "guess.reveal(2); other.reveal(3)"
    assert run_cell("tell both", both).count("✓") == 1
    run_cell("ask both", "guess, other = predict('two?', value=2), predict('three?', value=3)")
    assert run_cell("tell both", both).count("✓") == 2


def test_a_prediction_is_revealed_twice_where_no_later_one_waits(run_cell):
    run_cell("ask 0", "skipped = predict('zero?', value=0)")
    run_cell("ask 1", FIRST)
    run_cell("tell 1", "guess.reveal(1)")
    assert "✓" in run_cell("tell 1 once more", "guess.reveal(1)")
    run_cell("ask 1", FIRST)
    assert "✓" in run_cell("tell 1 a third time", "guess.reveal(1)")


ADDS = "w[0] += 1; guess.reveal(w[0])"


def test_a_cell_that_changes_what_it_asks_about_tells_the_truth_of_its_first_run_when_it_runs_again(run_cell):
    run_cell("make", "w = [4]")
    run_cell("ask", "guess = predict('w[0] after adding one?', value=5)")
    assert "✓" in (first := run_cell("tell", ADDS))
    again = run_cell("tell", ADDS)
    assert again.splitlines()[:3] == first.splitlines()
    said = "The truth is that of the first run of this cell, which changes what it asks about (now value 6)."
    assert " ".join(again.split()).endswith(said)
    run_cell(
        "ask", "guess = predict('w[0] after adding one?', value=0)"
    )  # asked anew, and still about what has changed
    assert re.search(r"0 +5 +✗", run_cell("tell", ADDS))
    run_cell("make", "w = [7]")  # made anew, and of other numbers
    run_cell("ask", "guess = predict('w[0] after adding one?', value=8)")
    assert re.search(r"8 +8 +✓$", run_cell("tell", ADDS).strip())
    run_cell("tell", "w[0] += 1; w[0] += 1; guess.reveal(w[0])")  # another cell
    run_cell("", "assert (guess.right, guess.said) == (0, 1)")


def test_a_cell_that_fails_when_it_runs_again_tells_what_it_told_first(run_cell):
    run_cell("ask", "guess = predict('may it be taken?', error='none', value=[3]); held = [3]")
    take = "guess.reveal(lambda: [held.pop()])"
    assert run_cell("tell", take).count("✓") == 2
    again = run_cell("tell", take)
    assert again.count("✓") == 2
    assert "pop from empty list" not in again
    assert "now error IndexError" in again


def test_what_would_be_done_for_a_prediction_of_another_question_is_not_done(run_cell):
    run_cell("ask 1", FIRST)
    run_cell("tell 1", "done = []; guess.reveal(lambda: done.append(1))")
    run_cell("ask 2", SECOND)
    run_cell("tell 1", "done = []; guess.reveal(lambda: done.append(1))")
    run_cell("", "assert not done")


def test_a_question_that_is_worded_anew_and_a_cell_with_several_predictions_are_judged_again(run_cell):
    run_cell("ask 1", FIRST)
    run_cell("tell 1", "guess.reveal(1)")
    run_cell("ask 1", "guess = predict('one, rather?', value=1)")
    assert "✓" in run_cell("tell 1", "guess.reveal(1)")
    run_cell("ask both", "guesses = [predict('three?', value=3), predict('four?', value=4)]")
    for _ in range(2):
        told = run_cell("tell both", "for guess, truth in zip(guesses, (3, 4)): guess.reveal(truth)")
        assert told.count("✓") == 2
    run_cell("pasted ask 1", FIRST)
    run_cell("tell one", "guess.reveal(1)")
    run_cell("ask 1", FIRST)
    assert "✓" in run_cell("tell one", "guess.reveal(1)")  # the same question, in whatever cell


def test_where_no_cell_is_known_every_prediction_is_judged(run_cell):
    run_cell("", FIRST)
    run_cell("", "guess.reveal(1)")
    run_cell("", SECOND)
    assert "✗" in run_cell("", "guess.reveal(1)")
