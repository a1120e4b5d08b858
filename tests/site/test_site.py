"""The web site: its links, that it asks no other host, its themes and widths, live inspectors, exercises; bad input."""

from __future__ import annotations

import errno
import json
import os
import posixpath
import re
import shlex
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from browser import axe

from glassroom.site.build import document
from glassroom.translations import language

NOTEBOOKS = ("1_memory/00_start_here",)
NOTEBOOK = "notebooks/1_memory/05_strides_and_offset.html"
PUZZLES = "notebooks/3_autograd/11_six_gradient_puzzles.html"  # with predictions of several values
PAGES = (
    *("index.html", NOTEBOOK, PUZZLES, "notebooks/contents.html", "notebooks/1_memory/index.html", "gallery.html"),
    *("docs/inspectors.html", "docs/lines/autograd-engine.html", "search.html?q=stride", "genindex.html"),
    *("reference/tensorglass/view.html", "reference/glassroom.html", "missing.html", "zh/index.html", f"zh/{NOTEBOOK}"),
)
HEAVIEST = 1_500_000  # bytes of a page without its pictures
PICTURE = "svg.gr"
ROOT = Path(__file__).resolve().parents[2]
if BUILT := os.environ.get("SITE"):
    found = (path.relative_to(BUILT).as_posix() for path in sorted(Path(BUILT).rglob("*.html")))
    PAGES = tuple(name for name in found if name.partition("/")[0] != "lite" and name != "404.html")  # which leads on


