"""Pages: what is on them, what is not, and how they look in a browser, light and dark."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from browser.jupyterlab import CHROMIUM
from classes import FILE, NOTEBOOK, make_class

import tensorglass as torch
from glassroom import show
from glassroom.classroom.batch import learners_of, row_path
from glassroom.classroom.by_hand import ByHand
from glassroom.classroom.collecting import collect
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Mark, Row, task_of
from glassroom.classroom.marks import result
from glassroom.classroom.pages import class_page
from glassroom.classroom.pages.feedback import feedback_page
from glassroom.classroom.pages.misconceptions import anonymised, mistakes
from glassroom.classroom.pages.overview import ClassPage
from glassroom.classroom.pages.questions import questions_of
from glassroom.classroom.pages.shell import picture, text
from glassroom.classroom.pages.similar import similar
from glassroom.cli.app import run
from glassroom.workspace.notebook_json import parse, source
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import write_atomically

QUESTION = '\n[[assignment.explain]]\nid = "why"\nask = "Why?"\npoints = 2\n'
HIDDEN = """
[[assignment.hidden]]
id = "more"
exercise = "02-middle"
points = 3
code = "assert middle.sum() == 10  # SECRET"
"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><rect width="90" height="30" fill="teal"/></svg>'
COPY = "`middle` is a copy: it has a storage of its own."


