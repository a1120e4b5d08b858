"""Notebooks in Pyodide, cell by cell: what a reader sees is what is stored."""

import os
from typing import Any

import pytest
from stored_notebooks import NOTEBOOKS

#: What needs processes, bytes of a dtype that Pyodide has no package for, or a newer NumPy than Pyodide has.
NOT_THERE = {
    "1_memory/09_the_storage_object.ipynb": "bfloat16 needs ml_dtypes",
    "2_tensors/02_creating_tensors.ipynb": "NumPy's own integers have 32 bits",
    "2_tensors/04_dtypes_and_conversion.ipynb": "bfloat16 needs ml_dtypes",
    "2_tensors/12_numpy_shares_memory.ipynb": "bfloat16 needs ml_dtypes",
    "2_tensors/13_one_memory_many_libraries.ipynb": "NumPy 2.0 reads DLPack's memory only",
    "2_tensors/18_sharing_between_processes.ipynb": "processes",
    "2_tensors/21_a_photograph_in_sixteen_colors.ipynb": "sums of float32 are added up in another order",
    "5_networks/04_from_file_to_device.ipynb": "processes",
    "5_networks/10_half_the_bytes_two_devices.ipynb": "bfloat16 needs ml_dtypes, and mpiexec processes",
    "5_networks/11_a_header_without_a_storage.ipynb": "no array, not even one without memory, has 2**31 bytes",
    "5_networks/13_review_networks.ipynb": "bfloat16 needs ml_dtypes",
}
#: Run by every test run, since all of them take ten minutes: WASM_NOTEBOOKS=all runs the others too.
ALWAYS = (
    "1_memory/00_start_here.ipynb",
    "1_memory/02_views_share_a_storage.ipynb",
    "1_memory/04_advanced_indexing_copies.ipynb",
    "1_memory/07_view_or_reshape.ipynb",
    "2_tensors/08_reductions_and_dimensions.ipynb",
    "2_tensors/14_saving_and_loading.ipynb",
    "3_autograd/06_in_place_and_versions.ipynb",
    "3_autograd/10_an_engine_in_60_lines.ipynb",
    "4_extensions/04_higher_order_derivatives.ipynb",
)
ALL = [place for place in NOTEBOOKS if place not in NOT_THERE]
ASKED_FOR_ALL = os.environ.get("WASM_NOTEBOOKS") == "all"
CHOSEN = ALL if ASKED_FOR_ALL else ALWAYS
DECLARED = list(NOT_THERE) if ASKED_FOR_ALL else ["1_memory/09_the_storage_object.ipynb"]


def seen(outputs: list[dict[str, Any]]) -> list[str]:
    """What a reader sees: streams joined, results as text and picture, errors by class and message."""
    texts: list[str] = []
    stream = None
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            text = "".join(output["text"])
            if stream == output["name"]:
                texts[-1] += text
            else:
                texts.append(text)
        elif kind == "error":
            texts.append(f"{output['ename']}: {output['evalue']}")
        else:
            data = output["data"]
            texts += ["".join(data[mime]) for mime in ("text/plain", "image/svg+xml") if mime in data]
        stream = output.get("name") if kind == "stream" else None
    return [line.rstrip() for text in texts for line in text.splitlines()]


def differing(place: str, lines: list[Any]) -> list[str]:
    """The cells of a run that show something else than is stored."""
    stored = {cell["id"]: cell["outputs"] for cell in NOTEBOOKS[place]["cells"] if cell["cell_type"] == "code"}
    ran = {line["id"]: line["outputs"] for line in lines}
    return [cell for cell, outputs in stored.items() if cell not in ran or seen(ran[cell]) != seen(outputs)]


@pytest.mark.sweep
@pytest.mark.parametrize("place", CHOSEN)
def test_a_notebook_shows_in_the_browser_what_is_stored_within_a_minute_of_the_processor(in_pyodide, place):
    lines = in_pyodide("notebook_cells.py", place)
    assert differing(place, lines) == []
    assert sum(line["seconds"] for line in lines) < 60


@pytest.mark.parametrize("place", DECLARED)
def test_a_notebook_that_is_declared_to_differ_does(in_pyodide, place):
    assert differing(place, in_pyodide("notebook_cells.py", place))
