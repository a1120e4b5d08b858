"""The course in a pseudo-language: every sentence is in brackets and half as long again."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from pseudo_language import outside_of_brackets, write_pseudo_language
from warm_kernels import warm_kernels

from glassroom.drawing.fonts import CHINESE
from glassroom.records.columns import columns
from glassroom.translations.language import languages
from glassroom.workspace.execution import execute
from glassroom.workspace.normalize import normalized
from glassroom.workspace.notebook_json import parse, serialise, source
from glassroom.workspace.other_language import course_in
from glassroom.workspace.sources import notebooks_folder

HERE = Path(__file__).parent
#: Names of code, and what is the same in every language: dtypes, devices, kinds of answers, parts of a card's HTML.
NAMES = re.compile(
    r"[\w.]*[._\d\[(][\w.\[(]*|None|True|False|view|copy|memory|shape|stride|value|contiguous|none|Network|"
    r"table|turned|held|other|loss|line|keep|bias|column|weights|net|inner|sim|cpu|MiB|rows|return|lib|passing|name|"
    r"numbers|six|output|result|self|grad|lambda|exp|KiB|"
    r"span|class|div|tr|th|td|code|thead|tbody|hidden|scope|col|row|data|kind|role|status|aria|label|head|mark|short|answer|true|wrong|yes"
)
#: What Python and PyTorch say, and forms of English verbs, which other languages leave out.
OTHERS = re.compile(r"ZeroDivisionError:\s+division by zero|output with shape .*? broadcast shape |\b(are|is|waits?)\b")
HAN = re.compile("[\u3000-\u9fff\uff00-\uffef]")


@pytest.fixture(scope="module")
def languages_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pseudo_language(tmp_path_factory.mktemp("languages"), values_outside=True)


def said(language: str, folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "GLASSROOM_LANG": language, "GLASSROOM_TRANSLATIONS": str(folder), "COLUMNS": "200"}
    ran = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False, cwd=folder
    )
    assert ran.returncode in (0, 2), ran.stderr
    return ran.stdout


def test_what_a_learner_reads_is_translated_and_exercises_judge_alike(languages_folder):
    english = said("en", languages_folder, str(HERE / "saying.py"), "").partition("\n")
    other = said("qps", languages_folder, str(HERE / "saying.py"), "").partition("\n")
    before, after = json.loads(english[0]), json.loads(other[0])
    assert len(before) > 200
    assert all(right and not wrong for right, wrong, _ in before.values())
    assert {id: verdict[:2] for id, verdict in after.items()} == {id: verdict[:2] for id, verdict in before.items()}
    untold = [message for _, _, message in after.values() if "⟦" not in message]
    assert untold == []
    assert "⟦" not in english[2]
    left = re.findall(r"[A-Za-z][\w.\[(]{2,}", OTHERS.sub("", outside_of_brackets(other[2])))
    assert {word for word in left if not NAMES.fullmatch(word)} == set()


def test_the_command_speaks_the_language(languages_folder):
    told = said("qps", languages_folder, "-m", "glassroom", "lab", "--help")
    assert "⟦" in told
    assert "⟦" not in said("en", languages_folder, "-m", "glassroom", "lab", "--help")


#: The names of all commands, and after an empty line their help, printed.
HELPS = """
from glassroom.cli.app import parser
top = parser()
commands = top._subparsers._group_actions[0].choices
print(*commands, end="\\n\\n")
for each in (top, *commands.values()):
    print(each.format_help())
