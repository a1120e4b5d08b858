"""Running PyTorch programs unchanged: ``import torch`` and all its submodules are tensorglass.

`python -m tensorglass train.py` runs a program so, and ``%load_ext tensorglass.as_torch`` does it in a notebook. The
folder `on_path` is first on Python's path then, also in ``PYTHONPATH``, so that processes which the program starts find
it too. It holds a module `torch`, which calls `install`, and what `importlib.metadata` reads. Only in such
programs does the library report PyTorch's version, 2.13, which programs check.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import tensorglass
from tensorglass import version
from tensorglass.torch_version import TorchVersion

__all__ = ["ON_PATH", "VERSION", "install"]

ON_PATH = str(Path(__file__).with_name("on_path"))
VERSION = TorchVersion("2.13.0+tensorglass")


def install() -> None:
    """From now on ``import torch`` is tensorglass, here and in the processes that are started from here.

    ImportError if PyTorch itself is imported already.
    """
    there = sys.modules.get("torch")
    if there not in (None, tensorglass) and not str(getattr(there, "__file__", "")).startswith(ON_PATH):
        raise ImportError(
            "PyTorch is imported here already, so tensorglass cannot take its place. Start anew, and let tensorglass "
            "come first: in a notebook, restart the kernel and run %load_ext tensorglass.as_torch before any import.",
            name="torch",
        )
    sys.modules["torch"] = tensorglass
    # by these names libraries tell whose tensor it is (opt_einsum), and which module they may change (Pyro)
    tensorglass.Tensor.__module__ = tensorglass.__name__ = "torch"
    tensorglass.__version__ = version.__version__ = VERSION
    if ON_PATH not in sys.path:
        sys.path.insert(0, ON_PATH)
    os.environ["PYTHONPATH"] = with_on_path(os.environ.get("PYTHONPATH"))
    if os.environ.get("TENSORGLASS_REPORT"):
        from tensorglass.as_torch import report

        report.begin(os.environ["TENSORGLASS_REPORT"])


def with_on_path(python_path: str | None) -> str:
    """A value of ``PYTHONPATH`` with the folder first."""
    folders = python_path.split(os.pathsep) if python_path else []
    return os.pathsep.join([ON_PATH, *(folder for folder in folders if folder != ON_PATH)])


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext tensorglass.as_torch``."""
    install()