class Links(HTMLParser):
    """What a page leads to and loads, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("id"):
            self.anchors.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag in ("img", "script", "source", "iframe") and given.get("src"):
            self.loads.append(given["src"])
        elif tag == "link" and given.get("href"):
            self.loads.append(given["href"])


def glassroom_site(*arguments):
    command = [sys.executable, "-m", "glassroom", "site", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_every_document_is_there(site):
    documents = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert documents == {path.stem for path in (site / "docs").glob("*.html")}


def test_the_twelve_files_of_the_library_are_read_with_their_own_lines(site):
    links = [link for link in Links((site / "docs" / "reading.html").read_text("utf-8")).links if "lines/" in link]
    assert len(links) == 12
    said = re.sub(r"<[^>]+>", "", (site / "docs" / links[-1]).read_text("utf-8"))
    code = (ROOT / "lib" / "tensorglass" / "autograd" / "engine.py").read_text("utf-8")
    assert code.splitlines()[0].strip('"') in said


def test_a_site_in_another_language_takes_its_documents_with_links_and_pictures_that_lead_somewhere(monkeypatch):
    docs = ROOT / "docs"
    monkeypatch.setattr(language, "speaking", lambda: "zh_CN")
    for path in docs.glob("zh_CN/*.md"):
        text = document(docs, path.stem)
        assert re.match("# .*[\u4e00-\u9fff]", text)
        targets = re.findall(
            r"\]\(([^)#]+\.md)|src=\"([^\"]+)\"", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.M)
        )
        assert all((docs / "".join(target)).is_file() for target in targets)
    assert document(docs, "reading") == (docs / "reading.md").read_text("utf-8")


def test_every_link_and_every_anchor_leads_somewhere(site):
    pages = {path.relative_to(site).as_posix(): Links(path.read_text("utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 50
    broken = []
    for name, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    broken.append(f"{name} loads {link}")
                continue
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), parts.path)) if parts.path else name
            if not (site / unquote(path)).is_file():
                broken.append(f"{name} → {link}")
            elif path in pages and unquote(parts.fragment) not in pages[path].anchors:
                broken.append(f"{name} → {link} (no such anchor)")
    assert not broken


def test_no_page_is_heavier_than_a_megabyte_and_a_half_without_its_pictures(site):
    pages = [path for path in site.rglob("*.html") if "lite" not in path.relative_to(site).parts]
    heavy = {}
    for path in pages:
        text = path.read_text("utf-8")
        parts = {(path.parent / urlsplit(each).path).resolve() for each in Links(text).loads}
        parts |= {other for each in parts if each.name == "run.js" for other in each.parent.glob("run-*.js")}
        weight = len(text.encode()) + sum(each.stat().st_size for each in parts if each.suffix in (".js", ".css"))
        if weight > HEAVIEST:
            heavy[path.relative_to(site).as_posix()] = weight
    assert not heavy


def test_a_heavier_page_is_refused(tmp_path):
    from glassroom.site.build import HEAVIEST as MOST
    from glassroom.site.build import refuse_heavy_pages
    from glassroom.workspace.problems import Problem

    (tmp_path / "notebooks").mkdir()
    (tmp_path / "a.js").write_text("1" * 600_000)
    (tmp_path / "run.js").write_text("1" * 100_000)
    (tmp_path / "run-more.js").write_text("1" * 300_000)
    page = '<img src="a.png"><script type="module" src="../run.js?v=1"></script><script src="../a.js"></script>'
    (tmp_path / "notebooks" / "light.html").write_text(page)
    refuse_heavy_pages(tmp_path)
    (tmp_path / "notebooks" / "heavy.html").write_text(page + "x" * 500_000)
    with pytest.raises(Problem, match=r"without pictures: notebooks/heavy\.html \(1\.5 MB\)$"):
        refuse_heavy_pages(tmp_path)
    assert MOST == HEAVIEST


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_interactive_within_a_second_of_its_main_threads_time(page, address, name):
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(f"{address}/{name}")
    page.wait_for_function("document.readyState === 'complete'")
    spent = {each["name"]: each["value"] for each in client.send("Performance.getMetrics")["metrics"]}
    assert spent["TaskDuration"] < 1, spent


@pytest.mark.sweep
@pytest.mark.parametrize("width", [390, 820, 1130, 1280, 1320, 1920])
def test_no_page_scrolls_sideways(page, address, width):
    page.set_viewport_size({"width": width, "height": 900})
    for name in PAGES:
        page.goto(f"{address}/{name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


def test_the_switch_turns_the_page_and_its_inspectors_dark(page, address):
    page.goto(f"{address}/index.html")
    page.wait_for_selector(PICTURE)
    ink = f"getComputedStyle(document.querySelector('{PICTURE} text')).fill"
    seen = {}
    for _ in range(3):  # auto, and both themes
        page.click(".content-icon-container .theme-toggle")
        seen[page.evaluate("document.body.dataset.theme")] = page.evaluate(ink)
    assert seen["auto"] == seen["light"] != seen["dark"]
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("document.body.dataset.theme") == "auto"
    assert page.evaluate(ink) == seen["dark"]


@pytest.mark.parametrize("name", ["index.html", NOTEBOOK, "gallery.html"])
def test_an_inspector_answers_the_pointer_and_the_keyboard(page, address, name):
    page.goto(f"{address}/{name}")
    frame = page.locator(".gr-frame").first
    status = page.locator(".gr-status").first
    before = status.inner_text()
    frame.locator(".tensor .cell").first.hover()
    page.wait_for_function("before => document.querySelector('.gr-status').innerText !== before", arg=before)
    page.mouse.move(2, 2)
    page.wait_for_function("before => document.querySelector('.gr-status').innerText === before", arg=before)
    frame.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("before => document.querySelector('.gr-status').innerText !== before", arg=before)


def test_the_first_pages_picture_is_above_the_fold_beside_its_lines(page, address):
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(f"{address}/index.html")
    code, picture = page.locator(".first-code").bounding_box(), page.locator(f".first {PICTURE}").first.bounding_box()
    assert picture["x"] >= code["x"] + code["width"]
    assert max(picture["y"] + picture["height"], code["y"] + code["height"]) <= 768
    assert page.locator(".first-code pre").inner_text().strip().count("\n") + 1 == 10


def test_the_card_of_five_minutes_leads_to_them_in_both_languages(page, address):
    for folder in ("", "zh/"):
        page.goto(f"{address}/{folder}index.html")
        page.locator(".cards a").nth(3).click()
        page.wait_for_url(re.compile(f"^{address}/{folder}docs/inspectors.html#."))
        assert page.evaluate("document.querySelector(':target').querySelector('h2') !== null")
        first = page.locator("article h2").first
        assert page.locator(":target h2").first.inner_text() == first.inner_text()


def test_the_gallery_numbers_storages_as_a_first_run_does_and_shows_every_inspector(site):
    headings = re.findall("^##+ (.*`.*)$", (ROOT / "docs" / "inspectors.md").read_text("utf-8"), re.MULTILINE)
    page = (site / "gallery.html").read_text("utf-8")
    exhibits = re.split(r'<section id="', page)[2:]
    titles = [re.search('<h2>.*?<span class="pre">(.*?)</span>', exhibit, re.DOTALL)[1] for exhibit in exhibits]
    assert sorted(titles) == sorted(name.strip("%") for heading in headings for name in re.findall("`(.*?)`", heading))
    for title, exhibit in zip(titles, exhibits, strict=True):
        numbers = sorted({int(number) for number in re.findall(r"\bS(\d+)\b", exhibit)})
        assert numbers == list(range(len(numbers))), title


def test_contents_have_paths_minutes_forty_questions_and_the_words(site):
    page = (site / "notebooks" / "contents.html").read_text("utf-8")
    said = re.sub(r"<[^>]+>", "", page)
    for words in (
        "Three short paths",
        "An afternoon (about",
        "I came for autograd (about",
        "Part 1",
        "15 min",
        "Glossary",
    ):
        assert words in said
    assert [int(number) for number in re.findall(r"^(\d+)\. ", said, re.MULTILINE)] == list(range(1, 41))


def test_a_notebook_leads_to_the_next_and_to_the_one_before_and_links_between_notebooks_are_between_pages(site):
    from glassroom.site.pages import linked

    names = ["00_start_here", "01_header_and_storage", "05_strides_and_offset"]
    there = [name for name in names if (site / f"notebooks/1_memory/{name}.html").exists()]
    first, second = (Links((site / f"notebooks/1_memory/{name}.html").read_text("utf-8")) for name in there[:2])
    assert f"{there[1]}.html" in first.links
    assert f"{there[0]}.html" in second.links
    known = {PurePosixPath("1_memory/05_strides.ipynb"), PurePosixPath("2_tensors/01_attributes.ipynb")}
    text = "[A](05_strides.ipynb#here) [B](../2_tensors/01_attributes.ipynb) [C](06_contiguity.ipynb)"
    assert linked(text, PurePosixPath("1_memory/04_x.ipynb"), known) == text.replace("[C](06_contiguity.ipynb)", "C")


def test_an_exercise_asks_then_helps_then_answers(page, address):
    page.goto(f"{address}/{NOTEBOOK}")
    asked = page.locator(".cell", has_text="# your code here").first
    assert "position = 29" not in asked.inner_text()
    hints = page.locator(".hints").first
    assert not hints.locator("p, pre").first.is_visible()
    hints.locator("summary").first.click()
    assert hints.locator("p").first.is_visible()
    assert hints.locator("summary").nth(1).is_visible()
    solution = page.locator("details", has_text="Show the solution").first
    assert not solution.get_by_text("position = 29").is_visible()
    solution.locator("summary").first.click()
    assert "29" in solution.inner_text()


def test_the_marks_of_solutions_and_of_hidden_tests_are_not_there(site):
    text = "".join(path.read_text("utf-8") for path in (site / "notebooks").rglob("*.html"))
    assert not re.search("(BEGIN|END) (SOLUTION|HIDDEN TESTS)", text)


def test_no_page_of_the_reference_has_an_address_in_memory(site):
    pages = sorted(site.rglob("reference/**/*.html"))
    assert len(pages) > 40
    assert [page for page in pages if re.search(r"0x[0-9a-f]{6}", page.read_text("utf-8"))] == []


def test_nothing_of_a_class_is_there(site):
    """Class pages and hidden tests are made from a class's own folder, which no part of the site is made from."""
    from glassroom.site.build import DOCUMENTS

    folders = {path.name for path in site.iterdir() if path.is_dir()}
    ours = {
        "_images",
        "_sources",
        "_static",
        "colab",
        "docs",
        "lite",
        "live",
        "notebooks",
        "pyodide",
        "reference",
        "zh",
    }
    assert folders <= ours
    documents = {name for _, names in DOCUMENTS for name in names}
    assert {path.stem for path in (site / "docs").glob("*.html")} - documents == {
        path.stem for path in (ROOT / "docs").glob("terms.*.md")
    }


