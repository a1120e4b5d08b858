"""The result of a call: whose view it is, its place in the graph, and what writing to it does.

`outcome` makes one call, writes to its result in one way, runs backward, and returns all facts that can be seen.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy

#: How the results are written to, by name.
WRITES: dict[str, Callable[[Any], Any]] = {
    "+= 1": lambda result: result.add_(1),
    "relu_": lambda result: result.relu_(),
    "[0] = 1": lambda result: result.__setitem__(0, 1),
}

#: The tensors of a call: leaves that require gradients, results of other operators, or tensors without gradients.
MODES = ("leaves", "inner", "no_grad", "plain")


def laid_out(library: Any, elements: Any, layout: str) -> Any:
    """A tensor of these elements, an array's, that is no view of another, laid out as `layout` says."""
    size = elements.shape
    if layout == "transposed":
        stored, stride = (
            numpy.ascontiguousarray(elements.T),
            tuple(numpy.cumprod((1, *size[:-1])).tolist())[: len(size)],
        )
    elif layout == "expanded" and size and size[0] > 1:
        stored = numpy.ascontiguousarray(elements[0])
        stride = (0, *[stride // max(stored.itemsize, 1) for stride in stored.strides])
    elif layout == "sliced":
        stored = numpy.repeat(elements.reshape(-1), 2)
        stride = tuple(2 * stride // elements.itemsize for stride in numpy.ascontiguousarray(elements).strides)
    else:
        return library.tensor(elements)
    stored = library.tensor(stored.reshape(-1))
    return library.empty(0, dtype=stored.dtype).set_(
        stored, int(layout == "sliced" and stored.numel() > 0), size, stride
    )


def prepared(library: Any, value: Any, layout: str, mode: str, leaves: list[Any]) -> Any:
    """An argument as `library` takes it: arrays become tensors, and such of floating point are entered in `leaves`."""
    if isinstance(value, numpy.ndarray):
        tensor = laid_out(library, value, layout)
        leaves.append(tensor)
        if mode != "plain" and (tensor.is_floating_point() or tensor.is_complex()):
            tensor.requires_grad_()
            return tensor.clone() if mode == "inner" else tensor
        return tensor
    if type(value) in (list, tuple):
        return type(value)(prepared(library, item, layout, mode, leaves) for item in value)
    if isinstance(value, numpy.dtype):
        return getattr(library, value.name)
    return value


def tensors_of(library: Any, value: Any) -> Iterator[Any]:
    if isinstance(value, library.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_of(library, item)


def error_of(error: Exception) -> tuple[str, str, str]:
    return "raised", type(error).__name__, (str(error).splitlines() or [""])[0]


def facts(result: Any, given: list[Any]) -> dict[str, Any]:
    base, node = result._base, result.grad_fn
    place = result.untyped_storage().data_ptr() if result.numel() else 0
    return {
        "is view": result._is_view(), "base": None if base is None else tuple(base.shape), "version": result._version,
        "is leaf": result.is_leaf, "requires grad": result.requires_grad, "output nr": result.output_nr,
        "node": node and node.name(),
        "shares": [bool(place) and leaf.numel() > 0 and leaf.untyped_storage().data_ptr() == place for leaf in given],
        "is given": [result is argument for argument in given],
    }  # fmt: skip


def elements_of(tensor: Any) -> Any:
    return None if tensor is None else tensor.detach().resolve_conj().resolve_neg().numpy(force=True)


def outcome(library: Any, call: Callable[[Any, list[Any]], Any], layout: str, mode: str, write: str) -> dict[str, Any]:
    """What can be seen of a call, of writing to its results, and of the gradients after it.

    `call` gets the library and a function that prepares an argument, and gives the result.
    """
    leaves: list[Any] = []
    given: list[Any] = []

    def prepare(value: Any) -> Any:
        argument = prepared(library, value, layout, mode, leaves)
        given.extend(tensors_of(library, argument))
        return argument

    library.manual_seed(0)
    seen: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with library.set_grad_enabled(mode != "no_grad"):
                result = call(library, prepare)
        except Exception as error:
            return {"call": error_of(error)}
        results = list(tensors_of(library, result))
        seen["results"] = [facts(result, given) for result in results]
        seen["arguments"] = [facts(argument, ()) for argument in given]
        try:
            for part in results[:1]:
                WRITES[write](part)
        except Exception as error:
            seen["write"] = error_of(error)
            return seen
        try:
            seen["results after"] = [facts(result, given) for result in results]
            seen["arguments after"] = [facts(argument, ()) for argument in given]
            seen["elements"] = [elements_of(result) for result in results]
            seen["elements of arguments"] = [elements_of(argument) for argument in given]
            sums = [(result * (result + 2)).sum() for result in results if result.requires_grad]
            if sums:
                total = sum(tensor.abs() if tensor.is_complex() else tensor for tensor in sums)
                total.backward()
            seen["gradients"] = [elements_of(leaf.grad) for leaf in leaves]
        except Exception as error:
            seen["backward"] = error_of(error)
    return seen


def difference(mine: Any, theirs: Any, where: str = "") -> str | None:
    """Where two outcomes differ, in words; None if they agree."""
    if isinstance(theirs, dict) and isinstance(mine, dict):
        for key in {**theirs, **mine}:
            if key not in mine or key not in theirs:
                return (
                    f"{where}{key}: ours {mine.get(key, 'is not there')}, PyTorch's {theirs.get(key, 'is not there')}"
                )
            differs = difference(mine[key], theirs[key], f"{where}{key} ")
            if differs:
                return differs
        return None
    if isinstance(theirs, list) and isinstance(mine, list) and len(mine) == len(theirs):
        for place, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            differs = difference(one, other, f"{where}{place} ")
            if differs:
                return differs
        return None
    if isinstance(theirs, numpy.ndarray) and isinstance(mine, numpy.ndarray):
        same = (
            mine.shape == theirs.shape
            and mine.dtype == theirs.dtype
            and numpy.allclose(mine, theirs, rtol=1e-6, atol=1e-6, equal_nan=True)
        )
    else:
        same = type(mine) is type(theirs) and mine == theirs
    return None if same else f"{where}: ours {mine}, PyTorch's {theirs}"
