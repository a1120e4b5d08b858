"""PyTorch's own samples of its functions and modules, as tensors of both libraries, and how results are compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

#: How close results are, by dtype.
TOLERANCE = {"torch.float64": 1e-9, "torch.float32": 2e-5, "torch.bfloat16": 2e-2, "torch.float16": 2e-3}


def spread(samples: Iterable[Any], most: int) -> list[Any]:
    """At most `most` of the samples, from the first to the last at equal distances, so that every option occurs."""
    all_samples = list(samples)
    return (
        [all_samples[place * len(all_samples) // most] for place in range(most)]
        if len(all_samples) > most
        else all_samples
    )


def ours(value: Any) -> Any:
    """What PyTorch's sample holds, of tensorglass: tensors that lie in memory as PyTorch's, modules and functions."""
    if isinstance(value, torch.Tensor):
        dtype = getattr(tensorglass, str(value.dtype)[6:])
        plain = value.detach().float() if value.dtype == torch.bfloat16 else value.detach()
        lies_apart = value.numel() < 2 or 0 not in value.stride()
        stride = value.stride() if lies_apart else value.contiguous().stride()
        tensor = tensorglass.empty_strided(tuple(value.shape), stride, dtype=dtype)
        tensor.copy_(tensorglass.tensor(plain.resolve_conj().numpy().copy()))
        return tensor.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(ours(item) for item in value)
    if isinstance(value, dict):
        return {name: ours(item) for name, item in value.items()}
    if isinstance(value, torch.dtype):
        return getattr(tensorglass, str(value)[6:])
    if isinstance(value, torch.nn.PairwiseDistance):
        return tensorglass.nn.PairwiseDistance(value.norm, value.eps, value.keepdim)
    if isinstance(value, torch.nn.Module):
        return layer(value)
    if callable(value) and not isinstance(value, type):
        return getattr(tensorglass.nn.functional, value.__name__, value)
    return value


def layer(theirs: Any) -> Any:
    """A layer of a Transformer as PyTorch's, with its parameters."""
    options = {
        "d_model": theirs.linear1.in_features,
        "nhead": theirs.self_attn.num_heads,
        "dim_feedforward": theirs.linear1.out_features,
        "dropout": theirs.dropout.p,
        "activation": ours(theirs.activation),
        "layer_norm_eps": theirs.norm1.eps,
        "batch_first": theirs.self_attn.batch_first,
        "norm_first": theirs.norm_first,
        "bias": theirs.linear1.bias is not None,
        "dtype": ours(theirs.linear1.weight.dtype),
    }
    mine = getattr(tensorglass.nn, type(theirs).__name__)(**options)
    mine.load_state_dict(ours(theirs.state_dict()))
    return mine


def plain(tensor: Any) -> Any:
    """A tensor's elements, to be compared."""
    if tensor is None or not hasattr(tensor, "detach"):
        return tensor
    tensor = tensor.detach()
    return (tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).resolve_conj().numpy(force=True)


def tensors_of(library: Any, value: Any) -> list[Any]:
    """The tensors in a call, or in what it returned."""
    if isinstance(value, library.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for part in parts for tensor in tensors_of(library, part)]


def outcome(
    library: Any,
    function: Callable[..., Any],
    arguments: Any,
    keywords: Any,
    parameters: Callable[[], Iterable[Any]] = tuple,
) -> dict[str, Any]:
    """What a call gives: values, layout, graph, first and second gradients; or its error.

    Gradients are those of what is passed, and of the `parameters` that there are after the call.
    """
    library.manual_seed(0)
    try:
        result = function(*arguments, **keywords)
    except (RuntimeError, ValueError, TypeError, IndexError, AssertionError, NotImplementedError) as error:
        return {"error": (type(error).__name__, str(error).split("\n")[0])}
    leaves = [
        keyword for keyword in (*tensors_of(library, (arguments, keywords)), *parameters()) if keyword.requires_grad
    ]
    results = tensors_of(library, result)
    seen: dict[str, Any] = {
        "dtype": [str(result.dtype) for result in results],
        "stride": [tuple(result.stride()) for result in results],
        "node": [result.grad_fn and result.grad_fn.name() for result in results],
        "values": [plain(result) for result in results],
    }
    outputs = [result for result in results if result.requires_grad]
    if outputs and leaves:
        sums = [(output * weights(library, output)).sum() for output in outputs]
        first = library.autograd.grad(sums, leaves, allow_unused=True, create_graph=True)
        seen["first"] = [plain(item) for item in first]
        seen["first stride"] = [None if gradient is None else tuple(gradient.stride()) for gradient in first]
        again = [(number * number).sum() for number in first if number is not None and number.requires_grad]
        try:
            second = library.autograd.grad(again, leaves, allow_unused=True) if again else [None] * len(leaves)
        except (RuntimeError, NotImplementedError):  # PyTorch has no second derivative of some
            return seen
        seen["second"] = [plain(item) for item in second]
    return seen


def weights(library: Any, tensor: Any) -> Any:
    """A gradient to begin with, of different numbers."""
    return library.linspace(-1, 2, tensor.numel(), dtype=library.float64).reshape(tuple(tensor.shape)).to(tensor.dtype)


def are_close(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two arrays are the same up to rounding; None counts as zeros."""
    if one is None or other is None:
        present = other if one is None else one
        return present is None or not numpy.any(present)
    one, other = numpy.asarray(one), numpy.asarray(other)
    return one.shape == other.shape and numpy.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)


#: Nodes that composed functions have here, for PyTorch's. docs/differences-appendix.md declares them.
NODES = {
    "pairwise_distance": {"NormBackward1": "LinalgVectorNormBackward0"},
}


def disagreement(name: str, arguments: Any, keywords: Any, skip: tuple[str, ...] = ()) -> str | None:
    """Where the two libraries differ in a call of `nn.functional`, in words; None if they agree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = outcome(torch, getattr(torch.nn.functional, name), arguments, keywords)
        mine = outcome(tensorglass, getattr(tensorglass.nn.functional, name), ours(arguments), ours(keywords))
    if "node" in theirs:
        theirs["node"] = [NODES.get(name, {}).get(node, node) for node in theirs["node"]]
    return difference(mine, theirs, (*skip, "first stride"))


def difference(mine: dict[str, Any], theirs: dict[str, Any], skip: tuple[str, ...] = ()) -> str | None:
    """Where two outcomes differ, in words; None if they agree."""
    if "error" in theirs or "error" in mine:
        return None if mine.get("error") == theirs.get("error") else f"{mine.get('error')} for {theirs.get('error')}"
    tolerance = TOLERANCE.get(theirs["dtype"][0], 0.0)
    for field in ("dtype", "stride", "node", "first stride"):
        if field not in skip and field in theirs and mine.get(field) != theirs[field]:
            return f"{field}: {mine[field]} for {theirs[field]}"
    for field in ("values", "first", "second"):
        if field in skip or field not in theirs:
            continue
        if field not in mine:
            return f"no {field}"
        for one, other in zip(mine[field], theirs[field], strict=True):
            if not are_close(one, other, tolerance):
                return f"{field}: {one} for {other}"
    return None
