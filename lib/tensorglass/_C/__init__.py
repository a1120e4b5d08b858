"""The names of PyTorch's C++ module that subclasses of Tensor and libraries of networks use."""

from tensorglass._C import _functorch, _nn
from tensorglass.accelerator import current_accelerator
from tensorglass.core.devices import device as _Device
from tensorglass.core.devices import get_default_device
from tensorglass.core.errors import LinAlgError as _LinAlgError
from tensorglass.core.left_out import LeftOut
from tensorglass.tensor.generator import Generator
from tensorglass.tensor.tensor import Tensor as TensorBase
from tensorglass.tensor.torch_function import DisableTorchFunctionSubclass
from tensorglass.tensor.torch_function import disabled_torch_function as _disabled_torch_function_impl

__all__ = [
    "_GLIBCXX_USE_CXX11_ABI",
    "Block",
    "DisableTorchFunctionSubclass",
    "Generator",
    "Graph",
    "Node",
    "TensorBase",
    "Value",
    "_LinAlgError",
    "_debug_set_autodiff_subgraph_inlining",
    "_debug_set_fusion_group_inlining",
    "_disabled_torch_function_impl",
    "_functorch",
    "_get_accelerator",
    "_get_default_device",
    "_get_tracing_state",
    "_is_tracing",
    "_jit_can_fuse_on_cpu",
    "_jit_can_fuse_on_gpu",
    "_jit_nvfuser_enabled",
    "_jit_override_can_fuse_on_cpu",
    "_jit_override_can_fuse_on_gpu",
    "_jit_set_autocast_mode",
    "_jit_set_bailout_depth",
    "_jit_set_nvfuser_enabled",
    "_jit_set_nvfuser_guard_mode",
    "_jit_set_profiling_executor",
    "_jit_set_profiling_mode",
    "_jit_set_texpr_fuser_enabled",
    "_jit_texpr_fuser_enabled",
    "_log_api_usage_once",
    "_nn",
]


class Graph(LeftOut):
    """A program that was recorded."""


class Block(LeftOut):
    """A part of a recorded program."""


class Node(LeftOut):
    """A step of a recorded program."""


class Value(LeftOut):
    """What a step of a recorded program gives."""


_of_compiler = {"autocast": True, "executor": True, "mode": True}
_bailout_depth = [20]
_GLIBCXX_USE_CXX11_ABI = True  #: how PyTorch's C++ is compiled, which programs ask before they compile their own


def _jit_set_profiling_executor(profiling_flag: bool) -> bool:
    """Set a switch of PyTorch's compiler, which is not here, and return what it was."""
    before, _of_compiler["executor"] = _of_compiler["executor"], profiling_flag
    return before


def _jit_set_profiling_mode(profiling_flag: bool) -> bool:
    """Set another switch of PyTorch's compiler, and return what it was."""
    before, _of_compiler["mode"] = _of_compiler["mode"], profiling_flag
    return before


def _jit_set_autocast_mode(value: bool) -> bool:
    """Set whether compiled functions follow autocast, and return what it was."""
    before, _of_compiler["autocast"] = _of_compiler["autocast"], value
    return before


def _jit_set_bailout_depth(depth: int) -> int:
    """Set how often a compiled function is compiled anew for other sizes, and return what it was."""
    before, _bailout_depth[0] = _bailout_depth[0], depth
    return before


def _set_switch_of_compiler(value: bool) -> None:
    """Nothing: a switch of PyTorch's compiler."""


_debug_set_autodiff_subgraph_inlining = _set_switch_of_compiler
_debug_set_fusion_group_inlining = _set_switch_of_compiler
_jit_override_can_fuse_on_cpu = _set_switch_of_compiler
_jit_override_can_fuse_on_gpu = _set_switch_of_compiler
_jit_set_nvfuser_enabled = _set_switch_of_compiler
_jit_set_nvfuser_guard_mode = _set_switch_of_compiler
_jit_set_texpr_fuser_enabled = _set_switch_of_compiler


def _jit_can_fuse_on_cpu() -> bool:
    """False: nothing is compiled."""
    return False


_jit_can_fuse_on_gpu = _jit_texpr_fuser_enabled = _jit_nvfuser_enabled = _jit_can_fuse_on_cpu


def _get_accelerator(check: bool | None = None) -> _Device:
    """The device beside the CPU that programs compute on, or the CPU."""
    return current_accelerator() or _Device("cpu")


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
