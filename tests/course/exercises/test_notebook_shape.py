"""Every notebook has the shape that docs/writing-a-notebook.md asks for; together they cover what each part should."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import PurePosixPath

import pytest
from stored_notebooks import CONTENTS, NOTEBOOKS, about, cells, links, number, prose

from glassroom.exercises import exercises
from glassroom.exercises.cards.widgets import field_of
from glassroom.exercises.prediction import WRITTEN_AS
from glassroom.workspace.former_ids import FORMER_IDS

#: by part: the beginning of its exercises' ids, and the points of the articles that it covers
PARTS = {
    "1_memory": (
        "",
        """
        A1.1 A1.2 A1.3 A1.4 A1.5 A1.6 A1.7
        A2.1 A2.2 A2.3 A2.4 A2.5 A2.6 A2.7 A2.8 A2.9
        A3.1 A3.2 A3.3 A3.4
        A4.1 A4.2 A4.3 A4.4
        A5.2 A5.8 A5.9
        """,
    ),
    "2_tensors": ("t", "A3.2 A3.3 A5.1 A5.2 A5.4"),
    "3_autograd": ("a", "A5.3 A5.5 A5.6 A5.7 A5.10"),
    "4_extensions": ("e", ""),
    "5_networks": (
        "n",
        """
        A2.1 A3.5-neural-networks A3.5-functional-api A3.5-optimisers A3.5-the-transformer A5.5
        """,
    ),
}
#: the titles of the articles' two series, A1.8 and A4.5, and the part that covers each
TITLES = {
    "A1.8": {
        "1_memory": {1: "basic and advanced indexing"},
        "2_tensors": {2: "mathematics of tensors, and NumPy's"},
        "3_autograd": {3: "autograd: data, grad, grad_fn, requires_grad", 4: "gradients of results, and hooks"},
        "4_extensions": {5: "extending: Function", 6: "higher-order derivatives", 7: "least squares, several ways"},
        "5_networks": {8: "LeNet", 9: "recurrent networks"},
    },
    "A4.5": {
        "2_tensors": {
            1: "global settings",
            3: "stacking and concatenating",
            5: "saving and loading",
            22: "half precision",
            28: "devices",
            29: "exchange with NumPy",
            31: ".to(device) against .cuda()",
        },
        "3_autograd": {
            2: "grad",
            4: "switching gradients off",
            9: "the graph",
            18: "leaves",
            19: "the chain rule",
            21: "how detach works",
            27: "requires_grad",
        },
        "5_networks": {
            6: "vanishing and exploding gradients",
            7: "linear layers",
            8: "their initialisation",
            10: "looking at weights",
            11: "saving models",
            12: "Adam",
            13: "ReLU and non-linearity",
            14: "train and eval mode",
            15: "bilinear layers",
            16: "lazy layers",
            17: "parameter vectors",
            20: "dropout",
            23: "Xavier initialisation",
            24: "channels",
            25: "1×1 convolution",
            26: "attention",
            30: "DataParallel",
            32: "Dataset and TensorDataset",
            33: "the StepLR schedule",
            34: "embeddings",
            35: "extracting and drawing features",
        },
    },
}
#: the questions about views, storage and copies, and those about autograd
QUESTIONS = [
    ({"1_memory"}, [*range(1, 25), 28]),
    ({"2_tensors"}, [10, 19, 23, 25, 26, 27, 28]),
    ({"3_autograd", "4_extensions"}, range(29, 41)),
    ({"5_networks"}, [27, 35, 40]),
]


def titles_of(part):
    """The titles that a part covers, as its notebooks declare them: "A4.5.3"."""
    return {f"{series}.{number}" for series, parts in TITLES.items() for number in parts.get(part, ())}


def part_of(place):
    return place.split("/")[0]


def checked(place):
    """Ids of the exercises that a notebook checks."""
    return set(re.findall(r'^check\("([^"]+)"', "\n".join(cells(place, "code")), flags=re.MULTILINE))


def declared_for(place):
    """Ids of the exercises that are declared in the notebook's own module."""
    folder, name = part_of(place)[2:], PurePosixPath(place).stem
    module = f"glassroom.exercises.{folder}.nb{name}"
    return {exercise.id for exercise in exercises().values() if exercise.examine.__module__ == module}


def test_every_part_is_one_that_the_tests_know():
    assert {part_of(place) for place in NOTEBOOKS} == set(PARTS)


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_a_notebook_is_small_enough_for_one_sitting(place):
    assert len(NOTEBOOKS[place]["cells"]) <= 36
    assert 1 <= len(checked(place)) <= 6
    minutes = about(place)["minutes"]
    assert minutes <= 60
    assert f"About {minutes} minutes" in cells(place, "markdown")[0]
    if minutes > 45:
        assert "if you have time" in cells(place, "markdown")[0]