def row_of(folder: Path, learner: str, earned: dict[str, float], answers: dict[str, str], message: str = COPY) -> Row:
    """A row as `grade` writes it."""
    course = read_course(folder)
    row = Row(learner, "memory-02", marks=task_of(course, course.assignments[0]).questions())
    for mark in row.marks:
        mark.answer = answers.get(mark.id, "")
        if mark.part is not None:
            mark.part, mark.how = earned.get(mark.id, 0.0), "apart"
            mark.message = "It is solved." if mark.part == 1 else message
    return row


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of twelve with rows, a question in words, and a hidden test."""
    folder = make_class(tmp_path_factory.mktemp("pages") / "class", more=QUESTION + HIDDEN)
    course = read_course(folder)
    long = "def share_storage(x, y):\n    first = x.untyped_storage()\n    return first.data_ptr() == y.data_ptr()"
    for number in range(12):
        name = f"learner {number:02}" if number else "Ada <b>Lovelace<b>"
        name = "maximiliane-alexandra_von.habsburg-lothringen@example" if number == 11 else name
        (folder / "submitted" / name / "memory-02").mkdir(parents=True)
        parts = {"02-share-storage": 1.0, "02-middle": float(number % 3 == 0), "02-whole": 0.5 * (number % 2)}
        answers = {"02-middle": f"# by {name}\nmiddle = a[1:5].clone().view(2, 2)", "why": "Because <i>it</i> is one."}
        message = COPY if number % 4 else f"`middle` has shape ({number}, 2); it should be (2, 2)."
        if number in (3, 4):
            answers |= {"02-share-storage": long, "02-whole": long.replace("first", "one").replace("share", "whole")}
        row = row_of(folder, name, parts, answers, message)
        row.marks[1].outputs = [{"image/svg+xml": SVG}, {"text/plain": "tensor(1)"}]
        if number == 5:
            row.marks[2].doubt = "changed glassroom.exercises.engine.judge"
            row.notes = ["02-whole-answer: it ended the process"]
        write_atomically(row_path(course, "memory-02", row.learner), row.to_json())
    return folder


def feedback_of(folder: Path, row: Row, **manual: ByHand) -> str:
    course = read_course(folder)
    marked = {(row.learner, "memory-02", id): hand for id, hand in manual.items()}
    asked = questions_of(course, course.assignments[0])
    return feedback_page(course.name, row.learner, [result(course, course.assignments[0], row, marked)], asked)


def test_a_learners_page_has_points_messages_pictures_and_comments(folder: Path) -> None:
    row = row_of(folder, "ada", {"02-share-storage": 1}, {"02-middle": "middle = 3", "why": "One storage."})
    row.marks[1].outputs = [{"image/svg+xml": SVG}]
    page = feedback_of(folder, row, why=ByHand(1.5, "Nearly."))
    assert '<span class="sum">2.5</span> of 9 points' in page
    assert "<code>middle</code> is a copy" in page
    assert "data:image/svg+xml;base64," in page
    assert "Nearly." in page
    assert '<p class="message">Why?</p>' in page
    assert "One storage." in page
    waiting = feedback_of(folder, row)
    assert "1 answer in words waits for a person" in waiting


@pytest.mark.parametrize(
    ("parts", "average", "middle"),
    [((1.0,), 100, 100), ((1.0, 0.5), 75, 75), ((1.0, 0.5, 0.0), 50, 50), ((1, 0, 0), 33, 0)],
)
def test_what_the_class_has_on_average_is_said_of_those_who_handed_in(
    folder: Path, parts: tuple[float, ...], average: int, middle: int
) -> None:
    course = read_course(folder)
    everything = (mark.id for mark in task_of(course, course.assignments[0]).questions())
    ids = [id for id in everything if id != "why"]
    results = []
    for number, part in enumerate(parts):
        row = row_of(folder, f"learner {number}", dict.fromkeys(ids, part), {})
        by_hand = {(row.learner, "memory-02", "why"): ByHand(2 * part, "")}
        results.append(result(course, course.assignments[0], row, by_hand))
    shown = ClassPage(course, [(course.assignments[0], results, ["zoe"])])
    counts = f"{len(parts)} handed in, 1 missing"
    assert f"{counts}; median {middle}% of the points (of {len(parts)} who handed in)." in shown.html
    assert str(shown).startswith(
        f"memory-02: {counts}, average {average}% of the points (of {len(parts)} who handed in)"
    )


def test_a_learners_page_has_each_answer_below_its_question(folder: Path) -> None:
    page = feedback_of(folder, row_of(folder, "ada", {}, {}, "it is a copy of `a`."))
    assert '<h3>Exercise 2: the middle <small class="muted">02-middle</small></h3>' in page
    assert "Make <code>middle</code>: a tensor of shape (2, 2) over cells 1 to 4 of the storage of" in page
    assert '<p class="message">It is a copy of <code>a</code>.</p>' in page
    assert "hint(" not in page
    assert '<h3>A question in words <small class="muted">why</small></h3>' in page


def test_an_exercise_without_an_answer_is_neither_wrong_nor_shown(folder: Path) -> None:
    row = row_of(folder, "ada", {"02-count": 1.0}, {"02-middle": "# mine"}, "`middle` waits for your answer.")
    for mark in row.marks:
        mark.outputs = [{"image/svg+xml": SVG}] if mark.id == "02-middle" else []
    page = feedback_of(folder, row)
    middle = page.partition('<small class="muted">02-middle</small>')
    assert middle[0].rpartition("<section")[2].startswith(' class="exercise unanswered">')
    shown = middle[2].partition("</section>")[0]
    assert '<span class="badge">not answered</span>' in shown
    assert "data:image" not in page
    assert "waits for your answer" not in page
    assert "Your answer" not in shown
    assert "not yet" not in page  # a hidden test of what has not been answered is not answered either


def test_a_learners_page_has_no_hidden_test_and_no_solution(folder: Path) -> None:
    page = feedback_of(folder, row_of(folder, "ada", {}, {"02-middle": "middle = 3"}))
    assert "SECRET" not in page
    assert "middle.sum()" not in page
    assert "a[1:5].view(2, 2)" not in page
    assert "Tests beyond those in the notebook." in page


@pytest.mark.parametrize(
    "harm", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</pre><h1>", "\u202eevil"]
)
def test_every_word_of_a_learners_is_escaped(folder: Path, harm: str) -> None:
    row = row_of(folder, harm, {}, {"02-middle": harm, "why": harm}, message=harm)
    row.notes, row.problem = [harm], harm
    row.marks[0].outputs = [{"text/plain": harm}, {"image/svg+xml": f"<svg>{harm}</svg>"}, {"image/png": harm}]
    page = feedback_of(folder, row, why=ByHand(1, harm))
    assert harm not in page
    assert "<script" not in page
    assert "\u202e" not in page
    assert text(harm) in page


def test_pages_fetch_nothing_and_run_nothing(folder: Path) -> None:
    for page in (class_page(folder).html, feedback_of(folder, row_of(folder, "ada", {}, {}))):
        assert "default-src 'none'" in page
        assert not re.search(r"<(script|link|iframe|object|embed|form)\b", page)
        assert not re.search(r"\s(src|href)=\"(?!data:|#)", page)
        assert "url(" not in page


def test_a_picture_that_is_none_is_left_out() -> None:
    assert picture({"image/png": "not base64!"}, "x") == ""
    assert picture({"image/svg+xml": "no picture"}, "x") == ""
    assert "data:image/png" in picture({"image/png": "iVBORw0KGgo="}, "x")


def test_a_picture_that_hangs_browsers_is_left_out() -> None:
    """Ten lines of nested references are drawn a billion times; those of matplotlib and the course are not nested."""
    head = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"><rect id="a0"/>'
    used = "".join(f'<g id="a{n}">' + f'<use x:href="#a{n - 1}"/>' * 10 + "</g>" for n in range(1, 10))
    filled = "".join(
        f'<pattern id="a{n}"><rect fill="url(#a{n - 1})"/><rect style="fill:url(#a{n - 1})"/></pattern>'
        for n in range(1, 10)
    )
    styled = '<style>rect { fill: url(#p) }</style><pattern id="p"><rect/></pattern>'
    for harm in (used, filled, styled, "<foreignObject/>", "<animate/>", '<image href="data:image/svg+xml;x"/>', "<g>"):
        assert "left out" in picture({"image/svg+xml": f"{head}{harm}</svg>"}, "x"), harm
    assert "left out" in picture({"image/svg+xml": f'<!DOCTYPE svg [<!ENTITY a "x">]>{head}</svg>'}, "x")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, axes = pyplot.subplots()
    axes.bar([1, 2], [3, 4], hatch="/")
    axes.imshow([[1, 2]])
    axes.set_title("$x^2$")
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg")
    pyplot.close(figure)
    shown = show(x=torch.arange(6), y=torch.ones(2, 3).t()).svg
    for own in (drawn.getvalue(), shown, f'{head}<use x:href="#a0"/></svg>'):
        assert "data:image/svg+xml" in picture({"image/svg+xml": own}, "x")


def test_the_class_is_seen_at_a_glance(folder: Path) -> None:
    whole = class_page(folder)
    assert "12 handed in, 0 missing" in str(whole)
    page = whole.html
    assert page.count('<th scope="row">') == 13
    assert "What goes wrong most" in page
    assert "Who is stuck" in page
    assert "changed glassroom.exercises.engine.judge" in page
    assert "it ended the process" in page
    assert "Ada &lt;b&gt;Lovelace&lt;b&gt;" in page
    assert "answers wait for a person" in page
    assert whole._repr_html_().count(" sandbox srcdoc=") == whole._repr_html_().count("<iframe") == 2


def test_a_page_of_several_assignments_begins_with_all_of_them(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class", (NOTEBOOK, "1_memory/03_basic_indexing.ipynb"), more=QUESTION)
    toml = folder / "course.toml"
    toml.write_text(toml.read_text().replace('name = "memory-02"', 'name = "memory-02"\ndue = 2030-01-31T18:00:00Z', 1))
    course = read_course(folder)
    for learner, assignments in (("ada", course.assignments), ("bob", course.assignments[:1])):
        for assignment in assignments:
            (folder / "submitted" / learner / assignment.name).mkdir(parents=True)
            row = Row(learner, assignment.name, marks=task_of(course, assignment).questions())
            row.submitted = "2030-01-31T20:00:00Z"
            row.marks[0].part, row.marks[0].doubt = 1.0, "odd" if learner == "bob" else ""
            write_atomically(row_path(course, assignment.name, learner), row.to_json())
    page = class_page(folder).html
    table = page.partition('class="heat across"')[2].partition("</table>")[0]
    ada, bob = (
        re.sub(r"<[^>]+>", "|", line) for line in re.findall(r"<tr><th scope=\"row\">(?:ada|bob).*?</tr>", table)
    )
    assert "2 hours late" in ada
    assert "1 open" in ada
    assert "|–|" in bob
    assert page.count("– nothing handed in") == 1
    assert "1 to look at" in bob
    assert "2 of 2" in table
    assert "1 of 2" in table
    assert {f'id="{link[1:]}"' in page for link in re.findall(r'href="(#[^"]+)"', table)} == {True}


def test_mistakes_are_counted_by_what_they_show_and_name_nobody(folder: Path) -> None:
    answers = [{"02-middle": f"# by l{n}\nmiddle = 'l{n}'"} for n in range(5)]
    rows = [row_of(folder, f"l{n}", {}, answers[n], f"`middle` is {n}.") for n in range(5)]
    mistakes_there = [mistake for mistake in mistakes(rows) if mistake.exercise == "02-middle"]
    assert [(len(mistake.learners), mistake.example) for mistake in mistakes_there] == [(5, "middle = '…'")]
    assert anonymised("x = 1  # Ada was here\ny = f'Ada {x}'") == "x = 1\ny = f'…{x}'"
    assert "Ada" not in anonymised("def f(: # Ada")


def test_an_answer_that_was_never_given_is_no_mistake(folder: Path) -> None:
    row = row_of(folder, "ada", {}, {}, '`middle` waits for your answer. Try one; hint("02-middle") helps.')
    assert mistakes([row]) == []


def test_similar_answers_are_told_cautiously(folder: Path) -> None:
    page = class_page(folder).html
    assert "learner 03 and learner 04" in page
    assert "no proof of anything" in page
    assert "learner 01 and learner 02" not in page


def test_what_everybody_writes_is_not_similar() -> None:
    answer = "def share_storage(x, y):\n    return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()"

    def rows(count: int, code: str) -> list[Row]:
        marks = [Mark(id, id, 1, 1, how="apart", answer=code.replace("share", f"s{id}")) for id in ("a", "b")]
        return [Row(f"l{n}", "x", marks=marks) for n in range(count)]

    assert len(similar(rows(2, answer))) == 1
    assert similar(rows(2, answer), {"a": answer.replace("share", "sa"), "b": answer.replace("share", "sb")}) == []
    assert similar(rows(12, answer)) == []
    assert similar(rows(2, "a = 1")) == []


def moodle_finds(path: str) -> tuple[int, str] | None:
    """The number and the file's name that Moodle's importer reads from a path: parts split at underscores, in five."""
    parts = path.split("/")
    while parts:
        said = parts.pop(0).split("_", 4)
        if len(said) >= 4 and said[1].isdigit() and said[2:4] == ["assignsubmission", "file"]:
            return int(said[1]), "/".join([*said[4:], *parts]).lstrip("/")
    return None


def test_pages_go_to_moodle_as_it_takes_feedback_files(tmp_path: Path) -> None:
    """Each page in a folder whose name has the number of the delivery, or of the worksheet."""
    folder = make_class(tmp_path / "class")
    delivery = tmp_path / "moodle.zip"
    with zipfile.ZipFile(delivery, "w") as archive:
        for name in ("Ada King_71", "Ada King_72", "Bo_b Strange_73"):
            content = (folder / "source" / "memory-02" / FILE).read_bytes()
            archive.writestr(f"{name}_assignsubmission_file_/{FILE}", content + b" " * int(name[-1]))
    course = read_course(folder)
    assert len(collect(course, delivery).taken) == 3
    for learner in learners_of(course):
        write_atomically(row_path(course, "memory-02", learner), row_of(folder, learner, {}, {}).to_json())
    mailed = row_of(folder, "eve@x.org", {}, {})
    write_atomically(row_path(course, "memory-02", "eve@x.org"), mailed.to_json())
    archive_path = tmp_path / "feedback.zip"
    assert run(["feedback", str(folder), "--moodle", str(archive_path)]) == 0
    with zipfile.ZipFile(archive_path) as archive:
        pages = {moodle_finds(name): archive.read(name).decode() for name in archive.namelist()}
    assert sorted(pages) == [(number, "memory-02.html") for number in (71, 72, 73)]
    assert "<h1>Ada King 71</h1>" in pages[71, "memory-02.html"]
    worksheet = tmp_path / "worksheet.csv"
    worksheet.write_text("Identifier,Full name,Email address,Grade\nParticipant 90,Eve Und_er,eve@x.org,\n")
    assert run(["feedback", str(folder), "memory-02", "--moodle", str(archive_path), "--roster", str(worksheet)]) == 0
    with zipfile.ZipFile(archive_path) as archive:
        assert (90, "memory-02.html") in {moodle_finds(name) for name in archive.namelist()}
        assert len(archive.namelist()) == 4


def canvas_finds(name: str) -> tuple[int, int, str]:
    """The learner, the file and its name that Canvas reads from a name: the first two parts that are numbers."""
    parts = name.split("_")
    first, second = [place for place, part in enumerate(parts) if part.isdigit()][:2]
    return int(parts[first]), int(parts[second]), "_".join(parts[second + 1 :])


def test_notebooks_go_back_to_canvas_with_marks_and_comments_under_the_names_that_it_gave(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class", more=QUESTION + HIDDEN)
    course = read_course(folder)
    work = (folder / "source" / "memory-02" / FILE).read_bytes()
    delivery, sent = tmp_path / "submissions.zip", {}
    with zipfile.ZipFile(delivery, "w") as archive:
        for name in ("kingada_71_901_02_views_share_a_storage-1.ipynb", f"strangebob_LATE_72_902_{FILE}"):
            archive.writestr(name, work)
            sent[canvas_finds(name)] = name
        archive.writestr("evil_73_903_02_views_share_a_storage.ipynb", b"no notebook")
    collect(course, delivery, "memory-02")
    (folder / "manual.csv").write_text("learner,assignment,id,points,comment\nkingada,memory-02,why,1,<b>Nearly.\n")
    for learner in learners_of(course):
        row = row_of(folder, learner, {}, {"why": "Because."}, "`middle` is a <copy>.")
        write_atomically(row_path(course, "memory-02", learner), row.to_json())
    by_hand = folder / "submitted" / "zoe" / "memory-02"
    by_hand.mkdir(parents=True)
    write_atomically(row_path(course, "memory-02", "zoe"), row_of(folder, "zoe", {}, {}).to_json())
    archive_path = tmp_path / "back.zip"
    assert run(["feedback", str(folder), "memory-02", "--canvas", str(archive_path)]) == 0
    with zipfile.ZipFile(archive_path) as archive:
        back = {name: archive.read(name) for name in archive.namelist()}
    assert {canvas_finds(name): name for name in back}.items() >= sent.items()
    notebook = parse(back[sent[71, 901, "02_views_share_a_storage-1.ipynb"]])
    words = [source(cell) for cell in notebook["cells"] if cell["id"].startswith("glassroom-")]
    assert words[0].startswith("**1 of 9 points**")
    assert any("**why: 1 of 2.**" in word and "> &lt;b>Nearly." in word for word in words)
    assert any("`middle` is a &lt;copy>." in word for word in words)
    assert not any("SECRET" in word for word in words)
    theirs = [cell for cell in notebook["cells"] if not cell["id"].startswith("glassroom-")]
    assert theirs == parse(work)["cells"]


def test_a_class_without_marks_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="glassroom grade"):
        class_page(make_class(tmp_path / "class"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_can_be_read_in_a_browser(folder: Path, tmp_path: Path, scheme: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    class_page(folder).save(tmp_path / "class.html")
    (tmp_path / "ada.html").write_text(feedback_of(folder, row_of(folder, "ada", {"02-middle": 1}, {"why": "x"})))
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in ("class.html", "ada.html"):
            for width in (1280, 390):
                page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
                faults: list[str] = []
                asked_for: list[str] = []
                page.on("console", lambda message, faults=faults: faults.append(message.text))
                page.on("request", lambda asked, asked_for=asked_for: asked_for.append(asked.url))
                page.goto((tmp_path / name).as_uri())
                assert faults == []
                assert all(name.startswith(("file:", "data:")) for name in asked_for)
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                tables = (
                    "[...document.querySelectorAll('table.list')].filter(each => each.scrollWidth > each.clientWidth)"
                )
                assert page.evaluate(f"{tables}.length") == 0
                assert page.evaluate(
                    """[...document.querySelectorAll('.learners td:first-child')].every(name =>
                        [...name.childNodes].filter(each => each.data?.trim()).every(part => {
                            const range = document.createRange();
                            range.selectNodeContents(part);
                            return range.getClientRects().length === 1;
                        }))"""
                )
                colours = page.evaluate(
                    "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
                )
                light, dark = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
                assert (light > 600 and dark < 150) if scheme == "light" else (light < 150 and dark > 600)
                page.close()
        jupyter = {"light": "true", "dark": "false"}[scheme]
        for said in (f'data-jp-theme-light="{jupyter}"', f'class="vscode-{scheme}"', f'data-theme="{scheme}"'):
            page = browser.new_page(color_scheme={"light": "dark", "dark": "light"}[scheme])  # the page's theme, in a
            page.set_content(f"<body {said}>{class_page(folder)._repr_html_()}</body>")  # browser of the other one
            shown = page.locator("iframe:visible")
            assert shown.count() == 1
            body = shown.content_frame.locator("body")
            colour = body.evaluate("each => getComputedStyle(each).backgroundColor")
            assert (sum(map(int, re.findall(r"\d+", colour)[:3])) > 600) is (scheme == "light")
            page.close()
        browser.close()


def test_the_page_of_a_class_is_the_same_by_the_command(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], hand_in: Callable[..., Path]
) -> None:
    assert run(["class", str(folder), "--html", str(tmp_path / "x.html")]) == 0
    assert (tmp_path / "x.html").read_text() == class_page(folder).html
    assert "12 handed in" in capsys.readouterr().out
