"""The names of PyTorch's C++ module that subclasses of Tensor and libraries of networks use."""

from tensorglass._C import _functorch
from tensorglass.core.devices import get_default_device
from tensorglass.core.errors import LinAlgError as _LinAlgError
from tensorglass.core.left_out import LeftOut
from tensorglass.tensor.generator import Generator
from tensorglass.tensor.tensor import Tensor as TensorBase
from tensorglass.tensor.torch_function import DisableTorchFunctionSubclass
from tensorglass.tensor.torch_function import disabled_torch_function as _disabled_torch_function_impl

__all__ = [
    "Block",
    "DisableTorchFunctionSubclass",
    "Generator",
    "Graph",
    "Node",
    "TensorBase",
    "Value",
    "_LinAlgError",
    "_disabled_torch_function_impl",
    "_functorch",
    "_get_default_device",
    "_get_tracing_state",
    "_is_tracing",
    "_jit_set_profiling_executor",
    "_jit_set_profiling_mode",
    "_log_api_usage_once",
]


class Graph(LeftOut):
    """A program that was recorded."""


class Block(LeftOut):
    """A part of a recorded program."""


class Node(LeftOut):
    """A step of a recorded program."""


class Value(LeftOut):
    """What a step of a recorded program gives."""


_of_compiler = {"executor": True, "mode": True}


def _jit_set_profiling_executor(profiling_flag: bool) -> bool:
    """Set a switch of PyTorch's compiler, which is not here, and return what it was."""
    before, _of_compiler["executor"] = _of_compiler["executor"], profiling_flag
    return before


def _jit_set_profiling_mode(profiling_flag: bool) -> bool:
    """Set another switch of PyTorch's compiler, and return what it was."""
    before, _of_compiler["mode"] = _of_compiler["mode"], profiling_flag
    return before


def _get_default_device() -> str:
    """The type of the device that new tensors are on: "cpu"."""
    return get_default_device().type


def _get_tracing_state() -> None:
    """None: nothing is being traced."""


def _is_tracing() -> bool:
    """False: nothing is being traced."""
    return False


def _log_api_usage_once(event: str) -> None:
    """What libraries call to count how often they are used, where PyTorch is built to count. Nothing is counted."""
    if not isinstance(event, str):
        raise TypeError("bad argument type for built-in operation")