"""


def test_every_commands_help_is_translated(languages_folder):
    names, _, told = said("qps", languages_folder, "-c", HELPS).partition("\n\n")
    commands = set(names.split())
    assert told.count("⟦usage:") == len(commands) + 1
    left = re.findall(r"(?<![-\w./{,|])[a-z]{3,}", outside_of_brackets(told))
    assert set(left) == commands | {"glassroom"}


def test_help_keeps_to_the_terminals_columns(languages_folder):
    told = said("zh_CN", languages_folder, "-c", HELPS).partition("\n\n")[2]
    paragraphs = [each for each in told.split("\n\n") if not re.search(r"^  (glassroom|python)", each, re.MULTILINE)]
    assert max(columns(line) for each in paragraphs for line in each.split("\n")) <= 200
    for usage in re.findall(r"^用法：.*?(?=\n\n)", told, re.MULTILINE | re.DOTALL):
        head, *rest = usage.split("\n")
        assert {columns(line) - columns(line.lstrip()) for line in rest} <= {columns(head[: head.index("[")])}


def test_what_was_wrong_on_a_command_line_is_said_in_the_language(tmp_path):
    environment = {**os.environ, "GLASSROOM_LANG": "zh_CN"}
    for wrong, told in (
        (("lab", "--port", "x"), "参数 --port："),
        (("lab", "--porto"), "不认识的参数：--porto"),
        (("grade",), "缺少参数：DIR"),
        (("hub", "room", "--auth", "none"), "参数 --auth：没有 'none' 这个选择"),
    ):
        command = [sys.executable, "-m", "glassroom", *wrong]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert ran.returncode == 2
        assert ran.stderr.startswith("用法：")
        assert told in ran.stderr


#: Prints tables: the tests' results, how much of a language is translated, what is in memory when there is no room.
TABLES = """
from glassroom.cli.suite import Result, report
from glassroom.inspectors.timeline.failure import told
print(report([Result('a', 1, 2, 3, 4.5), Result('long', 40)]))
print(*told(1 << 20, "a.py:3", [(96, "·一"), (20_000, "·二"), (5_000_000, "·三")], []), sep="\\n")
"""


#: Errors whose notes have values that are words: counts, names in a list, a topic, one of two words, the end of it.
MISTAKES = """
import tensorglass as torch
from glassroom import check
a = torch.ones(2, 3)
for wrong in (lambda: a.sum(5), lambda: a.permute(0), lambda: a.expand(4, 3), lambda: torch.arange(0, 5, -1),
              lambda: torch.sparse_coo_tensor(), lambda: torch.zeross, lambda: a @ a.double(),
              lambda: a @ torch.ones(2)):
    try:
        wrong()
    except Exception as error:
        print(error.__notes__[0])
"""


def test_values_of_notes_that_are_words_are_translated(languages_folder, tmp_path):
    told = said("zh_CN", tmp_path, "-c", MISTAKES).splitlines()
    assert len(told) == 8
    assert told[0].startswith("张量有 2 个维：")
    assert "稀疏张量" in told[4]
    left = re.findall(r"\w{3,}", outside_of_brackets(said("qps", languages_folder, "-c", MISTAKES)))
    assert set(left) == {"sparse_coo_tensor", "zeros", "zero_", "cross"}


def test_tables_line_up_in_chinese(tmp_path):
    printed = said("zh_CN", tmp_path, "-c", TABLES).splitlines()
    head, *rows = printed[1:4]
    assert head.split() == ["层", "通过", "失败", "跳过", "用时"]
    assert {columns(row) for row in rows} == {columns(head)}
    assert {columns(line[: line.index("·")]) for line in printed if re.search("·[一二三]", line)} == {14}
    status = said("zh_CN", tmp_path, "-m", "glassroom", "translate", "--status").splitlines()
    ends = {columns(line[: line.index(" / ")]) for line in status if " / " in line}
    assert len(ends) == 1


def test_words_beside_numbers_and_in_tables_are_chinese(tmp_path):
    working = str(tmp_path / "course")
    lab = ("-m", "glassroom", "lab", working, "--no-lab", "--lang")
    assert re.search(r"（\d+ 个新的）$", said("zh_CN", tmp_path, *lab, "zh_CN").strip())
    assert re.search(r"\(\d+ updated\)$", said("en", tmp_path, *lab, "en").strip())
    assert re.search(r"（\d+ 个已更新）$", said("zh_CN", tmp_path, *lab, "zh_CN").strip())
    doctor = said("zh_CN", tmp_path, "-m", "glassroom", "doctor", working)
    assert re.search("^正常 +课程 ", doctor, re.MULTILINE)
    assert not re.search("^(ok|missing|optional)", doctor, re.MULTILINE)
    assert "01 头部与存储" in said("zh_CN", tmp_path, "-m", "glassroom", "progress", working)


def test_a_new_classs_file_is_explained_in_the_language(tmp_path):
    new = "from glassroom.classroom.course_file import heading; print(heading())"
    told = re.findall("^# .*", said("zh_CN", tmp_path, "-c", new), re.MULTILINE)
    assert len(told) > 4
    assert all(map(HAN.search, told))


def test_pages_of_a_class_say_their_language(tmp_path):
    made = "from glassroom.classroom.pages.shell import page; print(page('t', 'b'))"
    assert '<html lang="zh-CN">' in said("zh_CN", tmp_path, "-c", made)


@pytest.mark.sweep
@pytest.mark.parametrize("fonts", ["with", "without"])
def test_figures_have_letters_that_some_font_has(fonts, tmp_path):
    font_manager = pytest.importorskip("matplotlib.font_manager", reason="figures need matplotlib (extra: course)")
    if fonts == "with" and not set(CHINESE) & set(font_manager.get_font_names()):
        pytest.skip("this machine has no font with Chinese letters")
    of_zh = json.loads(said("zh_CN", tmp_path, str(HERE / "figures.py"), "每一步的损失", fonts))
    if fonts == "with":
        assert of_zh["warned"] == []
        assert of_zh["title"] == "每一步的损失"
        assert any(map(HAN.search, of_zh["told"]["MemoryMap"]))
    else:
        [warning] = of_zh["warned"]
        assert "apt install fonts-noto-cjk" in warning
        assert of_zh["title"] == "the loss of each step"
        assert {"view of a", "float32 · contiguous · bytes 0–23"} <= set(of_zh["told"]["MemoryMap"])
        assert not any(HAN.search(text) for texts in of_zh["told"].values() for text in texts)


def translated() -> list[str]:
    """Every translated notebook, with its language: "zh_CN/1_memory/00_start_here"."""
    return [
        f"{code}/{path.parent.name}/{path.stem}"
        for code, language in languages().items()
        for path in sorted(language.folder.glob("*/*.po"))
    ]


@dataclass
class Spoken:
    """A language's notebooks, and the folder for `JUPYTER_PATH` whose kernels have imported everything in it."""

    notebooks: Path
    kernels: str


