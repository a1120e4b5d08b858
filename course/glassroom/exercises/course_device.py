"""`course_device(torch)`: the device on which a notebook computes when it is about devices.

The notebook names no device. The learner chooses one, with ``glassroom lab --device``, which sets an environment
variable for the kernels that JupyterLab starts.
"""

from __future__ import annotations

import os
from types import ModuleType

CHOICE = "GLASSROOM_DEVICE"
DEVICES = ("cuda", "sim", "cpu")


def course_device(torch: ModuleType) -> str:
    """The type of the device to use with this library, tensorglass or PyTorch: "sim", "cuda" or "cpu".

    It is the simulated accelerator unless ``glassroom lab --device`` or the variable GLASSROOM_DEVICE says otherwise,
    and the CPU if the library has no simulated one, as PyTorch has not. Raises RuntimeError if CUDA was chosen but is
    not available.
    """
    chosen = os.environ.get(CHOICE) or "sim"
    if chosen not in DEVICES:
        raise ValueError(f"{CHOICE} is {chosen!r}; it may be {', '.join(DEVICES)}")
    if chosen == "cuda" and not torch.cuda.is_available():
        raise RuntimeError(
            f"{CHOICE} asks for cuda, and there is no CUDA device that {torch.__name__} can use here. "
            "Take the variable away, or start the course with `glassroom lab --device sim`."
        )
    return "cpu" if chosen == "sim" and not hasattr(torch, "sim") else chosen
