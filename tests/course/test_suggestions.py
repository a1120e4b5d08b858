"""Misspelt attributes of tensors, in a notebook."""

from __future__ import annotations

import subprocess
import sys

BEGIN = "import tensorglass as torch\nfrom glassroom import show, watch\nx = torch.zeros(2, 3)\n"


def said(code: str) -> str:
    """What IPython prints to stderr when `code` is run as a cell; tracebacks go to stdout."""
    command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=nocolor", "-c", BEGIN + code]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_what_is_close_to_a_slip_is_said_once() -> None:
    told = said("x.reshap(3, 2)")
    assert told.startswith("PyTorch has no such name either. Did you mean reshape")
    assert told.count("\n") == 1
    assert "There is torch.einsum" in said("x.einsum('ij->ji')")


def test_of_all_other_errors_and_cells_nothing_is_said() -> None:
    for code in ("x + 1", "'text'.reshap()", "x.to_sparse()"):
        assert said(code) == ""
