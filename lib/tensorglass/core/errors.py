"""How errors teach.

The first line of every error is PyTorch's own message with the real numbers, because people paste it into a search
box. What PyTorch leaves out (which dimension, why, what to write instead, where the course explains it) follows as
notes, which Python prints below the message and which `str(error)` leaves alone.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, TypeVar

E = TypeVar("E", bound=BaseException)


class OutOfMemoryError(RuntimeError):
    """A device has no room for a tensor; PyTorch's ``torch.OutOfMemoryError``."""


class _LinAlgError(RuntimeError):
    """A matrix has no inverse, or not the factors that were asked for; PyTorch's ``torch.linalg.LinAlgError``."""


LinAlgError = _LinAlgError  # PyTorch shows it by the other name


class MixedMemory(TypeError):
    """A kernel met arrays in two memories. The operator turns it into PyTorch's error."""


class GradcheckError(RuntimeError):
    """A gradient is not what finite differences of the function say; ``torch.autograd.gradcheck.GradcheckError``."""


def explained(error: E, *notes: str, notebook: str | None = None) -> E:
    """Return `error` with teaching notes added, ready to be raised.

    `notebook` names the notebook of the course that explains the matter, as "07 view or reshape".
    """
    for note in notes:
        error.add_note(note)
    if notebook is not None:
        error.add_note(f"The course explains it: notebook {notebook}.")
    return error


def old_type_name(tensor: Any) -> str:
    """The name that PyTorch's older messages give to a tensor's type: torch.FloatTensor, and CPUBoolType for dtypes
    that came after such names.
    """
    scalar_type = tensor._dtype.scalar_type
    if scalar_type in ("Bool", "BFloat16", "ComplexFloat", "ComplexDouble", "UInt16", "UInt32", "UInt64"):
        return f"{tensor._storage.device.type.upper()}{scalar_type}Type"
    return f"torch.{scalar_type}Tensor" if tensor.is_cpu else f"torch.{tensor._storage.device.type}.{scalar_type}Tensor"


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Give a warning that points at the user's line: the nearest one outside this library."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tensorglass"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
