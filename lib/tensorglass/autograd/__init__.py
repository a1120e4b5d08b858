"""``torch.autograd``: backward passes, custom functions, and what is built on them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tensorglass.autograd import engine, graph
from tensorglass.autograd.backward import attach, backward, grad
from tensorglass.autograd.gradcheck import gradcheck, gradgradcheck
from tensorglass.core.lazy_modules import fetching
from tensorglass.core.refusing import refusing
from tensorglass.graph.anomaly import detect_anomaly, set_detect_anomaly
from tensorglass.tensor import torch_function
from tensorglass.tensor.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = [
    "Function",
    "Variable",
    "anomaly_mode",
    "attach",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]

if TYPE_CHECKING:  # imported when first asked for
    from tensorglass.autograd import anomaly_mode, forward_ad, function, functional, grad_mode
    from tensorglass.autograd.function import Function
    from tensorglass.autograd.variable import Variable


def _is_checkpoint_valid() -> bool:
    """True: a region that is computed again may be so within any backward pass."""
    return True


def _above(name: str) -> Any:
    if name in ("profiler", "kineto_available"):  # the module above imports what is here
        profiler = import_module("tensorglass.profiler.autograd_profiler")
        return profiler if name == "profiler" else profiler.kineto_available
    return refusing("autograd")(name)


__getattr__ = fetching(
    globals(),
    {
        "anomaly_mode": (),
        "forward_ad": (),
        "function": ("Function",),
        "functional": (),
        "grad_mode": (),
        "variable": ("Variable",),
    },
    _above,
)


def __dir__() -> list[str]:
    """The names above, and those that are imported lazily."""
    return sorted({*globals(), *__all__})


backward = torch_function.overridable(backward)
grad = torch_function.overridable(grad)
torch_function.internal_calls.append(lambda: engine.current.walk is not None)
