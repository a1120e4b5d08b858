"""Kernels that are reached by sockets in a folder of their own, in place of ports.

Jupyter looks for five free ports for a kernel before it starts it, and the kernel takes them half a second later. Two
kernels that start at the same time can be given the same port: then one of them ends, or never answers.
"""

import os
import tempfile
from typing import Any


def reached_by_sockets(manager: Any, folder: str) -> Any:
    """Let the kernel that a `jupyter_client.KernelManager` has not started yet listen at sockets in a new folder within
    `folder`. It keeps its ports where ZeroMQ has no such sockets (Windows), or where the path is too long for them.
    """
    import zmq

    own = tempfile.mkdtemp(dir=folder)
    longest = os.path.join(own, "kernel-ipc-5")  # Jupyter's name for the last of the five
    if zmq.has("ipc") and len(os.fsencode(longest)) <= zmq.IPC_PATH_MAX_LEN:
        manager.transport = "ipc"
        manager.connection_file = os.path.join(own, "kernel.json")
    return manager
