"""Kernels for the notebooks' tests in which everything is imported already.

Most of the time until a notebook's second cell is spent on importing IPython, PyTorch and our packages, again for each
notebook. Here one process imports them, in the language of its environment, and forks a child for each kernel. In the
layer `outputs` every notebook has a kernel that was started as a learner's is.

    python warm_kernels.py serve SOCKET [MODULE …]      imports the modules, then forks
    python warm_kernels.py start SOCKET FILE            what Jupyter starts: asks for a kernel, and lasts as long as it
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

#: What ipykernel imports when it starts, the widgets that glassroom draws with, what notebooks plot and read with, and
#: the course's packages.
ALWAYS = (
    "ipykernel.kernelapp", "ipykernel.ipkernel", "IPython.core.completer", "anywidget", "numpy",
    "matplotlib.pyplot", "sklearn.datasets", "tensorglass", "glassroom",
)  # fmt: skip


@contextmanager
def warm_kernels(*modules: str) -> Iterator[str]:
    """A folder for `JUPYTER_PATH`: with it, the kernel `python3` is forked from a process that has these modules."""
    with TemporaryDirectory() as folder:
        place = os.path.join(folder, "socket")
        this = [sys.executable, __file__]
        spec = Path(folder, "kernels", "python3", "kernel.json")
        spec.parent.mkdir(parents=True)
        argv = [*this, "start", place, "{connection_file}"]
        spec.write_text(json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}))
        with subprocess.Popen([*this, "serve", place, *modules], stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                assert server.stdout.readline() == "ready\n"
                yield folder
            finally:
                server.kill()  # kernels that are left notice it within a second


def serve(place: str, *modules: str) -> None:
    """Fork a kernel for each process that asks for one."""
    # What ipykernel says before a plot is imported, and what a notebook says that gives tensors to SciPy.
    os.environ |= {"MPLBACKEND": "module://matplotlib_inline.backend_inline", "SCIPY_ARRAY_API": "1"}
    for module in (*ALWAYS, *modules):
        import_module(module)
    gc.collect()
    gc.freeze()  # a collection in a kernel would visit, and so copy, the pages of all these modules
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen()
    print("ready", flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no kernel is waited for
    while True:
        asking = listening.accept()[0]
        if os.fork() == 0:
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            be_a_kernel(asking)
        asking.close()


def be_a_kernel(asking: socket.socket) -> None:
    """Run a kernel, in place of the process that asks for it. It ends when the connection to that process ends."""
    wanted = json.loads(asking.makefile().readline())
    os.environ.clear()
    os.environ.update(wanted["environment"], JPY_PARENT_PID=str(os.getppid()))
    os.chdir(wanted["folder"])
    sys.argv[:] = ["ipykernel_launcher", "-f", *wanted["arguments"]]
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
    sys.exit()


def start(place: str, *arguments: str) -> None:
    """Ask for a kernel with our folder and environment, and wait for its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Jupyter interrupts before it ends a kernel
    asking = socket.socket(socket.AF_UNIX)
    asking.connect(place)
    wanted = {"environment": dict(os.environ), "folder": os.getcwd(), "arguments": arguments}
    asking.sendall(json.dumps(wanted).encode() + b"\n")
    asking.recv(1)


if __name__ == "__main__":
    del sys.path[0]  # this folder is no notebook's
    {"serve": serve, "start": start}[sys.argv[1]](*sys.argv[2:])