@pytest.fixture(scope="module")
def spoken() -> Iterator[dict[str, Spoken]]:
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("OMP_NUM_THREADS", "1")
        found = {}
        for code in languages():
            patch.setenv("GLASSROOM_LANG", code)
            notebooks = stack.enter_context(course_in(code, notebooks_folder()))
            found[code] = Spoken(notebooks, stack.enter_context(warm_kernels()))
        patch.delenv("GLASSROOM_LANG")
        yield found


@pytest.fixture
def notebook(request, spoken, monkeypatch) -> Path:
    """A notebook by its name in a parameter, "zh_CN/1_memory/00_start_here", with kernels of its language."""
    code, _, place = request.param.partition("/")
    monkeypatch.setenv("GLASSROOM_LANG", code)
    monkeypatch.setenv("JUPYTER_PATH", spoken[code].kernels, prepend=os.pathsep)
    return spoken[code].notebooks / f"{place}.ipynb"


@pytest.mark.sweep(6)
@pytest.mark.parametrize("notebook", translated(), indirect=True)
def test_a_translated_notebook_runs_and_computes_the_same(notebook):
    english = parse((notebooks_folder() / notebook.parent.name / notebook.name).read_bytes())
    other = normalized(execute(parse(notebook.read_bytes()), notebook.parent))
    for before, after in zip(english["cells"], other["cells"], strict=True):
        assert numbers(before) == numbers(after), (before["id"], source(after))
        if not HAN.search("".join(texts(after))):
            assert "".join(texts(before)).split() == "".join(texts(after)).split(), (before["id"], source(after))


@pytest.mark.sweep(24)
@pytest.mark.parametrize("notebook", translated(), indirect=True)
def test_nbval_finds_a_translated_notebook_as_it_is_stored(notebook):
    """Once it has been stored with its outputs; a 24th of the notebooks each day, or all of them."""
    notebook.write_bytes(serialise(normalized(execute(parse(notebook.read_bytes()), notebook.parent))))
    nbval = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", "-p", "no:xdist", str(notebook)]
    ran = subprocess.run([*nbval, f"--rootdir={notebook.parent}"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def texts(cell) -> list[str]:
    """What a cell printed and displayed, except pictures."""
    texts = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/svg+xml" not in data:
            text = output.get("text") or data.get("text/plain", "") or output.get("evalue", "")
            texts.append(text if isinstance(text, str) else "".join(text))
    return texts


#: Words that multiply the number before them, in English and in Chinese, which counts by ten thousands.
ZEROS = {"thousand": 3, "million": 6, "billion": 9, "万": 4, "亿": 8}


def numbers(cell) -> list[str]:
    """The numbers in a cell's outputs, in any order, since the order in sentences depends on the language.

    "48 thousand" and "4.8 万" are the same number. Pictures are left out, since their lines are cut if a language needs
    more room, and so are names of storages, which depend on what a process has shown before.
    """
    found = re.findall(rf"(?<![A-Za-z\d])(\d[\d,.]*\d|\d)(?:\s*({'|'.join(ZEROS)}))?", "\n".join(texts(cell)))
    return sorted(
        f"{Decimal(number.replace(',', '')).scaleb(ZEROS[zeros]):.0f}" if zeros else number for number, zeros in found
    )
