"""The names of PyTorch's C++ module that subclasses of Tensor and libraries of networks use."""

from tensorglass._C import _functorch
from tensorglass.core.errors import LinAlgError as _LinAlgError
from tensorglass.tensor.torch_function import DisableTorchFunctionSubclass
from tensorglass.tensor.torch_function import disabled_torch_function as _disabled_torch_function_impl

__all__ = [
    "DisableTorchFunctionSubclass",
    "_LinAlgError",
    "_disabled_torch_function_impl",
    "_functorch",
    "_get_tracing_state",
    "_is_tracing",
    "_log_api_usage_once",
]


def _get_tracing_state() -> None:
    """None: nothing is being traced."""


def _is_tracing() -> bool:
    """False: nothing is being traced."""
    return False


def _log_api_usage_once(event: str) -> None:
    """What libraries call to count how often they are used, where PyTorch is built to count. Nothing is counted."""
    if not isinstance(event, str):
        raise TypeError("bad argument type for built-in operation")