@pytest.mark.sweep
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(page, address, name):
    page.goto(f"{address}/{name}")
    assert axe.faults(page, "html", every=True) == []
    page.emulate_media(color_scheme="dark")
    assert axe.faults(page, "html", every=True) == []


def test_a_notebook_leads_to_a_copy_that_installs_the_packages_in_its_first_cell(site):
    page = Links((site / NOTEBOOK).read_text("utf-8"))
    place = "1_memory/05_strides_and_offset.ipynb"
    (colab,) = [link for link in page.links if "colab.research" in link]
    assert colab.endswith(f"/tensorglass/tensorglass/blob/colab/{place}")
    assert any(link.startswith("https://mybinder.org/v2/gh/") and link.endswith(place) for link in page.links)
    copied = json.loads((site / "colab" / place).read_text("utf-8"))
    assert "%pip install" in "".join(copied["cells"][0]["source"])
    assert "BEGIN SOLUTION" not in json.dumps(copied)
    assert not any(cell.get("outputs") for cell in copied["cells"])
    chinese = "".join(json.loads((site / "zh" / "colab" / place).read_text("utf-8"))["cells"][0]["source"])
    assert "%env GLASSROOM_LANG=zh_CN" in chinese


def test_the_workflow_for_static_hosting_builds_the_site_and_puts_the_copies_for_colab_into_their_branch(
    site, tmp_path, monkeypatch
):
    from glassroom.cli.app import parser
    from glassroom.site.live_notebooks import default_cache

    workflow = yaml.safe_load((ROOT / "deploy" / "site.yml").read_text("utf-8"))
    steps = workflow["jobs"]["site"]["steps"]
    install, build, copies = [step["run"] for step in steps if "run" in step]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert re.fullmatch(r"pip install -e '\.\[(\w+)\]'", install)[1] in extras
    out = parser().parse_args(shlex.split(build)[1:]).out
    given = {step["uses"].partition("@")[0]: step.get("with", {}) for step in steps if "uses" in step}
    assert given["actions/upload-pages-artifact"]["path"] == str(out)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert Path(given["actions/cache"]["path"]).expanduser() == default_cache()

    (tmp_path / out).symlink_to(site.absolute())
    pushed = tmp_path / "pushed"
    subprocess.run(["git", "init", "--quiet", "--bare", pushed], check=True)
    here, count = re.subn(r'"https://[^"]*"', str(pushed), copies)
    assert count == 1
    subprocess.run(["bash", "-e", "-c", here], cwd=tmp_path, check=True)
    command = ["git", "--git-dir", pushed, "ls-tree", "-r", "--name-only", "-z", "colab"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    english = {path.relative_to(site / "colab").as_posix() for path in (site / "colab").rglob("*.ipynb")}
    assert set(names) == english | {f"zh/{name}" for name in english}


def test_a_live_output_is_html_that_every_front_end_shows_without_widgets_and_the_network(tmp_path):
    from glassroom.site.live_notebooks import live_notebook

    cell = {"cell_type": "code", "id": "one", "metadata": {}, "execution_count": None, "outputs": []}
    cell["source"] = "import tensorglass as torch\nfrom glassroom import show\nshow(torch.arange(2))"
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "one.ipynb").write_text(json.dumps(notebook))
    live = live_notebook(tmp_path / "one.ipynb", tmp_path / "cache", "", compared=False)
    (output,) = live["cells"][0]["outputs"]
    assert set(output["data"]) == {"text/plain", "text/html", "image/svg+xml"}
    page = Links("".join(output["data"]["text/html"]))
    assert not page.links + page.loads
    assert "<script" in "".join(output["data"]["text/html"])


