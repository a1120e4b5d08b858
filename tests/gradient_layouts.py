"""Calls of differentiable operators with leaves that lie in memory in every way, and what their gradients are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradient_calls import GradientCall, calls


def _permuted(tensor: Any) -> Any:
    order = tuple(reversed(range(tensor.dim())))
    return tensor.permute(order).contiguous().permute(order)


def _channels_last(tensor: Any) -> Any:
    return tensor.movedim(1, -1).contiguous().movedim(-1, 1) if tensor.dim() > 2 else tensor


def _sliced(tensor: Any) -> Any:
    return tensor[..., None].repeat(*[1] * tensor.dim(), 2)[..., 1]


def _expanded(tensor: Any) -> Any:
    return tensor[:1].expand(tensor.shape) if tensor.dim() and len(tensor) else tensor


#: From a packed tensor to one of the same size. Tensors without elements and of length 1 are among the calls' own.
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "packed": lambda tensor: tensor,
    "permuted": _permuted,
    "channels last": _channels_last,
    "sliced": _sliced,
    "expanded": _expanded,
    "conjugated": lambda tensor: tensor.conj(),
}


def calls_laid_out(name: str, layout: str) -> Iterator[GradientCall]:
    """The operator's calls of which the layout changes a leaf; packed, all of them."""
    change = LAYOUTS[layout]
    for call in calls(name):
        if layout in ("packed", "conjugated") or any(change(leaf).stride() != leaf.stride() for leaf in call.leaves):
            yield call


def second_gradients(library: Any, call: GradientCall, layout: str) -> dict[str, Any]:
    """The call's results, their gradients, and the gradients of those; or the class of the refusal."""
    dtype = "complex128" if layout == "conjugated" else "float64"
    leaves = [LAYOUTS[layout](leaf.detach()).requires_grad_() for leaf in call.tensors(library, dtype, 0.0137)]
    try:
        result = call.function(library, *leaves)
        results = [part for part in (result if isinstance(result, (tuple, list)) else [result]) if part.requires_grad]
        starts = [_start(library, part) for part in results]
        first = library.autograd.grad(results, leaves, starts, create_graph=True, allow_unused=True) if results else []
        again = [gradient for gradient in first if gradient is not None and gradient.requires_grad]
        sums = [(gradient * gradient.conj()).real.sum() for gradient in again]
        second = library.autograd.grad(sums, leaves, allow_unused=True) if sums else []
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return {"refused": type(error).__name__}
    return {"results": results, "first": list(first), "second": list(second)}


def _start(library: Any, tensor: Any) -> Any:
    weights = library.linspace(-1, 2, tensor.numel(), dtype=library.float64).reshape(tuple(tensor.shape))
    return weights + 0.5j * weights if tensor.is_complex() else weights
