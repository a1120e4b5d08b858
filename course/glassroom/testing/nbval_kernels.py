"""A pytest plugin that gives nbval's kernels sockets in place of ports, so that several can start at the same time:
``pytest -n 4 --nbval -p glassroom.testing.nbval_kernels``. `reached_by_sockets` says why.
"""

import tempfile

import pytest
from jupyter_client.manager import KernelManager
from nbval import kernel

from glassroom.workspace.kernel_sockets import reached_by_sockets

FOLDER = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    folder = config.stash[FOLDER] = tempfile.TemporaryDirectory(prefix="kernels-")
    # nbval has no setting for it.
    kernel.KernelManager = lambda **arguments: reached_by_sockets(KernelManager(**arguments), folder.name)


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[FOLDER].cleanup()
