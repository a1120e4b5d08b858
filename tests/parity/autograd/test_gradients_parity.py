"""Gradients against PyTorch: for every operator the same graph, the same gradients, and the same gradients of those."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest
from gradient_calls import NAMES, GradientCall, calls
from parity.agreement import torch

import tensorglass

#: The beginnings of the names of calls whose gradients PyTorch refuses, or gets wrong (docs/differences.md).
GOES_FURTHER = {
    "float64": (
        "cdist-", "pdist-", "linalg_cond-", "asinh_-", "acosh_-", "atanh_-",
    ),
    "complex128": (
        "linalg_cond-", "asinh_-", "acosh_-", "atanh_-", "select_scatter-", "slice_scatter-",
        "scatter_reduce-",
        "nan_to_num-", "amax-6", "amin-6", "softmax-3", "log_softmax-3",
        "convolution-", "affine_grid_generator-",
    ),
}  # fmt: skip

#: Their nodes have an edge for a number, which leads nowhere (docs/differences-appendix.md).
WITH_EDGES_OF_NUMBERS = (
    "corrcoef", "cov", "cumulative_trapezoid", "gradient", "nanquantile", "quantile", "special_ndtr",
    "trapezoid",
)  # fmt: skip
#: Older operators, whose nodes are those of their successors (docs/differences-appendix.md).
WITH_NODES_OF_SUCCESSORS = ("cholesky", "pairwise_distance")
#: A node of the graph, by its name and those behind it.
Shape = tuple[Any, ...] | None


def shape(node: Any) -> Shape:
    """The graph behind a node: names and edges."""
    if node is None:
        return None
    return (node.name().removeprefix("torch::autograd::"), *[(shape(behind), nr) for behind, nr in node.next_functions])


def without_numbers(graph: Shape) -> Shape:
    """The graph without edges that lead nowhere, and without the digit at the end of a node's name."""
    if graph is None:
        return None
    edges = [(without_numbers(behind), nr) for behind, nr in graph[1:] if behind is not None]
    return (graph[0].rstrip("01"), *edges)


def weights(library: Any, tensor: Any) -> Any:
    """A gradient to begin with, of different numbers."""
    weights = library.linspace(-1, 2, tensor.numel(), dtype=library.float64).reshape(tuple(tensor.shape))
    return weights + 0.5j * weights if tensor.is_complex() else weights


def plain(tensor: Any) -> Any:
    """A tensor's elements, to be compared."""
    return None if tensor is None else tensor.detach().resolve_conj().numpy(force=True)


def outcome(library: Any, call: GradientCall, dtype: str) -> dict[str, Any]:
    """What there is to see of a call's gradients, or of its refusal."""
    leaves = call.tensors(library, dtype)
    try:
        result = call.function(library, *leaves)
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        flags = [result.requires_grad for result in results]
        outputs = [result for result in results if result.requires_grad]
        graphs = [shape(output.grad_fn) for output in outputs]
        seen: dict[str, Any] = {"flags": flags, "graphs": graphs}
        starts = [weights(library, output) for output in outputs]
        first = library.autograd.grad(outputs, leaves, starts, create_graph=True, allow_unused=True) if outputs else []
        seen["gradients"] = [plain(item) for item in first]
        again = [tensor for tensor in first if tensor is not None and tensor.requires_grad]
        sums = [
            (number * number.conj()).real.sum() if number.is_complex() else (number * number).sum() for number in again
        ]
        second = library.autograd.grad(sums, leaves, allow_unused=True) if sums else []
        seen["second"] = [plain(item) for item in second]
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return {"refused": type(error).__name__}
    return seen


def are_same(one: Any, other: Any) -> bool:
    """Whether two gradients are the same: in size and, up to rounding, in value. None counts as zeros."""
    if one is None or other is None:
        present = other if one is None else one
        return present is None or not numpy.any(present)
    return one.shape == other.shape and numpy.allclose(one, other, rtol=1e-7, atol=1e-9, equal_nan=True)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", NAMES)
def test_graph_and_gradients_are_pytorchs(name: str, dtype: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls(name):
            if call.name.startswith(GOES_FURTHER[dtype]):
                continue
            ours, theirs = outcome(tensorglass, call, dtype), outcome(torch, call, dtype)
            if name in WITH_EDGES_OF_NUMBERS:
                for seen in (ours, theirs):
                    seen["graphs"] = [without_numbers(drawn) for drawn in seen.get("graphs", [])]
            if name in WITH_NODES_OF_SUCCESSORS:
                ours.pop("graphs", None), theirs.pop("graphs", None)
            for field in ("refused", "flags", "graphs"):
                assert ours.get(field) == theirs.get(field), call.name
            for field in ("gradients", "second"):
                mine, other = ours.get(field, []), theirs.get(field, [])
                assert len(mine) == len(other), (call.name, field)
                for one, two in zip(mine, other, strict=True):
                    assert are_same(one, two), (call.name, field, one, two)


ALONG = ("sum", "nansum", "mean", "prod", "std", "var", "amax", "logsumexp", "cumsum", "softmax")


@pytest.mark.parametrize("name", ALONG)
@pytest.mark.parametrize("keywords", [{"axis": 1}, {"axis": 0}, {"axis": -1, "keepdims": True}], ids=str)
def test_numpys_names_of_arguments_reach_the_derivative(name: str, keywords: dict[str, Any]) -> None:
    seen = []
    for library in (tensorglass, torch):
        leaf = weights(library, library.empty(3, 3)).requires_grad_()
        try:
            result = getattr(leaf, name)(**keywords)
            result.square().sum().backward()
            seen.append((tuple(result.shape), plain(leaf.grad)))
        except TypeError as error:
            seen.append((type(error), None))
    assert seen[0][0] == seen[1][0]
    assert are_same(seen[0][1], seen[1][1]), seen
