"""Catalogues: which texts are extracted from the course, how they are put back, and what a check reports."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import polib
import pytest

from glassroom.cli import main
from glassroom.inspectors.version_error import kinds
from glassroom.records.printable import printable
from glassroom.translations import catalogue, checking, notebooks, pages, scripts, templates
from glassroom.translations.catalogue import Message, merged
from glassroom.translations.homes import home
from glassroom.translations.language import asked_for, known, languages, spoken
from glassroom.workspace.catalogue import catalogue as entries_of
from glassroom.workspace.other_language import remember, remembered, write_translated
from glassroom.workspace.sources import notebooks_folder

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted((ROOT / "course" / "glassroom").rglob("*.py"))
SCRIPTS = sorted((ROOT / "course" / "glassroom").rglob("*.js"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
CATALOGUES = [path for language in languages().values() for path in language.folder.rglob("*.po")]


def same(text: str) -> str:
    return text


def test_released_languages_are_whole_and_right(capsys):
    assert main(["translate", "--check"]) == 0, capsys.readouterr().out


def test_catalogues_are_read_as_polib_reads_them():
    assert len(CATALOGUES) > 70
    for path in CATALOGUES:
        told = {(entry.msgctxt, entry.msgid): entry.msgstr for entry in polib.pofile(str(path)) if entry.translated()}
        assert catalogue.read(path) == told, path


def test_no_sentence_of_a_check_is_a_key_that_no_catalogue_has():
    for path in MODULES:
        if path.parent.parent.name == "exercises":
            keys = [key for node in ast.walk(ast.parse(path.read_text("utf-8"))) for key in getattr(node, "keys", ())]
            texts = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
            assert [text for text in texts if templates.is_prose(text)] == [], path


def test_sentences_put_back_as_they_are_leave_every_module_as_it_is():
    for path in MODULES:
        code = path.read_text("utf-8")
        unchanged = ast.unparse(templates.translated(code, same))
        assert unchanged == ast.unparse(ast.parse(code)), path


def test_sentences_put_back_as_they_are_leave_every_script_as_it_is():
    assert any(len(scripts.sentences(path.read_text("utf-8"))) > 20 for path in SCRIPTS)
    for path in SCRIPTS:
        script = path.read_text("utf-8")
        assert scripts.translated(script, lambda _: None) == script, path


def test_texts_put_back_as_they_are_leave_every_notebooks_code_as_it_is():
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text("utf-8"))
        table = {(message.context, message.text): message.text for message in notebooks.messages(notebook)}
        for before, after in zip(notebook["cells"], notebooks.translated(notebook, table)["cells"], strict=True):
            assert _program(before) == _program(after), (path, before["id"])


def test_what_only_a_screen_reader_or_the_mouse_says_is_in_a_sentence():
    """Tags in HTML count as code, so a label in one alone is no sentence."""
    package = ROOT / "course" / "glassroom"
    labelled = re.compile(r"""(?:aria-label|title|alt|placeholder)=["']([A-Za-z][a-z]+[^"'{}$]*)["']""")
    for path, sentences in (*((p, templates.sentences) for p in MODULES), *((s, scripts.sentences) for s in SCRIPTS)):
        if home(path.relative_to(package).as_posix()) is not None and path.name != "rendering.py":  # the theme's labels
            code = path.read_text("utf-8")
            labels = labelled.findall(code)
            told = "\n".join(sentences(code)) if labels else ""
            assert [label for label in labels if label not in told] == [], path


def test_no_code_compares_with_a_sentence_that_is_translated():
    package = ROOT / "course" / "glassroom"
    modules = [path for path in MODULES if home(path.relative_to(package).as_posix()) is not None]
    told = {text for path in modules for text in templates.sentences(path.read_text("utf-8")) if " " in text.strip()}
    told |= {text for path in SCRIPTS for text in scripts.sentences(path.read_text("utf-8")) if " " in text.strip()}
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                sides += [
                    element
                    for side in sides
                    if isinstance(side, (ast.Tuple, ast.List, ast.Set))
                    for element in side.elts
                ]
                compared = {side.value for side in sides if isinstance(side, ast.Constant)}
                assert not compared & told, (path, node.lineno)
    for path in SCRIPTS:
        compared = set(re.findall(r'[!=]==? "([^"]*)"|case "([^"]*)":', path.read_text("utf-8")))
        assert not {one or other for one, other in compared} & told, path


@pytest.mark.parametrize("language", languages().values(), ids=lambda language: language.code)
def test_the_code_of_translated_notebooks_is_that_of_the_english_ones(language):
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text("utf-8"))
        table = catalogue.read(language.folder / path.parent.name / f"{path.stem}.po")
        for before, after in zip(notebook["cells"], notebooks.translated(notebook, table)["cells"], strict=True):
            if before["cell_type"] == "code":
                assert _without_words(before) == _without_words(after), (path, before["id"])


def _without_words(cell) -> str:
    """A code cell's program without its strings; of an f-string only the values, in any order."""
    code = "\n".join(
        "pass" if line.lstrip().startswith(("%", "!")) else line for line in "".join(cell["source"]).split("\n")
    )
    try:
        return ast.dump(_Wordless().visit(ast.parse(code)))
    except SyntaxError:
        return code


