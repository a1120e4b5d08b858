"""`glassroom submit`, and what `collect` makes of it: on a hub, where homes are their learners', and without one."""

from __future__ import annotations

import getpass
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from classes import FILE, answered

from glassroom.classroom.collecting import Collected, collect
from glassroom.classroom.course_file import read_course
from glassroom.classroom.handing_in import EXCHANGE, submit
from glassroom.cli.app import run
from glassroom.workspace.notebook_json import Notebook, serialise
from glassroom.workspace.problems import Problem


def home_of(hub: Path, learner: str, work: Notebook) -> Path:
    """A learner's home on a hub, with their copy of an assignment in it, as yet not handed in."""
    home = hub / "homes" / learner
    (home / "handed-in").mkdir(parents=True)
    (home / "course" / "memory-02").mkdir(parents=True)
    (home / "course" / "memory-02" / FILE).write_bytes(serialise(work))
    (home / ".jupyter").mkdir()
    (home / ".jupyter" / "cookie.ipynb").write_bytes(serialise(work))
    return home


def taking(a_class: Path, hub: Path) -> Collected:
    return collect(read_course(a_class), hub, hub=True)


def test_on_a_hub_what_was_handed_in_is_collected_and_nothing_else(
    a_class: Path, notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    homes = {name: home_of(tmp_path / "hub", name, answered(notebook, {})) for name in ("ada", "grace%20h", "zoe")}
    for name in ("ada", "grace%20h"):
        monkeypatch.setenv(EXCHANGE, str(homes[name] / "handed-in"))
        monkeypatch.chdir(homes[name] / "course" / "memory-02")
        assert run(["submit"]) == 0
    assert f"Handed in: memory-02, {FILE}, at 20" in capsys.readouterr().out
    assert run(["collect", "--hub", str(tmp_path / "hub"), "--course", str(a_class)]) == 0
    assert "2 notebooks taken in, 0 oddities" in capsys.readouterr().out
    paths = sorted(path.relative_to(a_class).as_posix() for path in a_class.rglob("*.ipynb"))
    assert paths == [
        f"source/memory-02/{FILE}",
        *(f"submitted/{name}/memory-02/{FILE}" for name in ("ada", "grace h")),
    ]


def test_the_last_time_counts_and_no_date_is_set_back(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    home = home_of(tmp_path / "hub", "ada", answered(notebook, {"02-count": "# first"}))
    submit([home / "course" / "memory-02"], home / "handed-in", "ada")
    last = answered(notebook, {"02-count": "# last"})
    (home / "course" / "memory-02" / FILE).write_bytes(serialise(last))
    (place,) = submit([home / "course" / "memory-02" / FILE], home / "handed-in", "ada")
    os.utime(place / FILE, (0, 0))
    (place / "timestamp.txt").write_text("2000-01-01 00:00:00 UTC")
    place.rename(place.with_name("grace+memory-02+2000-01-01 00:00:00 UTC"))
    report = taking(a_class, tmp_path / "hub")
    assert [path.name for path in (a_class / "submitted").iterdir()] == ["ada"]
    assert (a_class / "submitted" / "ada" / "memory-02" / FILE).read_bytes() == serialise(last)
    stamp = (a_class / "submitted" / "ada" / "memory-02" / "timestamp.txt").read_text()
    when = datetime.strptime(stamp.strip(), "%Y-%m-%d %H:%M:%S.%f UTC").replace(tzinfo=UTC)
    assert datetime.now(UTC) - when < timedelta(hours=1)
    assert len(report.oddities) == 1
    assert "an earlier attempt of ada" in report.oddities[0]


def test_a_home_leads_to_no_other(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    ada, zoe, eve, max_ = (home_of(tmp_path / "hub", name, notebook) for name in ("ada", "zoe", "eve", "max"))
    submit([ada / "course" / "memory-02"], ada / "handed-in", "ada")
    (zoe / "handed-in").rmdir()
    (zoe / "handed-in").symlink_to(ada / "handed-in")
    (eve / "handed-in" / "eve+memory-02+2030-01-01 00:00:00 UTC").symlink_to(next((ada / "handed-in").iterdir()))
    own = max_ / "handed-in" / "max+memory-02+2030-01-01 00:00:00 UTC"
    own.mkdir()
    (own / FILE).symlink_to(ada / "course" / "memory-02" / FILE)
    os.mkfifo(own / "03.ipynb")
    (tmp_path / "hub" / "homes" / "link").symlink_to(ada)
    report = taking(a_class, tmp_path / "hub")
    assert [path.name for path in (a_class / "submitted").iterdir()] == ["ada"]
    assert len(report.oddities) == 2
    assert "links are not followed" in report.oddities[1] or "links are not followed" in report.oddities[0]


def test_into_a_shared_folder_as_into_nbgraders_exchange(
    a_class: Path, notebook: Notebook, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    home = home_of(tmp_path, "mine", answered(notebook, {}))
    (tmp_path / "exchange" / "inbound").mkdir(parents=True)
    assert run(["submit", str(home / "course" / "memory-02"), "--to", str(tmp_path / "exchange")]) == 0
    collect(read_course(a_class), tmp_path / "exchange")
    name = getpass.getuser()
    assert (a_class / "submitted" / name / "memory-02" / FILE).is_file()


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ([], "no notebook in"),
        (["course"], "Name one of its folders: memory-02"),
        (["course/memory-02/broken.ipynb"], "cannot be handed in"),
        (["diary.txt"], "neither a notebook nor a folder"),
    ],
)
def test_what_cannot_be_handed_in_is_said(
    what: list[str],
    said: str,
    notebook: Notebook,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    home = home_of(tmp_path, "ada", notebook)
    (home / "course" / "memory-02" / "broken.ipynb").write_text("{")
    monkeypatch.chdir(home)
    assert run(["submit", *what, "--to", str(home / "handed-in")]) != 0
    assert said in capsys.readouterr().err
    assert not list((home / "handed-in").iterdir())
    monkeypatch.delenv(EXCHANGE, raising=False)
    assert run(["submit", "course/memory-02"]) == 2
    assert "This is not a hub" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["a\nb.ipynb", "-rf.ipynb", "a..ipynb.ipynb", "\u202ebpnyi.ipynb", "x" * 240 + ".ipynb", "$HOME.ipynb"]
)
def test_a_notebook_of_any_name_is_handed_in_under_it(name: str, notebook: Notebook, tmp_path: Path) -> None:
    home = home_of(tmp_path / "hub", "ada", notebook)
    (home / "course" / "memory-02" / name).write_bytes(serialise(notebook))
    (place,) = submit([home / "course" / "memory-02" / name], home / "handed-in", "ada")
    assert {path.name for path in place.iterdir()} == {name, "timestamp.txt"}
    assert [path.name for path in (home / "handed-in").iterdir()] == [place.name]


def test_a_link_in_a_learners_folder_is_refused_and_nothing_is_handed_in(notebook: Notebook, tmp_path: Path) -> None:
    home = home_of(tmp_path / "hub", "ada", notebook)
    elsewhere = tmp_path / "elsewhere.ipynb"
    elsewhere.write_bytes(serialise(notebook))
    (home / "course" / "memory-02" / "link.ipynb").symlink_to(elsewhere)
    with pytest.raises(Problem, match="links are not followed"):
        submit([home / "course" / "memory-02"], home / "handed-in", "ada")
    assert not list((home / "handed-in").iterdir())
    assert elsewhere.read_bytes() == serialise(notebook)


def test_a_learner_whose_name_begins_anothers_is_somebody_else(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    for name in ("ada", "ada+lovelace", "ada-lovelace"):
        home = home_of(tmp_path / "hub", name, answered(notebook, {"02-count": f"# {name}"}))
        submit([home / "course" / "memory-02"], home / "handed-in", name)
    taking(a_class, tmp_path / "hub")
    for name in ("ada", "ada-lovelace"):
        assert f"# {name}" in (a_class / "submitted" / name / "memory-02" / FILE).read_text()
