"""What `attempt` says looks like what is printed, and what `read` shows is broken between words, at every width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser.jupyterlab import Lab, set_theme

CELLS = (
    "import tensorglass as torch\nfrom glassroom import attempt, read",
    "print('printed')\nwith attempt():\n    torch.arange(6).view(7)",
    "read('autograd.checks._slopes')",
)


@pytest.fixture(scope="module")
def opened(lab: Lab, chromium: Any) -> Iterator[Any]:
    lab.notebook("lines.ipynb", *CELLS)
    page, watch = lab.open(chromium, "lines.ipynb")
    lab.run_all(page)
    page.get_by_text("RuntimeError: shape '[7]' is invalid").wait_for()
    page.get_by_text("_slopes, in tensorglass/autograd/checks.py").wait_for()
    yield page, watch
    assert (watch.errors, watch.from_elsewhere) == ([], [])
    page.close()


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_what_an_attempt_says_stands_and_looks_like_a_printed_line(page: Any, theme: str) -> None:
    set_theme(page, theme)
    printed, said = page.locator(".jp-CodeCell:nth-child(2) .jp-OutputArea-output pre").evaluate_all(
        """lines => lines.map(line => {
            const letters = document.createRange(), look = getComputedStyle(line);
            letters.selectNodeContents(line);
            const [place] = letters.getClientRects();
            return [place.left, place.height, look.fontSize, look.lineHeight, look.fontFamily, look.color];
        })"""
    )
    assert printed == said


@pytest.mark.parametrize("width", [1280, 1000, 900, 800])
def test_lines_of_the_library_are_broken_between_words(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 1000})
    page.wait_for_function(
        "width => document.querySelector('.jp-Notebook').getBoundingClientRect().right <= width", arg=width
    )
    broken = page.locator(".jp-CodeCell:nth-child(3) .jp-OutputArea-output pre").evaluate(
        """pre => {
            const all = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), letters = document.createRange();
            const broken = [];
            while (all.nextNode())
                for (const word of all.currentNode.data.matchAll(/\\w+/g)) {
                    letters.setStart(all.currentNode, word.index);
                    letters.setEnd(all.currentNode, word.index + word[0].length);
                    if (new Set([...letters.getClientRects()].map((place) => place.top)).size > 1) broken.push(word[0]);
                }
            return broken;
        }"""
    )
    assert broken == []