class _Wordless(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.Constant("" if isinstance(node.value, str) else node.value)

    def visit_JoinedStr(self, node):
        values = [self.visit(value) for value in node.values if isinstance(value, ast.FormattedValue)]
        return ast.JoinedStr(sorted(values, key=ast.dump))


def _program(cell) -> str:
    """A code cell as Python parses it; for other cells, only words."""
    source = "".join(cell["source"])
    if cell["cell_type"] != "code" or any(line.lstrip().startswith(("%", "!")) for line in cell["source"]):
        return " ".join(source.split())
    return ast.dump(ast.parse(source))


def test_an_f_string_may_say_its_values_in_another_order():
    code = 'def said(n, name):\n    """Doc string of it."""\n    return f"{name} has {n:,} bytes, {{so}} much"\n'
    said = {"{name} has {n:,} bytes, {{so}} much": "{n:,} 字节属于 {name}，{{这么}}多"}
    names: dict = {}
    exec(compile(templates.translated(code, said.get), "said", "exec"), names)
    assert names["said"](12000, "a") == "12,000 字节属于 a，{这么}多"
    assert names["said"].__doc__ == "Doc string of it."


def test_what_programs_read_is_no_sentence():
    code = '{"a key of it": 1}["a key of it"]; x == "two words"; "b c" in {"b c"}; re.match("c d", x); y: "an int" = 0'
    assert templates.sentences(code) == []
    for text in ("use strict", "SELECT name FROM grade", "sqlite:///{path} or so", "default-src 'none'; img-src data:"):
        assert not templates.is_prose(text)
    for code in ('legend(loc="center left")', '"int long half".split()', 'f"torch.{call}"', 'x = "week + shops"'):
        assert templates.sentences(code) == []
    assert templates.sentences('look = "gr-asleep gr-closed"; as_is(f"index {i} is out of bounds")') == []
    assert scripts.sentences('fail(asIs(`index ${i} is out of bounds`)); make("pre", "run-text run-${name}")') == []
    assert templates.sentences('f(kind="a view"); f("a b"); f("a[0]")') == ["a view"]
    assert templates.sentences('word("copy"); f("two words"); f"{n} bytes"; f("x = 1; y = 2")') == [
        "copy",
        "two words",
        "{n} bytes",
    ]


def test_messages_of_pytorch_by_which_errors_are_found_are_no_sentences():
    told = templates.sentences(Path(kinds.__file__).read_text("utf-8"))
    assert "no graph" in told
    assert not {kind.pattern for kind in kinds.KINDS} & set(told)


def test_a_cell_keeps_its_code_and_the_answers_of_predictions():
    cell = {
        "cell_type": "code",
        "source": 'n = 1  # how many\nguess = predict("How many are there?", error="an error")\n'
        'print(f"in all {n * 1e3:.0f}:", n)\n',
    }
    said = {"how many": "多少", "How many are there?": '有"几个"?', "in all {n * 1000.0:.0f}:": "共 {n * 1000.0:.0f}："}
    assert notebooks.said_of_cell(cell, said.get) == (
        'n = 1  # 多少\nguess = predict(\'有"几个"?\', error="an error")\nprint(f"共 {n * 1e3:.0f}：", n)\n'
    )


def test_a_changed_sentence_keeps_its_translation_until_somebody_has_looked(tmp_path):
    path = tmp_path / "a.po"
    book = merged([Message("c", "A tensor is a header."), Message("c", "Another one.")], path, "xx")
    for entry in book:
        entry.msgstr = entry.msgid.upper()
    path.write_text(f"{book}\n", encoding="utf-8")
    new = merged([Message("c", "A tensor is a small header."), Message("d", "Another one.")], path, "xx")
    assert [(entry.msgstr, entry.fuzzy) for entry in new] == [("A TENSOR IS A HEADER.", True), ("ANOTHER ONE.", False)]
    path.write_text(f"{new}\n", encoding="utf-8")
    assert catalogue.read(path) == {("d", "Another one."): "ANOTHER ONE."}


def test_a_page_is_out_of_date_when_the_words_of_the_english_one_change(tmp_path):
    folder = tmp_path / "course" / "xx"
    for place in (tmp_path / "docs" / "xx", folder):
        place.mkdir(parents=True)
    english = tmp_path / "docs" / "watch.md"
    english.write_text("# Watching\n\nLine by line.\n")
    (tmp_path / "docs" / "xx" / "watch.md").write_text("# 逐行观察\n")
    assert pages.changed(folder, tmp_path) == ["docs/watch.md"]
    (folder / pages.SEEN).write_text(pages.look(folder, tmp_path, "docs/"))
    english.write_text("# Watching\n\nLine\nby line.\n")
    assert pages.changed(folder, tmp_path) == []
    english.write_text("# Watching\n\nStep by step.\n")
    assert pages.changed(folder, tmp_path) == ["docs/watch.md"]


@pytest.mark.parametrize(
    ("english", "told", "trouble"),
    [
        ("The stride of `a` is 3.", "`b` 的步长是 3。", "code"),
        ("It has 48 bytes.", "共 47 字节。", "numbers"),
        ("See [02](02_views.ipynb).", "见 [02](03_views.ipynb)。", "links"),
        ("{name} is a tensor", "{nome} 是张量", "placeholders"),
        ("## What it costs", "代价", "form"),
        ("| a | b |\n|---|---|", "| a |\n|---|", "form"),
        (" a tensor", "张量", "edges"),
        ("A tensor", "矢量", "term"),
        ("Its stride", "步长（步幅）", "term"),
        ("It is a view.", "它是视图,", "typography"),
        ("It has a view.", "它有view。", "typography"),
        ("**A view.** It is", "**视图。**这是", "typography"),
        ("It **`is`** one", "它**`is`** 是", "typography"),
        ("%s: not within %d s", "%s : pas en %s s", "percent"),
        ("argument %(name)s", "argument %(nom)s", "percent"),
        ("cell", "cellule|cellules|plus", "form"),
        ("answer", "réponse|", "form"),
        ("It is **one** thing.", "Un seul bloc.", "form"),
        ("A paragraph of two words.", "Un paragraphe\nde mots.", "form"),
    ],
)
def test_a_check_finds_what_is_wrong(english, told, trouble):
    known_terms = checking.terms((ROOT / "docs" / "terms.zh-CN.md").read_text("utf-8"))
    entry = polib.POEntry(msgid=english, msgstr=told)
    assert [words.partition(":")[0] for words in checking.troubles(entry, known_terms)] == [trouble]
    entry.tcomment = f"check: no {trouble} not-a-term: tensor"
    if trouble != "term":
        assert checking.troubles(entry, known_terms) == []


def test_a_check_says_which_number_is_missing_and_takes_those_of_the_language():
    def told(english: str, other: str) -> list[str]:
        return checking.troubles(polib.POEntry(msgid=english, msgstr=other))

    assert told("There are 30 cells.", "Il y a 40 cellules.") == [
        "numbers: the number 30 is missing, and 40 is not in the English"
    ]
    for number in ("1\u202f000,5", "1.000,5", "1 000,5", "1,000.5"):
        assert told("It takes 1,000.5 seconds, not 1.4.", f"Il faut {number} s, pas 1,4.") == []
    assert told("It takes 1.4 seconds.", "需要 1,4 秒。") != []


def test_words_not_to_be_used_may_stand_in_code_and_placeholders():
    page = "| English | Français | pas | remarque |\n|---|---|---|---|\n| offset | décalage | offset | |\n"
    for other, count in (("Décalage {x.offset} de `offset`", 0), ("Le décalage (offset) {x.offset} de `offset`", 1)):
        entry = polib.POEntry(msgid="The offset {x.offset} of `offset`", msgstr=other)
        assert len(checking.troubles(entry, checking.terms(page))) == count


def test_words_that_learners_type_stay_as_they_are():
    told = polib.POEntry(
        msgid='Say "clone" or "view".', msgstr='请答“克隆”或 "view"。', comment="typed as an answer: clone, view"
    )
    assert checking.troubles(told) == ['answers: "clone" is missing: learners type this']
    told.tcomment = "check: no answers"
    assert checking.troubles(told) == []


def test_answers_are_the_words_in_solutions():
    solved = "### BEGIN SOLUTION\nkind, n = 'post hook', 'S'\n### END SOLUTION"
    assert notebooks.answers({"cells": [{"source": ["x = 'no answer'\n", solved]}]}) == {"post hook"}


def test_an_excuse_is_one_of_those_that_are_known():
    entry = polib.POEntry(msgid="It has 3 cells.", msgstr="Il en a trois.", tcomment="check: no nombres")
    assert [fault.partition(":")[0] for fault in checking.troubles(entry)] == ["excuse", "numbers"]
    entry.tcomment = "not-a-term: view, check: no numbers"
    assert checking.troubles(entry) == []
    assert checking.not_excuses("check: numbers") == "check: numbers"


def test_names_that_fit_nothing_are_refused(tmp_path, capsys):
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps([{"catalogue": "1_memory/06", "context": "", "text": "", "translation": "x"}]))
    for option, name in (("--todo", "1_memori"), ("--check", "1_memori"), ("--fill", str(wrong))):
        assert main(["translate", "zh_CN", option, name]) == 2
        assert "1_memor" in capsys.readouterr().err


