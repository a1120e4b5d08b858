"""From a source notebook to the learner's copy: what is taken out, what stays, and what is refused."""

import ast
import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassroom.workspace.without_solutions import learner_copy, without_answers, without_solutions


def notebook(*cells):
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def code(source, **more):
    return {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": 1,
    } | more


def test_a_solution_becomes_a_placeholder_that_assigns_the_same_names():
    learners = without_solutions(
        "a = 1\n### BEGIN SOLUTION\ns = (2, 3)\nx, (y, *z) = 1, (2,)\nn: int = 4\n### END SOLUTION\ncheck(s)"
    )
    assert learners == "a = 1\n# your code here\ns = ...\nx = ...\ny = ...\nz = ...\nn = ...\ncheck(s)"


def test_a_solution_that_assigns_nothing_becomes_an_ellipsis():
    assert (
        without_solutions("### BEGIN SOLUTION\nboard[::4] = 1\nx.add_(1)\n### END SOLUTION") == "# your code here\n..."
    )


def test_functions_and_classes_in_a_solution_are_names_too():
    source = "### BEGIN SOLUTION\ndef f(x):\n    y = x\n    return y\nclass C: pass\n### END SOLUTION"
    assert without_solutions(source) == "# your code here\nf = ...\nC = ..."


def test_a_solution_inside_a_function_keeps_its_indent():
    source = "def f(size):\n    ### BEGIN SOLUTION\n    out = size[1:]\n    return out\n    ### END SOLUTION\n"
    assert without_solutions(source) == "def f(size):\n    # your code here\n    out = ...\n"


def test_several_solutions_in_a_cell_are_all_taken_out():
    source = "### BEGIN SOLUTION\na = 1\n### END SOLUTION\nb = 2\n### BEGIN SOLUTION\nc = 3\n### END SOLUTION"
    assert without_solutions(source) == "# your code here\na = ...\nb = 2\n# your code here\nc = ..."


@pytest.mark.parametrize(
    "source",
    [
        "### BEGIN SOLUTION\na = 1",
        "a = 1\n### END SOLUTION",
        "### BEGIN SOLUTION\n### BEGIN SOLUTION\na = 1\n### END SOLUTION",
        "### BEGIN SOLUTION\nthis is (no Python\n### END SOLUTION",
    ],
)
def test_a_marker_without_its_partner_or_a_solution_that_is_no_python_is_refused_with_the_cells_number(
    source,
):
    with pytest.raises(ValueError, match="cell 1: "):
        learner_copy(notebook(code("fine = 1"), code(source)))


def test_the_answers_of_predict_are_taken_out_and_nothing_else():
    source = 'p = predict("Is it ünïcödé?", memory="view", shape=(2,\n    3))\nshow(a, memory="view")'
    assert without_answers(source) == 'p = predict("Is it ünïcödé?", memory=..., shape=...)\nshow(a, memory="view")'


def test_a_predict_in_a_cell_that_is_no_python_is_refused_rather_than_given_away():
    with pytest.raises(ValueError, match="predict"):
        without_answers('%time p = predict("?", memory="view")')


def test_outputs_counts_and_widget_state_are_cleared():
    cell = code("1", outputs=[{"output_type": "stream", "name": "stdout", "text": "42"}], execution_count=7)
    source = notebook(cell)
    source["metadata"] = {"widgets": {"state": {}}, "glassroom": {"title": "T"}}
    learners = learner_copy(source)
    assert learners["cells"][0]["outputs"] == []
    assert learners["cells"][0]["execution_count"] is None
    assert learners["metadata"] == {"glassroom": {"title": "T"}}


def test_the_source_notebook_is_not_changed():
    source = notebook(code("### BEGIN SOLUTION\na = 1\n### END SOLUTION"), {"cell_type": "markdown", "source": "# T"})
    before = copy.deepcopy(source)
    learner_copy(source)
    assert source == before


def test_words_are_left_as_they_are():
    words = {
        "cell_type": "markdown",
        "id": "m",
        "metadata": {},
        "source": "### BEGIN SOLUTION\nis a heading here",
    }
    assert learner_copy(notebook(words))["cells"][0]["source"] == words["source"]


names = st.sampled_from(["size", "stride", "a", "b", "größe"])
statements = st.one_of(
    names.map("{} = 'SECRET'".format),
    names.map("{}: int = 'SECRET'.__len__()".format),
    names.map("for {} in 'SECRET': pass".format),
    st.just("print('SECRET')"),
    st.just("items['SECRET'] = 1"),
    names.map("def {}(x):\n    return 'SECRET'".format),
)


@given(st.lists(statements, min_size=1, max_size=5), st.lists(names, max_size=3))
def test_no_solution_stays_and_the_learners_cell_is_always_python(solution, around):
    lines = [f"{name} = 1" for name in around]
    source = "\n".join([*lines, "### BEGIN SOLUTION", *solution, "### END SOLUTION", *lines])
    learners = without_solutions(source)
    assert "SECRET" not in learners
    assert "SOLUTION" not in learners
    ast.parse(learners)


@given(st.lists(statements, min_size=1, max_size=3))
def test_taking_solutions_out_twice_is_the_same_as_once(solution):
    once = without_solutions("\n".join(["### BEGIN SOLUTION", *solution, "### END SOLUTION"]))
    assert without_solutions(once) == once