@pytest.mark.parametrize(
    "place",
    [
        place
        for place in NOTEBOOKS
        if part_of(place) == "5_networks" and not about(place)["title"].startswith(("Capstone", "Review"))
    ],
)
def test_networks_are_built_of_tensors_before_nn_comes_in_the_last_third(place):
    ready_made = r"\bnn\b|\boptim\b|\bF\.|\butils\.data\b"
    numbers = [
        number
        for number, cell in enumerate(NOTEBOOKS[place]["cells"])
        if cell["cell_type"] == "code" and re.search(ready_made, "".join(cell["source"]))
    ]
    assert min(numbers) >= 2 / 3 * len(NOTEBOOKS[place]["cells"])


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_lines_of_code_fit_on_a_laptops_screen(place):
    assert [line for code in cells(place, "code") for line in code.splitlines() if len(line) > 100] == []


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_a_notebook_opens_with_its_question_and_ends_with_a_summary_and_pytorch(place):
    opening, *_ = cells(place, "markdown")
    assert opening.startswith(f"# {number(place)} · {about(place)['title']}\n")
    assert "\n> " in opening
    assert "*Before this:*" in opening
    headings = re.findall(r"^## (.+)$", prose(place), flags=re.MULTILINE)
    assert headings[-1] == "In PyTorch"
    assert "Summary" in headings


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_every_column_of_a_table_has_a_heading(place):
    heads = re.findall(r"^(\|.*\|)\n\|(?:\s*:?-+:?\s*\|)+$", prose(place), flags=re.MULTILINE)
    assert [head for head in heads if not all(cell.strip() for cell in head.strip("|").split("|"))] == []


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_the_first_code_cell_imports_tensorglass_as_torch(place):
    first, *others = cells(place, "code")
    assert "import tensorglass as torch\n" in first
    assert "\nfrom glassroom import " in first
    assert "tensorglass" not in "\n".join(others)


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_a_notebook_checks_the_exercises_that_are_declared_for_it(place):
    assert checked(place) == declared_for(place)


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_ids_of_exercises_begin_with_their_part_and_the_number_of_their_notebook(place):
    prefix, _ = PARTS[part_of(place)]
    assert all(re.match(f"{prefix}{number(place)}-[a-z]", id) for id in checked(place))


def test_no_exercise_has_an_id_that_another_one_had():
    assert FORMER_IDS.keys().isdisjoint(exercises())
    assert set(FORMER_IDS.values()) <= exercises().keys()
    assert len(set(FORMER_IDS.values())) == len(FORMER_IDS)


@pytest.mark.parametrize("place", [place for place in NOTEBOOKS if about(place)["title"].startswith("Review")])
def test_questions_of_a_review_say_where_they_were_taught(place):
    code = "\n".join(cells(place, "code"))
    asked = code.count("predict(")
    taught = re.findall(r'taught="([a-z0-9_]+)"', code)
    assert 12 <= asked <= 20
    assert len(taught) == asked
    by_topic = {PurePosixPath(other).stem[3:]: other for other in NOTEBOOKS}
    assert set(taught) <= set(by_topic)
    assert {by_topic[topic] for topic in taught} <= set(links(place, prose(place)))


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_exercises_are_numbered_in_their_order(place):
    numbers = re.findall(r"^### Exercise (.*?):", prose(place), flags=re.MULTILINE)
    assert numbers == [str(count) for count in range(1, len(numbers) + 1)]
    assert len(numbers) in (0, len(checked(place)))


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_every_prediction_is_revealed(place):
    code = "\n".join(cells(place, "code"))
    assert "predict(" in code
    assert code.count("reveal(") >= 1


def answers_of_predictions(place: str) -> list[tuple[str, str]]:
    """The kind and the right answer of each prediction that is no choice among buttons, as source."""
    calls = [
        node
        for source in cells(place, "code")
        for node in ast.walk(ast.parse(re.sub(r"^%.*", "", source, flags=re.MULTILINE)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "predict"
    ]
    return [
        (keyword.arg or "", ast.unparse(keyword.value))
        for call in calls
        for keyword in call.keywords
        if not (keyword.arg == "value" and len(call.args) > 1)
    ]


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_no_example_of_how_an_answer_is_written_is_the_answer(place):
    for kind, answer in answers_of_predictions(place):
        told = f"{field_of(kind)['hint']}; {WRITTEN_AS[kind]};".replace('"', "'")
        written = f"torch.{ast.literal_eval(answer)}" if answer.startswith("'") and kind == "dtype" else answer
        assert not re.search(rf"such as {re.escape(written)}(,|;| or )", told), (kind, answer)


@pytest.mark.parametrize(("part", "points"), [(part, points) for part, (_, points) in PARTS.items()])
def test_a_part_has_a_home_for_every_point_of_the_articles_and_for_no_other(part, points):
    declared = {article for place in NOTEBOOKS if part_of(place) == part for article in about(place)["articles"]}
    assert declared == set(points.split()) | titles_of(part)


def test_every_title_of_the_two_series_has_a_home():
    numbers = {
        series: sorted(number for titles in parts.values() for number in titles) for series, parts in TITLES.items()
    }
    assert numbers == {"A1.8": [*range(1, 10)], "A4.5": [*range(1, 36)]}


@pytest.mark.parametrize(
    ("part", "title"),
    [(part, title) for part in sorted({part_of(place) for place in NOTEBOOKS}) for title in sorted(titles_of(part))],
)
def test_a_title_is_taught_in_its_part(part, title):
    assert [place for place in NOTEBOOKS if part_of(place) == part and title in about(place)["articles"]]


@pytest.mark.parametrize(("parts", "questions"), QUESTIONS)
def test_parts_answer_their_questions_and_no_others(parts, questions):
    declared = {question for place in NOTEBOOKS if part_of(place) in parts for question in about(place)["questions"]}
    assert declared == set(questions)


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_links_lead_to_notebooks_that_are_there(place):
    assert set(links(place, prose(place))) <= {*NOTEBOOKS, CONTENTS}


@pytest.mark.parametrize(("place", "following"), list(pairwise(NOTEBOOKS)))
def test_a_notebook_leads_to_the_next_one(place, following):
    _, heading, after = prose(place).rpartition("Next: ")
    assert heading
    assert links(place, after) == [following]
