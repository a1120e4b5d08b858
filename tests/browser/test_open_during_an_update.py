"""A notebook that is open in JupyterLab, with work that has not been saved, while the course is brought up to date."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import Lab

from glassroom.workspace.learner_folder import update

NAME = "1_memory/01_a.ipynb"


def _write(sources: Path, version: int) -> None:
    """A course of one notebook, in which a text changes and a question does not."""
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "text", "metadata": {}, "source": f"# A title\n\nversion {version}"},
        {
            "cell_type": "code",
            "id": "question",
            "metadata": {},
            "source": "x = ...",
            "outputs": [],
            "execution_count": None,
        },
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path = sources / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))


@pytest.mark.sweep
@pytest.mark.parametrize("choice", ["Overwrite", "Revert"])
def test_neither_unsaved_work_nor_the_new_version_is_lost(chromium: Any, lab: Lab, tmp_path: Path, choice: str) -> None:
    sources, folder = tmp_path / "sources", lab.folder / f"copy-{choice}"
    _write(sources, 1)
    update(folder, sources)
    page, _ = lab.open(chromium, f"copy-{choice}/{NAME}")
    write = "jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.setSource"
    page.evaluate(f"{write}('x = 1  # saved')")
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    page.evaluate(f"{write}('x = 2  # not saved')")
    time.sleep(1)  # JupyterLab takes changes within half a second for its own
    _write(sources, 2)
    assert not update(folder, sources).beside
    path = folder / NAME
    assert "version 2" in path.read_text()
    assert "x = 1  # saved" in path.read_text()
    page.evaluate("void jupyterapp.commands.execute('docmanager:save')")
    page.locator(".jp-Dialog", has_text="changed on disk").wait_for()
    page.locator(".jp-Dialog-button", has_text=choice).click()
    if choice == "Overwrite":
        until = time.monotonic() + 60
        while "not saved" not in path.read_text() and time.monotonic() < until:
            time.sleep(0.1)
        assert "version 1" in path.read_text()
        assert not update(folder, sources).beside
        assert "x = 2  # not saved" in path.read_text()
    else:
        page.locator(".jp-Notebook", has_text="version 2").wait_for()
        assert "x = 1  # saved" in page.evaluate(
            "jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.source"
        )
    assert "version 2" in path.read_text()
    page.close()