def test_search_finds_a_word_of_a_notebook(page, address):
    page.goto(f"{address}/search.html?q=as_strided")
    page.wait_for_selector("#search-results li a")
    assert page.locator("#search-results li", has_text="Strides and offset").count()


AT = """() => {
    const sections = [...document.querySelectorAll("section[id]")];
    const at = sections.findLastIndex((each) => each.getBoundingClientRect().top <= 1);
    const anchor = sections.findIndex((each) => `#${each.id}` === decodeURIComponent(location.hash));
    return [document.documentElement.lang, at, anchor];
}"""


def test_the_switch_of_language_keeps_the_section_and_the_anchor_both_ways(page, address):
    page.goto(f"{address}/{NOTEBOOK}")
    at, anchor = 8, 3
    page.evaluate("at => { location.hash = document.querySelectorAll('section[id]')[at].id }", anchor)
    page.evaluate(
        "at => scrollBy(0, document.querySelectorAll('section[id]')[at].getBoundingClientRect().top + 20)", at
    )
    assert page.evaluate(AT) == ["en", at, anchor]
    for tag in ("zh-CN", "en"):
        page.locator(".languages a").evaluate("link => link.click()")
        page.wait_for_function(f"({AT})().join() === {[tag, at, anchor]}.join()")


def test_search_in_chinese_finds_a_word_within_a_sentence(page, address):
    page.goto(f"{address}/zh/search.html?q=步长与偏移")
    page.wait_for_selector("#search-results li a")
    assert page.locator("#search-results li", has_text="05 · 步长与偏移").count()


