"""What the README promises: its examples print what it says, and CI runs the very command that it shows."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from glassroom.translations.checking import with_english_numbers
from glassroom.translations.language import languages

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()


def test_the_tour_prints_what_the_readme_says():
    pairs = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", README, re.DOTALL)
    assert pairs
    for code, printed in pairs:
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert said.stdout == printed, said.stderr


def test_ci_runs_the_test_command_that_the_readme_shows():
    said = subprocess.run(["bash", ROOT / ".ci" / "run", "--show"], capture_output=True, text=True, check=True)
    command = said.stdout.strip()
    assert command.endswith("glassroom test")
    assert f"\n{command}\n" in README


PICTURES = re.compile(r'src(?:set)?="([^"]+)"')
BLOCKS = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
#: Each translated page: the language, the English page, and the translation.
TRANSLATED = [
    (language, english, translated)
    for language in languages().values()
    for english, translated in (
        ("README.md", f"README.{language.code.replace('_', '-')}.md"),
        *((f"docs/{page.name}", f"docs/{language.code}/{page.name}") for page in sorted(DOCS.glob("*.md"))),
    )
    if (ROOT / translated).is_file()
]
PAGES = list(dict.fromkeys(["CONTRIBUTING.md", *(page for _, *pair in TRANSLATED for page in pair)]))
PAGES += sorted({f"docs/{page.name}" for page in DOCS.glob("*.md")} - set(PAGES))


def test_pages_are_there_in_chinese():
    assert len(TRANSLATED) >= 5


@pytest.mark.parametrize(("language", "page", "other"), TRANSLATED)
def test_a_translated_page_has_the_code_headings_tables_and_links_of_the_english_one(language, page, other):
    english, translated = ROOT / page, ROOT / other
    assert BLOCKS.findall(translated.read_text()) == BLOCKS.findall(english.read_text())
    assert form(translated) == form(english)
    assert links(translated) >= links(english)
    told = numbers(english.read_text())
    assert numbers(translated.read_text(), told) >= told  # seven billion are 70 亿
    if language.released:
        assert f"[{language.name}]({translated.relative_to(english.parent)})" in english.read_text().splitlines()[0]
    assert f"[English]({os.path.relpath(english, translated.parent)})" in translated.read_text().splitlines()[0]


def form(page):
    """The beginnings of a page's headings and items, and the number of cells in each row of its tables."""
    return re.findall(r"^#+ |^- |^\*\*\d\.", BLOCKS.sub("", page.read_text()), re.MULTILINE), [
        line.count("|") for line in page.read_text().splitlines() if line.startswith("|")
    ]


def links(page):
    """How often a page links to each file or address, and shows each picture, less the first line's link."""
    text = BLOCKS.sub("", page.read_text()).partition("\n")[2]
    links = re.findall(r"\]\(([^)#]+)", text) + PICTURES.findall(text)
    return Counter(link if "://" in link else in_english(page.parent / link) for link in links)


def numbers(text, english=()):
    """How often a page says each number; those that are in the English page may be written as its language does."""
    text = re.sub(r"\]\([^)]*\)", "", BLOCKS.sub("", text))
    return Counter(re.findall(r"\d[\d,.]*\d|\d", with_english_numbers(text, english)))


def test_a_page_writes_numbers_as_its_language_does():
    told = numbers("It runs 1,500 programs: 98.1 % agree, 3 differ.")
    for other in (
        "1\u202f500 programmes, 98,1 %, 3 autres",
        "1.500 Programme, 98,1 %, 3 andere",
        "1,500 個, 98.1 %、3",
    ):
        assert numbers(other, told) == told
    assert not numbers("1 500 programmes, 97,1 %, 3 autres", told) >= told


def in_english(path):
    return re.sub(rf"^docs/({'|'.join(languages())})/", "docs/", os.path.relpath(path, ROOT))


@pytest.mark.parametrize("page", [other for _, _, other in TRANSLATED])
def test_a_heading_that_a_translated_page_links_to_exists(page):
    text = BLOCKS.sub("", (ROOT / page).read_text())
    for file, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", text):
        headings = re.findall(r"^#+ (.+)$", ((ROOT / page).parent / file).read_text(), re.MULTILINE)
        assert anchor in [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_links_to_exists(page):
    text, folder = (ROOT / page).read_text(), (ROOT / page).parent
    text = BLOCKS.sub("", text)  # `layers[0](batch)` is no link
    targets = re.findall(r"\]\(([^)#]+)\)", text) + PICTURES.findall(text)
    missing = [target for target in targets if "://" not in target and not (folder / target).exists()]
    assert missing == []


LAYERS = ("array_api", "browser", "course", "geometry", "library", "notebooks", "parity")


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """What pytest says of these layers' tests where PyTorch is not installed: the test command installs none."""
    folder = tmp_path_factory.mktemp("without-pytorch")
    (folder / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:nbval"]
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [*command, *(f"tests/{layer}" for layer in LAYERS)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS)
def test_no_layer_wants_pytorch_to_be_collected(layer, collected):
    lines = collected.splitlines()
    assert bool([line for line in lines if line.startswith(f"tests/{layer}/")]) is (layer != "parity")
    assert [line for line in lines if line.startswith(f"ERROR tests/{layer}/")] == []
    assert "error" not in lines[-1].lower()
