"""Running a notebook from top to bottom in a fresh kernel, for `glassroom refresh` and the tests."""

import asyncio
import atexit
import os
import signal
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from textwrap import shorten
from typing import IO, Any

from glassroom.workspace.kernel_sockets import reached_by_sockets
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, serialise
from glassroom.workspace.problems import Exit, Problem

CELL_SECONDS = 60


class CellFailed(Exception):
    """A cell raised, hung, or took its kernel with it. `cell` is its index in the notebook."""

    def __init__(self, cell: int, reason: str) -> None:
        super().__init__(f"cell {cell}: {reason}")
        self.cell = cell


def execute(
    notebook: Notebook,
    folder: Path,
    timeout: float = CELL_SECONDS,
    allow_errors: bool = False,
    stop: Callable[[], bool] = lambda: False,
    watched: bool = False,
) -> Notebook:
    """Run every cell of a notebook in a fresh kernel with the working directory `folder`, and return the notebook with
    its outputs. If `watched`, the cells run as if a person saw them, and inspectors add their live forms to their
    outputs. Raises `CellFailed` at the first cell that raises (unless it is tagged ``raises-exception``, or
    `allow_errors` is set), that runs longer than `timeout` seconds, that ends the kernel, or that would begin after
    `stop()` became true; `DamagedNotebook` for a notebook that no kernel can run; `Problem` if no kernel starts.
    """
    import nbformat
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    minor = notebook.get("nbformat_minor")
    if type(minor) is not int:
        raise DamagedNotebook("its nbformat_minor is not a number")
    try:
        nbformat.validate(notebook, version=4, version_minor=minor)
        node = nbformat.reads(serialise(notebook).decode(), as_version=4)
    except nbformat.ValidationError as error:
        raise DamagedNotebook(shorten(error.message, 200)) from error
    except RecursionError as error:
        raise DamagedNotebook("it is nested too deeply to be a notebook") from error
    for cell in node.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    current = 0

    def starting(cell: object, cell_index: int) -> None:
        nonlocal current
        current = cell_index
        if stop():
            raise CellFailed(current, "it was interrupted before this cell")

    class Client(NotebookClient):
        def create_kernel_manager(self) -> Any:
            return reached_by_sockets(super().create_kernel_manager(), sockets)

        @asynccontextmanager
        async def async_setup_kernel(self, **arguments: Any) -> AsyncIterator[None]:
            with _signal_handlers_kept(asyncio.get_running_loop()):
                async with super().async_setup_kernel(**arguments):
                    yield

        async def async_start_new_kernel_client(self) -> Any:
            kernel = await super().async_start_new_kernel_client()
            kernel.allow_stdin = watched  # `somebody_watches` looks at this
            return kernel

    client = Client(
        node,
        timeout=timeout,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        allow_errors=allow_errors,
        on_cell_start=starting,
        extra_arguments=["--Application.log_level=ERROR"],  # no warnings in the middle of a progress bar
    )
    # Without bytecode, each kernel would compile all of our modules.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    last_words = ""
    try:
        with (
            tempfile.TemporaryDirectory(prefix="kernel-", ignore_cleanup_errors=True) as sockets,
            tempfile.TemporaryFile() as complaints,  # not the terminal: a kernel that cannot start prints a traceback
        ):
            try:
                client.execute(env=environment, stderr=complaints)
            except RuntimeError:
                atexit.unregister(client._cleanup_kernel)  # without a kernel it raises, at the end of the process
                last_words = _last_line(complaints)
                raise
    except CellExecutionError as error:
        raise CellFailed(current, f"{error.ename}: {error.evalue}") from error
    except CellTimeoutError as error:
        raise CellFailed(current, f"it ran for more than {timeout:g} seconds") from error
    except DeadKernelError as error:
        raise CellFailed(current, "it ended the kernel") from error
    except (NoSuchKernel, OSError, RuntimeError) as error:
        reason = ": ".join(filter(None, (" ".join(str(error).split()), last_words)))
        raise Problem(f"No kernel can be started ({reason}). glassroom doctor says why.", Exit.REQUIREMENT) from error
    return node


@contextmanager
def _signal_handlers_kept(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Put the handlers of SIGINT and SIGTERM back at the end. nbclient handles both while a notebook runs. Afterwards
    it sets Python's defaults; where no kernel starts, it leaves its own, and Ctrl-C would do nothing from then on.
    """
    if threading.current_thread() is not threading.main_thread():  # nbclient can set no handlers there
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            with suppress(NotImplementedError):  # on Windows, where nbclient sets none either
                loop.remove_signal_handler(number)
            if handler is not None:  # None stands for a handler that is not Python's
                signal.signal(number, handler)


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    lines = file.read().decode(errors="replace").split("\n")
    return shorten(next((line for line in reversed(lines) if line.strip()), ""), 200)