@pytest.mark.parametrize("lost", ["nowhere.html", "notebooks/9_nothing/01_nowhere.html", "zh/docs/nowhere.html"])
def test_an_address_that_leads_nowhere_shows_a_page_whose_links_lead_somewhere(page, site, address, lost):
    shown = (site / "404.html").read_text("utf-8")
    page.route(f"**/{lost}", lambda route: route.fulfill(body=shown, content_type="text/html"))
    page.goto(f"{address}/{lost}")
    page.wait_for_url(f"{address}/missing.html")
    assert page.locator("h1").inner_text().startswith("There is no such page")
    page.locator("article a", has_text="contents").click()
    page.wait_for_url(f"{address}/notebooks/contents.html")


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    done = glassroom_site("--out", tmp_path)
    assert done.returncode == 3
    assert "left as it is" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path):
    (tmp_path / "site").write_text("mine")
    assert glassroom_site("--out", tmp_path / "site").returncode == 3
    assert (tmp_path / "site").read_text() == "mine"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a folder that root cannot write to")
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    for option, arguments in {"--out": ["/proc/site"], "--cache": [tmp_path / "site", "--cache", "/proc"]}.items():
        done = glassroom_site("--out", *arguments, *NOTEBOOKS)
        assert done.returncode == 3
        assert "/proc cannot be written to" in done.stderr
        assert f"Name another folder with {option}." in done.stderr
        assert done.stderr.count("\n") == 1
        assert not list(tmp_path.iterdir())


