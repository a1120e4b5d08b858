"""What is said of tensors that a node cannot keep, or has no more, or that were written to since."""

from __future__ import annotations

from tensorglass.core.errors import explained
from tensorglass.graph import anomaly


def of_inference() -> RuntimeError:
    """The error of a tensor that cannot be kept: one that was made in inference mode."""
    return explained(
        RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
            "it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
        )
    )


def hint() -> str:
    """How to find out which operator a tensor was kept for that was written to since."""
    return _FURTHER_ABOVE if anomaly.state.enabled else _ENABLE


_ENABLE = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
_FURTHER_ABOVE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)
_FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


def second_time() -> RuntimeError:
    """The error of a graph whose saved tensors are gone."""
    return explained(
        RuntimeError(_FREED),
        "The first backward let go of what the derivatives need, to save memory.",
        notebook="02 the graph and backward",
    )