def test_of_a_language_that_is_not_released_only_faults_are_listed_and_todo_names_answers(tmp_path):
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "language.json").write_text('{"name": "Xx", "released": false}')
    environment = {**os.environ, "GLASSROOM_TRANSLATIONS": str(tmp_path), "GLASSROOM_LANG": "en"}
    translate = [sys.executable, "-m", "glassroom", "translate"]

    def told(*arguments: str) -> str:
        command = [*translate, "xx", *arguments, "3_autograd/05"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    told("--update")
    assert re.fullmatch(r"xx: \d+ entries have no translation yet\n0 troubles\n", told("--check"))
    answers = [item["typed as an answer"] for item in json.loads(told("--todo")) if "typed as an answer" in item]
    assert ["hook", "post hook"] in answers


def test_the_course_in_chinese_has_the_same_notebooks_and_needs(tmp_path):
    write_translated(notebooks_folder(), tmp_path, languages()["zh_CN"].folder)
    english, chinese = entries_of(notebooks_folder()), entries_of(tmp_path)
    assert [entry.place for entry in chinese] == [entry.place for entry in english]
    assert [entry.needs for entry in chinese] == [entry.needs for entry in english]
    assert [entry.minutes for entry in chinese] == [entry.minutes for entry in english]
    assert chinese[0].title == "从这里开始"


def test_languages_are_known_by_the_names_that_systems_give_them(tmp_path):
    assert [known(name) for name in ("zh_CN.UTF-8", "zh-cn", "zh", "C.UTF-8", "en_US", "xx")] == [
        *["zh_CN"] * 3,
        *["en"] * 2,
        None,
    ]
    assert known("zh_TW") is None
    (tmp_path / ".glassroom").mkdir()
    (tmp_path / ".glassroom" / "language").write_text("zh_CN\n")
    assert asked_for(["lab", str(tmp_path)]) == "zh_CN"
    assert asked_for(["lab", "--lang=en", str(tmp_path)]) == "en"
    assert asked_for(["lab"]) is None


def test_a_language_of_no_country_is_found_from_every_country(tmp_path):
    (tmp_path / "fr").mkdir()
    (tmp_path / "fr" / "language.json").write_text('{"name": "Français", "released": true}', "utf-8")
    names = ["fr_FR.UTF-8", "fr_CA", "fr_FR@euro", "fr-FR", "fr", "zh_TW.UTF-8", "zh", "frr"]
    program = f"from glassroom.translations.language import known, spoken; print(*map(known, {names}), spoken())"
    environment = {**os.environ, "GLASSROOM_TRANSLATIONS": str(tmp_path), "LC_ALL": "fr_FR.UTF-8"}
    environment.pop("GLASSROOM_LANG", None)
    told = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["fr"] * 5 + ["None", "zh_CN", "None", "fr"]
    lab = ["-m", "glassroom", "lab", str(tmp_path / "copy"), "--no-lab", "--lang"]
    for code, rc in (("fr-FR", 0), ("zh_TW", 2)):
        ran = subprocess.run(
            [sys.executable, *lab, code], env=environment, capture_output=True, check=False, cwd=tmp_path
        )
        assert ran.returncode == rc


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "de:zh_CN:en"}, "zh_CN"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en_US:zh_CN"}, "en"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "zh_CN"}, "en"),
        ({"LANG": "zh_TW.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_a_process_speaks_the_systems_language(variables, code, monkeypatch, tmp_path):
    for name in ("GLASSROOM_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    assert spoken() == code


def test_windows_is_asked_for_the_language_of_its_menus(monkeypatch, tmp_path):
    for name in ("GLASSROOM_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    menus = SimpleNamespace(kernel32=SimpleNamespace(GetUserDefaultUILanguage=lambda: 0x0804))
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("ctypes.windll", menus, raising=False)
    monkeypatch.chdir(tmp_path)
    assert spoken() == "zh_CN"


def test_blanks_of_a_language_are_printed_as_they_are():
    assert printable("Partie 1\u00a0: vue\u202f; \u3000\x1b\u2028") == "Partie 1\u00a0: vue\u202f; \u3000\\x1b\\u2028"


def test_a_working_copy_keeps_its_language_on_a_system_in_another(tmp_path, monkeypatch):
    assert languages()["zh_CN"].released
    monkeypatch.delenv("GLASSROOM_LANG", raising=False)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert spoken() == "zh_CN"
    assert remembered(tmp_path) is None
    for language in ("en", "zh_CN"):
        remember(tmp_path, language)
        assert remembered(tmp_path) == language
        monkeypatch.chdir(tmp_path)
        assert spoken() == language
    (tmp_path / ".glassroom" / "language").unlink()  # a copy that an earlier version made
    assert remembered(tmp_path) == "en"
