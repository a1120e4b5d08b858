"""Errors, with notes that teach.

The first line of every error is PyTorch's own message with the real numbers, because people paste it into a search
box. What PyTorch leaves out (which dimension, why, what to write instead, where the course explains it) follows as
notes, which Python prints below the message and which `str(error)` leaves alone.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

E = TypeVar("E", bound=BaseException)

_said: list[Callable[[str], str]] = [str]  # how notes are worded: in English, or translated


class OutOfMemoryError(RuntimeError):
    """A device has no room for a tensor; PyTorch's ``torch.OutOfMemoryError``."""


class _LinAlgError(RuntimeError):
    """A matrix is singular, or a factorization of it does not exist; PyTorch's ``torch.linalg.LinAlgError``."""


LinAlgError = _LinAlgError  # PyTorch shows it by the other name


class MixedMemory(TypeError):
    """A kernel met arrays in two memories. The operator turns it into PyTorch's error."""


class GradcheckError(RuntimeError):
    """A gradient is not what finite differences of the function say; ``torch.autograd.gradcheck.GradcheckError``."""


#: What the messages have in common that `glassroom explain` has a lesson on.
_HAVE_LESSONS = re.compile(
    "view size is not compatible|is invalid for input of size|must match the size of tensor b|to be on the same device|"
    "shapes cannot be multiplied|Sizes of tensors must match except|stack expects each tensor|Dimension out of range|"
    "cannot be converted to Scalar|Boolean value of Tensor with|is out of bounds for dimension|too many indices for|"
    "The shape of the mask|tensors used as indices must be|must match the existing size|step must be greater than zero|"
    "doesn't match the broadcast shape|refers to a single memory location|requires grad is being used in an in-place|"
    "modified by an inplace operation|through the graph a second time|does not require grad and does not have|"
    "grad can be implicitly created|not have been used in the graph|you can only change requires_grad|the deepcopy|"
    "to have the same dtype, but got|can't be cast to the desired|Only Tensors of floating point and complex|"
    "could not infer output dtype|can't convert np.ndarray|Could not infer dtype of|expected sequence of length|"
    "Can't call numpy|in the given numpy array|is not on the expected device|0D or 1D target tensor|"
    "all elements of input should be|index out of range in self|expected target dtype|Given groups=1, weight of size|"
    r"^Target -?\d+ is out of bounds"
)


def explained(error: E, *notes: str, notebook: str | None = None) -> E:
    """Return `error` with teaching notes added, ready to be raised.

    `notebook` names the part and the notebook of the course that explain the matter, as "1/07 View or reshape". The
    last note names `glassroom explain` if that has a lesson on the message.
    """
    if notebook is not None:
        part, _, title = notebook.partition("/")
        notes = (*notes, f"The course explains it: part {part}, {title}.")
    if _HAVE_LESSONS.search(str(error)):
        notes = (*notes, "`glassroom explain` has a lesson on this message.")
    for note in notes:
        error.add_note(_said[0](note))
    return error


def translate_notes(translate: Callable[[str], str]) -> None:
    """Pass each note of errors raised from now on through `translate`; passing `str` leaves them in English."""
    _said[0] = translate


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


# --- names of classes ------------------------------------------------------------------------------------------------
# ``'torch.dtype' object has no attribute 'x'`` is Python's message, with the name that the class was created under. So
# a class is created under PyTorch's name, and its `__name__` is the short one. A `__getattr__` that raises the same
# error would make every attribute access slower: before Python 3.12 the interpreter reads attributes of such classes by
# a slower path.

_made_with: Any = vars(type)["__name__"]


def name_in_messages(kind: type) -> str:
    """What Python calls a class in its own messages: torch.dtype, int."""
    made_with: str = _made_with.__get__(kind)
    return made_with


# Type flags. For a class defined in Python (a heap type), C only knows the short name.
_MADE_WHEN_RUN, _CANNOT_BE_CHANGED = 1 << 9, 1 << 8


def type_name(argument: Any) -> str:
    """The name of an argument's type as it stands in PyTorch's messages: int, torch.dtype, numpy.ndarray."""
    kind = type(argument)
    is_written_in_python = kind.__flags__ & (_MADE_WHEN_RUN | _CANNOT_BE_CHANGED) == _MADE_WHEN_RUN
    if kind.__module__ != "builtins" and not is_written_in_python:
        return f"{kind.__module__}.{kind.__name__}"
    return name_in_messages(kind)


class Named(type):
    """The metaclass of ``class dtype(metaclass=Named, pytorchs="torch.dtype")``."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], pytorchs: str | None = None
    ) -> Named:
        return super().__new__(cls, pytorchs or name, bases, namespace)

    def __init__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], pytorchs: str | None = None
    ) -> None:
        super().__init__(name, bases, namespace)

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # a plain attribute in the stubs, which C code has made as well
        return name_in_messages(cls).rpartition(".")[2]