def test_a_full_disk_is_said_in_one_sentence_and_the_site_that_was_there_stays(tmp_path, monkeypatch):
    from glassroom.site import build
    from glassroom.workspace.problems import Problem

    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "site").mkdir()
    (tmp_path / "site" / build.OURS).touch()
    (tmp_path / "site" / "index.html").write_text("old")
    monkeypatch.setattr("shutil.copytree", full)
    with pytest.raises(Problem, match="The disk is full") as told:
        build.build(tmp_path / "site", NOTEBOOKS)
    assert told.value.exit_code == 3
    assert (tmp_path / "site" / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_an_unknown_notebook_is_named(tmp_path):
    done = glassroom_site("--out", tmp_path / "site", "1_memory/99_nothing")
    assert done.returncode == 2
    assert "1_memory/99_nothing" in done.stderr
    assert not list(tmp_path.iterdir())


def run_live(folder, code, stored):
    """The outputs of a notebook of one cell that has this text stored, after a run for the site."""
    from glassroom.site.live_notebooks import live_notebooks

    cell = {"cell_type": "code", "id": "one", "metadata": {}, "execution_count": 1, "source": code}
    output = {"output_type": "stream", "name": "stdout", "text": stored}
    notebook = {"cells": [{**cell, "outputs": [output]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "one.ipynb").write_text(json.dumps(notebook))
    live = live_notebooks(folder, [Path("one.ipynb")], folder / "cache", jobs=1)
    return live[Path("one.ipynb")]["cells"][0]["outputs"]


def test_a_notebook_that_says_something_else_than_is_stored_is_refused(tmp_path):
    from glassroom.workspace.problems import Problem

    with pytest.raises(Problem, match=r"one\.ipynb: cell 0: it says '2', and '3' is stored"):
        run_live(tmp_path, "print(1 + 1)", "3\n")


def test_a_translation_of_one_notebook_runs_no_other_anew_but_its_title_does(tmp_path):
    """A cached page of another language is built again after edits that may change it, and only then."""
    catalogue, exercises = tmp_path / "zh_CN" / "1_memory" / "01_one.po", tmp_path / "zh_CN" / "exercises.po"
    catalogue.parent.mkdir(parents=True)
    entries = '#. the title\nmsgctxt "notebook"\nmsgid "One"\nmsgstr "一"\n\nmsgctxt "c-1"\nmsgid "Two"\nmsgstr "二"\n'
    program = "import sys, pathlib; from glassroom.site.live_notebooks import digest_of as of; "
    program += "print(of([pathlib.Path(sys.argv[1])]))"

    def digest(titles, message):
        catalogue.write_text(titles, encoding="utf-8")
        exercises.write_text(f'msgid "Three"\nmsgstr "{message}"\n', encoding="utf-8")
        environment = {**os.environ, "GLASSROOM_LANG": "zh_CN"}
        return subprocess.check_output([sys.executable, "-c", program, tmp_path], env=environment)

    before = digest(entries, "三")
    assert digest(entries.replace("二", "两"), "三") == before
    assert digest(entries.replace("一", "壹"), "三") != before
    assert digest(entries, "叁") != before


def test_a_translation_of_what_a_notebooks_checks_say_runs_it_anew_but_no_other(tmp_path):
    folder = tmp_path / "xx"
    (folder / "1_memory").mkdir(parents=True)
    (folder / "language.json").write_text('{"name": "X", "released": false}')
    for name in ("01_one", "02_two"):
        cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": name}
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (tmp_path / "1_memory").mkdir(exist_ok=True)
        (tmp_path / "1_memory" / f"{name}.ipynb").write_text(json.dumps(notebook))
    program = """
import sys
from pathlib import Path
from glassroom.site import live_notebooks as live
live.run_live = lambda notebook, folder: print(notebook["cells"][0]["source"]) or notebook
for path in sorted(Path(sys.argv[1]).glob("1_memory/*.ipynb")):
    live.live_notebook(path, Path(sys.argv[1], "cache"), "")
"""

    def ran(said):
        entry = f'msgctxt "exercises/memory/nb01_one.py"\nmsgid "Right."\nmsgstr "{said}"\n'
        (folder / "1_memory" / "01_one.po").write_text(entry)
        environment = {**os.environ, "GLASSROOM_LANG": "xx", "GLASSROOM_TRANSLATIONS": str(tmp_path)}
        command = [sys.executable, "-c", program, tmp_path]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert ran("Yes.") == ["01_one", "02_two"]
    assert ran("Yes.") == []
    assert ran("Good.") == ["01_one"]


def test_a_change_of_one_notebooks_exercises_runs_no_other_anew_but_those_that_look_back(tmp_path, monkeypatch):
    from glassroom.site import live_notebooks as live

    ran: list[str] = []
    monkeypatch.setattr(live, "EXERCISES", tmp_path / "exercises")
    monkeypatch.setattr(live, "run_live", lambda notebook, folder: ran.append(notebook["cells"][0]["id"]) or notebook)
    codes = {"01_one": "check('one')", "02_two": "check('two')", "03_review": "read_again()"}
    for folder in ("exercises/memory", "1_memory"):
        (tmp_path / folder).mkdir(parents=True)
    for name, code in codes.items():
        cell = {"cell_type": "code", "id": name, "metadata": {}, "execution_count": 1, "outputs": [], "source": code}
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (tmp_path / "1_memory" / f"{name}.ipynb").write_text(json.dumps(notebook))

    def after(place, text):
        (tmp_path / "exercises" / place).write_text(text)
        ran.clear()
        code = live.digest_of([tmp_path])
        for name in codes:
            live.live_notebook(tmp_path / "1_memory" / f"{name}.ipynb", tmp_path / "cache", code)
        return list(ran)

    assert after("memory/nb01_one.py", "1") == list(codes)
    assert after("memory/nb01_one.py", "1") == []
    assert after("memory/nb01_one.py", "2") == ["01_one", "03_review"]
    assert after("engine.py", "3") == list(codes)


def test_what_a_cell_reveals_stands_in_one_card_whatever_it_prints_in_between(tmp_path):
    code = """\
from glassroom import predict
first, second = predict("first", value=1), predict("second", value=2)
first.reveal(value=1)
print("in between")
second.reveal(value=2)"""
    script = tmp_path / "one.py"
    script.write_text(code)
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert printed.index("in between") < printed.rindex("second")
    outputs = run_live(tmp_path, code, printed)
    cards = [output for output in outputs if "✓" in "".join(output.get("data", {}).get("text/plain", ""))]
    assert len(cards) == 1
    assert "second" in "".join(cards[0]["data"]["text/html"])
