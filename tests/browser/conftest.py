"""One JupyterLab and one Chromium for all browser tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import CHROMIUM, Lab, running_lab


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder, with a word, where there is no Chromium."""
    here = Path(__file__).parent
    for item in items:
        if here not in Path(item.path).parents:
            continue
        if CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason="no Chromium on this machine: apt-get install chromium"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pytorch() -> Any:
    """Real PyTorch, whose tensors some pages show."""
    return pytest.importorskip("torch", reason="real PyTorch is not installed (extra: parity)")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture
def page(opened: Any) -> Any:
    """The page that a module has `opened`, with the pointer out of the way and nothing in focus."""
    page = opened[0]
    page.mouse.move(2, 2)
    page.evaluate("document.activeElement.blur()")
    return page
