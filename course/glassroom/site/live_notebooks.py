"""Notebooks with live inspectors in their outputs: each is run once, and kept until it or our code changes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import zip_longest
from pathlib import Path

from glassroom import exercises
from glassroom.exercises.cards.card import PREDICTIONS
from glassroom.translations.catalogue import read
from glassroom.translations.language import ENGLISH, catalogues_spoken, speaking
from glassroom.translations.notebooks import ABOUT
from glassroom.workspace.contents import PARTS
from glassroom.workspace.execution import CELL_SECONDS, CellFailed, execute
from glassroom.workspace.normalize import normalized
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, parse, serialise, source
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.whole_files import write_atomically

WIDGET = "application/vnd.jupyter.widget-view+json"
CODE = (".py", ".js", ".css", ".json", ".mplstyle", ".txt")
EXERCISES = Path(exercises.__path__[0])
LOOKS_BACK = re.compile(r"\b(progress|read_again)\(")
NEVER_RUN = ("site", "cli", "classroom", "notebooks")  # by a notebook that is run for the site


def default_cache() -> Path:
    """Where the outputs of notebooks are kept between builds."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "glassroom" / "site"


def live_notebooks(
    folder: Path, places: Sequence[Path], cache: Path, jobs: int, done: Callable[[], object] = lambda: None
) -> Mapping[Path, Notebook]:
    """The notebooks at these places under `folder`, with live outputs.

    Raises `Problem`, which names all of them, if notebooks cannot be run or their outputs differ from the stored ones.
    """
    code = digest_of_our_code()
    failures: list[str] = []

    def made(place: Path) -> Notebook | None:
        try:
            return live_notebook(folder / place, cache, code)
        except (CellFailed, DamagedNotebook, OSError) as error:
            failures.append(f"{place}: {error}")
            return None
        finally:
            done()

    with ThreadPoolExecutor(jobs) as pool:
        live = dict(zip(places, pool.map(made, places), strict=True))
    if failures:
        raise Problem(
            f"Nothing was published. {'; '.join(sorted(failures))}. See what `glassroom refresh --check` says.",
            Exit.FAILED,
        )
    return {place: notebook for place, notebook in live.items() if notebook is not None}


def live_notebook(path: Path, cache: Path, code: str, compared: bool = True) -> Notebook:
    """The notebook at `path` with live outputs, run where it lies, or from the cache; `code` is `digest_of_our_code()`.

    Raises `DamagedNotebook`, and `CellFailed` for a cell that fails or, if `compared`, whose output differs from the
    stored one.
    """
    stored_bytes = path.read_bytes()
    stored = parse(stored_bytes)
    own = f"{_own_translations(path)}{_own_exercises(path, stored)}"
    which = f"{code}{speaking()}{own}{'' if compared else 'uncompared'}"
    kept = cache / f"{hashlib.sha256(stored_bytes + which.encode()).hexdigest()}.ipynb"
    try:
        return parse(kept.read_bytes())
    except (OSError, DamagedNotebook):
        live = run_live(stored, path.parent)
    # Stored outputs are English; tests compare those in other languages.
    difference = _difference(stored, live) if compared and speaking() == ENGLISH else None
    if difference:
        raise CellFailed(*difference)
    write_atomically(kept, serialise(live))
    return live


def run_live(notebook: Notebook, folder: Path) -> Notebook:
    """A notebook with live outputs, run in a folder. Raises `CellFailed`, `DamagedNotebook` and `Problem`."""
    return normalized(_without_widgets(execute(notebook, folder, CELL_SECONDS * 5, watched=True)))


def _without_widgets(notebook: Notebook) -> Notebook:
    """The notebook without buttons that only a kernel would answer."""
    for cell in notebook["cells"]:
        if "outputs" in cell:
            cell["outputs"] = [output for output in cell["outputs"] if WIDGET not in output.get("data", {})]
    return notebook


def _difference(stored: Notebook, live: Notebook) -> tuple[int, str] | None:
    """The first cell whose output differs from the stored one: its number, and both lines.

    What a cell reveals stands in one card on a page, and line by line in between in what is stored: such a cell's lines
    may have another order.
    """
    for number, (before, after) in enumerate(zip(stored["cells"], live["cells"], strict=True)):
        has_card = any(PREDICTIONS in output.get("data", {}) for output in after.get("outputs", []))
        in_order = sorted if has_card else list
        for old, new in zip_longest(in_order(said(before)), in_order(said(after))):
            if old != new:
                return number, f"it says {new!r}, and {old!r} is stored"
    return None


def said(cell: Notebook) -> list[str]:
    """The non-empty lines of text in a cell's outputs; empty ones differ between cards and printed text."""
    lines: list[str] = []
    for output in cell.get("outputs", []):
        if "data" in output:
            text = source({"source": output["data"].get("text/plain", "")})
        elif "text" in output:
            text = source({"source": output["text"]})
        else:
            text = f"{output['ename']}: {output['evalue']}"
        lines += [line for line in text.splitlines() if line.strip()]
    return lines


def digest_of_our_code() -> str:
    """A digest of all files of tensorglass and glassroom that a notebook may run."""
    from importlib.util import find_spec

    specs = (find_spec(package) for package in ("tensorglass", "glassroom"))
    return digest_of(Path(spec.origin).parent for spec in specs if spec is not None and spec.origin is not None)


def digest_of(packages: Iterable[Path]) -> str:
    """A digest of the files under these folders that a notebook in this process's language may run.

    Of the catalogues of notebooks only titles count, which notes under errors name; notebooks' exercises do not.
    """
    digest = hashlib.sha256()
    for root in packages:
        for path in sorted(filter(partial(_may_run, root), root.rglob("*"))):
            content = path.read_bytes()
            if path.suffix == ".po":
                only = ABOUT if path.parent.name in PARTS else ""
                content = repr(_translations(path, only)).encode()
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + content)
    return digest.hexdigest()


def _own_translations(path: Path) -> str:
    """A notebook's own translations, in which its checks speak; "" in English."""
    folder = catalogues_spoken()
    return repr(_translations(folder / path.parent.name / f"{path.stem}.po")) if folder else ""


def _own_exercises(path: Path, notebook: Notebook) -> str:
    """What declares a notebook's exercises, by digest; those of all notebooks if it tells how far a learner is."""
    code = "\n".join(source(cell) for cell in notebook["cells"] if cell["cell_type"] == "code")
    modules = sorted(EXERCISES.glob(f"*/nb{'*' if LOOKS_BACK.search(code) else path.stem}.py"))
    return hashlib.sha256(b"\0".join(module.read_bytes() for module in modules)).hexdigest()


def _translations(catalogue: Path, only: str = "") -> list[tuple[tuple[str, str], str]]:
    """The entries of a catalogue that a running notebook may say; with `only`, those of this context."""

    def counts(context: str) -> bool:
        return context == only if only else context.partition("/")[0] not in NEVER_RUN

    return sorted((key, said) for key, said in read(catalogue).items() if counts(key[0]))


def _may_run(root: Path, path: Path) -> bool:
    first = path.relative_to(root).parts[0]
    suffixes = CODE if speaking() == ENGLISH else (*CODE, ".po")
    is_of_one_notebook = first == "exercises" and path.parent != root / first and path.name.startswith("nb")
    return path.suffix in suffixes and first not in NEVER_RUN and not is_of_one_notebook and path.is_file()
