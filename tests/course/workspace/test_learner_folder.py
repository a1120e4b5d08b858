"""A learner's working copy: what is made, what is updated, and that nothing of theirs is ever lost.

Faults are real ones: folders of another user, a limit on the size of files, damaged notebooks on the disk.
"""

import json
import platform
from pathlib import Path

import pytest
from course.faults import open_to_all, run_as_somebody_else
from hypothesis import given, settings
from hypothesis import strategies as st

from glassroom.cli.lab import summary
from glassroom.workspace.learner_folder import BEFORE, DEFAULT_FOLDER, MANIFEST, update, working_folder
from glassroom.workspace.notebook_json import parse, serialise
from glassroom.workspace.problems import Problem
from glassroom.workspace.sources import START_PAGE

OTHER = Path("1_memory", "01_header.ipynb")


def notebook(*sources):
    cells = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "source": s,
            "outputs": [],
            "execution_count": None,
        }
        for n, s in enumerate(sources)
    ]
    return serialise({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def course(tmp_path):
    """The sources of a small course: two notebooks and a picture."""
    sources = tmp_path / "sources"
    (sources / "1_memory").mkdir(parents=True)
    (sources / START_PAGE).write_bytes(notebook("print('welcome')"))
    (sources / OTHER).write_bytes(notebook("### BEGIN SOLUTION\na = 1\n### END SOLUTION"))
    (sources / "1_memory" / "map.png").write_bytes(b"\x89PNG picture")
    return sources


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "mine"


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_new_working_copy_holds_every_file_without_its_solutions(course, folder):
    report = update(folder, course)
    assert set(report.created) == {START_PAGE, OTHER, Path("1_memory", "map.png")}
    assert "a = 1" not in (folder / OTHER).read_text()
    assert (folder / "1_memory" / "map.png").read_bytes() == b"\x89PNG picture"
    assert report.start_page == START_PAGE


def test_a_notebook_says_already_what_jupyterlab_would_write_into_it_of_its_kernel(course, folder):
    """Otherwise JupyterLab asks learners who have only read a notebook whether to save it."""
    update(folder, course)
    stored = parse((folder / OTHER).read_bytes())["metadata"]["language_info"]
    told = pytest.importorskip("ipykernel.ipkernel").IPythonKernel.language_info
    assert stored == {**told, "version": platform.python_version()}


def test_a_second_run_changes_nothing(course, folder):
    update(folder, course)
    before = files(folder)
    report = update(folder, course)
    assert (report.created, report.updated, report.beside, report.notes) == ([], [], {}, [])
    assert files(folder) == before


def test_an_untouched_notebook_is_updated_in_its_place(course, folder):
    update(folder, course)
    (course / OTHER).write_bytes(notebook("b = 2"))
    assert update(folder, course).updated == [OTHER]
    assert "b = 2" in (folder / OTHER).read_text()


def test_a_notebook_that_was_only_opened_and_saved_counts_as_untouched(course, folder):
    update(folder, course)
    opened = parse((folder / OTHER).read_bytes())
    opened["metadata"] = {"language_info": {"version": "3.13.0"}, "kernelspec": {"name": "python3"}}
    opened["cells"][0]["metadata"]["trusted"] = True
    (folder / OTHER).write_bytes(serialise(opened))
    (course / OTHER).write_bytes(notebook("b = 2"))
    assert update(folder, course).updated == [OTHER]


def test_a_notebook_that_was_run_and_saved_without_editing_counts_as_untouched(course, folder):
    update(folder, course)
    ran = parse((folder / OTHER).read_bytes())
    ran["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["Not yet"]}]
    ran["cells"][0]["execution_count"] = 7
    ran["cells"][0]["metadata"] = {"collapsed": True}
    (folder / OTHER).write_bytes(serialise(ran))
    assert update(folder, course).kept == []
    (course / OTHER).write_bytes(notebook("b = 2"))
    report = update(folder, course)
    assert report.updated == [OTHER]
    assert not list(folder.rglob("*-course-*"))


ASKED = "### BEGIN SOLUTION\na = 1\n### END SOLUTION\ncheck({})"


def sources_of(content):
    return ["".join(cell["source"]) for cell in parse(content)["cells"]]


def sources_in(path):
    return sources_of(path.read_bytes())


def test_typed_answers_and_own_cells_go_into_the_new_version_and_the_old_file_is_kept(course, folder):
    (course / OTHER).write_bytes(notebook("first", ASKED.format('"01-a"'), "last"))
    update(folder, course)
    mine = notebook("first", "a = 'my answer'\ncheck(\"01-a\")", "last")
    mine = parse(mine)
    mine["cells"].insert(2, {**mine["cells"][0], "id": "note", "source": "my note"})
    (folder / OTHER).write_bytes(serialise(mine))
    (course / OTHER).write_bytes(notebook("first, better", ASKED.format('"01-a"'), "last", "more"))
    report = update(folder, course)
    assert sources_in(folder / OTHER) == [
        "first, better", "a = 'my answer'\ncheck(\"01-a\")", "my note", "last", "more",
    ]  # fmt: skip
    merge = report.merged[OTHER]
    assert (merge.answers, merge.own, merge.news) == (1, 1, ["first, better", "more"])
    assert (folder / ".glassroom" / "before" / OTHER).read_bytes() == serialise(mine)
    assert not list(folder.rglob("*-course-*"))
    again = update(folder, course)
    assert (again.merged, again.kept) == ({}, [OTHER])


def test_where_both_have_changed_a_cell_the_answer_goes_in_or_stands_below(course, folder):
    asked = 'guess = predict("q?", memory="view")\nprint({})'
    (course / OTHER).write_bytes(notebook("text", asked.format(1), ASKED.format('"01-a", a')))
    update(folder, course)
    said = 'guess = predict("q?", memory="copy")\nprint(1)'
    (folder / OTHER).write_bytes(notebook("my text", said, 'a = 5\ncheck("01-a", a)'))
    (course / OTHER).write_bytes(notebook("new text", asked.format(2), ASKED.format('"01-a", a, b=b')))
    merge = update(folder, course).merged[OTHER]
    assert sources_in(folder / OTHER) == [
        "new text",
        "my text",
        'guess = predict("q?", memory="copy")\nprint(2)',
        '# your code here\na = ...\ncheck("01-a", a, b=b)',
        'a = 5\ncheck("01-a", a)',
    ]
    assert (merge.answers, merge.own) == (1, 2)


def test_predictions_follow_their_questions_into_whichever_cell_asks_them(course, folder):
    first = 'guess = predict("f(x): view or copy?", memory={})'
    second = 'guess = predict("g(x): which stride?", stride={})'
    (course / OTHER).write_bytes(notebook(first.format('"view"'), "told(1)", second.format("(3, 1)"), "told(2)"))
    update(folder, course)
    (folder / OTHER).write_bytes(notebook(first.format('"copy"'), "told(1)", second.format("(1, 3)"), "told(2)"))
    both = f"x = 1\n{first}\n{second}"
    (course / OTHER).write_bytes(notebook(both.format('"view"', "(3, 1)"), "told(1, 2)"))
    merge = update(folder, course).merged[OTHER]
    assert sources_in(folder / OTHER) == [both.format('"copy"', "(1, 3)"), "told(1, 2)"]
    assert (merge.answers, merge.own) == (1, 0)


def test_a_prediction_whose_question_is_gone_or_with_code_beside_it_stands_by_itself(course, folder):
    first, second = 'predict("f(x): an error?", error={})', 'predict("g(x): which stride?", stride={})'
    (course / OTHER).write_bytes(notebook(first.format('"none"'), second.format("(3, 1)"), "last"))
    update(folder, course)
    mine = first.format('"none"'), f"{second.format('(1, 3)')}\nmy = 5", "last"
    (folder / OTHER).write_bytes(notebook(*mine))
    (course / OTHER).write_bytes(notebook(f"print()\n{second.format('(3, 1)')}", "last, better"))
    merge = update(folder, course).merged[OTHER]
    written = sources_in(folder / OTHER)
    assert f"print()\n{second.format('(1, 3)')}" in written
    assert all(text in written for text in mine[:2])
    assert (merge.answers, merge.own) == (1, 2)


def test_a_copy_of_a_version_that_remembered_no_cells_keeps_its_answers(course, folder):
    (course / OTHER).write_bytes(notebook("first", ASKED.format('"01-a"')))
    update(folder, course)
    stored = json.loads((folder / MANIFEST).read_bytes())
    del stored["cells"]
    (folder / MANIFEST).write_text(json.dumps(stored))
    mine = parse(notebook("first", "my note", "a = 'my answer'\ncheck(\"01-a\")"))
    mine["cells"][1]["id"] = "9f0a1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b"  # as JupyterLab makes them
    (folder / OTHER).write_bytes(serialise(mine))
    (course / OTHER).write_bytes(notebook("better", ASKED.format('"01-a"')))
    update(folder, course)
    assert sources_in(folder / OTHER) == ["better", "my note", "a = 'my answer'\ncheck(\"01-a\")"]


def test_a_changed_notebook_is_kept_while_the_course_has_no_news(course, folder):
    update(folder, course)
    mine = notebook("a = 'my answer'")
    (folder / OTHER).write_bytes(mine)
    report = update(folder, course)
    assert (report.kept, report.beside, report.merged) == ([OTHER], {}, {})
    assert (folder / OTHER).read_bytes() == mine


def test_the_summary_tells_what_the_course_has_changed(course, folder):
    (course / OTHER).write_bytes(notebook("first", ASKED.format('"01-a"')))
    update(folder, course)
    (folder / OTHER).write_bytes(notebook("first", "a = 'my answer'\ncheck(\"01-a\")"))
    (course / OTHER).write_bytes(notebook("# A better first", ASKED.format('"01-a"')))
    told = summary(update(folder, course))
    assert '1 answer of yours went into the new version. Changed by the course: "A better first"' in told


def test_a_deleted_notebook_comes_back_fresh(course, folder):
    update(folder, course)
    (folder / OTHER).unlink()
    assert update(folder, course).created == [OTHER]


def test_a_notebook_of_the_learners_own_keeps_its_name_and_the_start_page_is_still_found(course, folder):
    (folder / "1_memory").mkdir(parents=True)
    (folder / START_PAGE).write_bytes(notebook("# my own diary"))
    (folder / "thesis.ipynb").write_bytes(notebook("# unrelated"))
    for _ in range(2):
        report = update(folder, course)
        assert "my own diary" in (folder / START_PAGE).read_text()
        assert report.start_page is not None
        assert "welcome" in (folder / report.start_page).read_text()
    assert "unrelated" in (folder / "thesis.ipynb").read_text()


def test_a_folder_in_the_place_of_a_notebook_is_left_alone(course, folder):
    (folder / OTHER).mkdir(parents=True)
    report = update(folder, course)
    assert (folder / OTHER).is_dir()
    assert (folder / report.beside[OTHER]).is_file()


def test_a_damaged_notebook_of_the_learners_is_named_and_left_as_it_is(course, folder):
    update(folder, course)
    (folder / OTHER).write_bytes(b'{"cells": [')
    report = update(folder, course)
    assert (folder / OTHER).read_bytes() == b'{"cells": ['
    assert any("01_header.ipynb cannot be opened" in note and "fresh one" in note for note in report.notes)


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[]", b'{"nbformat": 4, "cells": [{}]}', b"[" * 10_000])
def test_a_damaged_source_is_named_and_the_rest_is_handed_out(course, folder, damage):
    (course / OTHER).write_bytes(damage)
    report = update(folder, course)
    assert START_PAGE in report.created
    assert not (folder / OTHER).exists()
    assert any("01_header.ipynb is damaged" in note for note in report.notes)


@pytest.mark.parametrize("damage", [b"", b"not json", b"[]", b'{"given": 3, "beside": {}}', b'{"given": {}}'])
def test_a_damaged_manifest_costs_nobody_their_work(course, folder, damage):
    update(folder, course)
    (folder / OTHER).write_bytes(notebook("a = 'my answer'"))
    (folder / MANIFEST).write_bytes(damage)
    (course / OTHER).write_bytes(notebook("b = 2"))
    report = update(folder, course)
    assert "my answer" in (folder / OTHER).read_text()
    assert any("made anew" in note for note in report.notes)
    assert json.loads((folder / MANIFEST).read_bytes())["given"]


def test_a_file_in_the_place_of_the_folder_is_a_clear_problem(course, folder):
    folder.write_text("mine")
    with pytest.raises(Problem, match="is a file, not a folder"):
        update(folder, course)
    assert folder.read_text() == "mine"


def test_a_file_in_the_place_of_a_parts_folder_is_a_clear_problem(course, folder):
    folder.mkdir()
    (folder / "1_memory").write_text("mine")
    with pytest.raises(Problem, match="cannot be written"):
        update(folder, course)
    assert (folder / "1_memory").read_text() == "mine"


def test_a_folder_that_is_read_only_is_a_clear_problem_and_nothing_in_it_changes(course, folder):
    update(folder, course)
    before = files(folder)
    (course / OTHER).write_bytes(notebook("b = 2"))
    open_to_all(course / "1_memory")
    for path in (folder, folder / "1_memory", folder / MANIFEST.parent):
        path.chmod(0o555)
    said = run_as_somebody_else(lambda: update(folder, course))
    assert said.startswith("Problem: ")
    assert "cannot be written: Permission denied" in said
    assert "glassroom lab FOLDER" in said
    assert files(folder) == before


def test_a_read_only_folder_that_is_up_to_date_is_served_with_a_warning(course, folder):
    update(folder, course)
    open_to_all(course / "1_memory")
    for path in (folder, folder / "1_memory", folder / MANIFEST.parent):
        path.chmod(0o555)

    def look():
        assert any("not save" in note for note in update(folder, course).notes)

    assert run_as_somebody_else(look) == ""


def test_when_writing_stops_half_way_every_file_is_old_or_new_and_the_next_run_goes_on(course, folder):
    update(folder, course)
    mine = notebook("a = 'my answer'")
    (folder / START_PAGE).write_bytes(mine)
    before = files(folder)
    large = notebook("# " + "long " * 20_000)
    (course / OTHER).write_bytes(large)
    said = run_as_somebody_else(lambda: update(folder, course), limit=50_000)
    assert said.startswith("Problem: ")
    assert "untouched" in said
    assert files(folder) == before, "no half-written file and no temporary one is left"
    assert OTHER in update(folder, course).updated
    assert (folder / START_PAGE).read_bytes() == mine


def test_without_a_folder_the_working_copy_is_here_or_in_glassroom_course(course, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert working_folder(None) == tmp_path / DEFAULT_FOLDER
    update(tmp_path, course)
    assert working_folder(None) == tmp_path
    monkeypatch.chdir(tmp_path / "1_memory")
    assert working_folder(None) == tmp_path, "inside of a working copy it is found"
    monkeypatch.chdir(tmp_path)
    assert working_folder(Path("elsewhere")) == tmp_path / "elsewhere"


edits = st.one_of(
    st.tuples(st.just("learner writes"), st.sampled_from([START_PAGE, OTHER]), st.integers(0, 99)),
    st.tuples(st.just("learner renames"), st.sampled_from([START_PAGE, OTHER]), st.integers(0, 99)),
    st.tuples(st.just("learner edits all"), st.none(), st.integers(0, 99)),
    st.tuples(st.just("course changes"), st.sampled_from([START_PAGE, OTHER]), st.integers(0, 3)),
    st.tuples(st.just("manifest is lost"), st.none(), st.none()),
    st.tuples(st.just("update"), st.none(), st.none()),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(edits, max_size=12))
def test_whatever_happens_in_whatever_order_the_learners_work_is_never_lost(tmp_path_factory, steps):
    here = tmp_path_factory.mktemp("random")
    course, folder = here / "sources", here / "mine"
    for path in (START_PAGE, OTHER):
        (course / path).parent.mkdir(parents=True, exist_ok=True)
        (course / path).write_bytes(notebook(f"# version 0 of {path.name}"))
    work: dict[Path, bytes] = {}
    update(folder, course)
    for number, (what, path, value) in enumerate(steps):
        if what == "learner writes":
            work[path] = notebook(f"my work, step {number}, {value}")
            (folder / path).write_bytes(work[path])
        elif what == "learner renames" and (folder / path).exists():
            renamed = path.with_name(f"mine-{number}.ipynb")
            (folder / path).rename(folder / renamed)
            if path in work:
                work[renamed] = work.pop(path)
        elif what == "learner edits all":
            for other in sorted(set(folder.rglob("*.ipynb")) - set((folder / BEFORE).rglob("*"))):
                work[other.relative_to(folder)] = notebook(f"my work in {other.name}, step {number}, {value}")
                other.write_bytes(work[other.relative_to(folder)])
        elif what == "course changes":
            (course / path).write_bytes(notebook(f"# version {value} of {path.name}"))
        elif what == "manifest is lost":
            (folder / MANIFEST).unlink(missing_ok=True)
        else:
            update(folder, course)
    update(folder, course)
    for path, content in work.items():
        [written] = sources_of(content)
        assert written in sources_in(folder / path)
