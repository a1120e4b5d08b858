"""Where a notebook can be worked on without installing anything: copies for Colab, and the addresses of Colab and
Binder.

Colab opens notebooks of repositories. `deploy/site.yml` puts the copies that a site has into the branch `colab` of the
course's own, and Binder reads `.binder/` in its branch `main`.
"""

from __future__ import annotations

from html import escape
from pathlib import Path, PurePosixPath

from glassroom.translations import language
from glassroom.translations.templates import as_is, word
from glassroom.workspace.notebook_json import Notebook, lines, serialise
from glassroom.workspace.without_solutions import learner_copy

REPOSITORY = "tensorglass/tensorglass"
COLAB = f"https://colab.research.google.com/github/{REPOSITORY}/blob/colab"
BINDER = f"https://mybinder.org/v2/gh/{REPOSITORY}/main?urlpath=lab/tree/glassroom-course"
FOLDER = "colab"  # in the site
#: Colab has NumPy, matplotlib, ipywidgets and scikit-learn, in versions of its own that stay as they are.
INSTALLED = as_is(f'%pip install --quiet "tensorglass[inspect] @ git+https://github.com/{REPOSITORY}"')


def colab_copy(notebook: Notebook) -> Notebook:
    """The learner's copy of a notebook, whose first cell installs the packages."""
    copy = learner_copy(notebook)
    code = [word("# Colab has much of what the course needs. This installs the rest."), INSTALLED]
    if language.speaking() != language.ENGLISH:
        code.append(f"%env {language.VARIABLE}={language.speaking()}")
    cell: Notebook = {"cell_type": "code", "id": "install", "metadata": {}, "execution_count": None, "outputs": []}
    copy["cells"].insert(0, {**cell, "source": lines("\n".join(code))})
    return copy


def write_colab_copy(notebook: Notebook, folder: Path, place: PurePosixPath) -> None:
    """Write the copy of the notebook at `place` into the folder of copies."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(serialise(colab_copy(notebook)))


def links(place: PurePosixPath) -> str:
    """What leads from a notebook's page to Colab and, as only the English course is there, to Binder, as HTML."""
    spoken = language.speaking()
    if spoken == language.ENGLISH:
        addresses = {word("Open in Colab"): f"{COLAB}/{place}", word("Open in Binder"): f"{BINDER}/{place}"}
    else:
        addresses = {word("Open in Colab"): f"{COLAB}/{language.folder_of(spoken)}/{place}"}
    told = " ".join(f'<a href="{escape(address)}">{escape(name)}</a>' for name, address in addresses.items())
    return f'<p class="elsewhere">{told}</p>'
