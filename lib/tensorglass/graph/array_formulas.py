"""Derivatives straight on arrays, where nothing is recorded of them.

The one idea to keep in mind: formulas of plain arithmetic mean the same for arrays as for tensors. So a node of such an
operator hands its formulas the arrays of what it kept. The answers are sent on as they are, as long as nobody can see
them: a small gradient that goes from one such node to the next needs no header and no storage, and is a *bare* array.
Whatever is not quite usual (other dtypes, conjugated or strided elements, what was written to or let go of since) is
left to `FormulaNode.apply`, which knows what to do or to say.

A bare array lies without gaps, or is one number that was spread, and has the size and dtype of the output that it is
the gradient of, on the CPU. Nobody else holds it: a gradient that goes to two nodes is a tensor, which they share, for
a hook may write to it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any

from tensorglass.backends import Array
from tensorglass.backends import get as get_backend
from tensorglass.backends.host_memory import LEAST
from tensorglass.devices import CPU
from tensorglass.dtypes import dtype as DType
from tensorglass.dtypes import float32, float64
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph.saved import SavedInput, SavedNumber, SavedResult, SavedTensor
from tensorglass.making import result_tensor
from tensorglass.shortcuts import shortcut
from tensorglass.tensor import Tensor, raw_array

if TYPE_CHECKING:
    from tensorglass.graph.formula_node import FormulaNode
    from tensorglass.graph.node import Gradients, Node

MOST_BARE = LEAST - 1  #: bytes. What is larger comes from the pool, and is a tensor, so that `memory.peak` counts it
_HOST: Any = get_backend(CPU)
XP = _HOST.xp
BareArray = XP.ndarray


class _Thread(threading.local):
    def __init__(self) -> None:
        self.idle: list[Callable[..., Any]] = []  #: quiet contexts: one, unless an object's end began another walk


_thread = _Thread()


def in_quiet(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function within which NumPy gives no warnings."""
    idle = _thread.idle
    run = idle.pop() if idle else _HOST.quiet()
    try:
        return run(function, *arguments)
    finally:
        idle.append(run)


@shortcut
def apply_to_arrays(node: FormulaNode, gradient: Tensor, towards: Container[Node | None] | None) -> Gradients | None:
    """The gradients that `node` sends on, as tensors; None where its formulas must be given tensors."""
    found = in_quiet(gradients_of, node, gradient, towards)
    if found is None:
        return None
    dtype = gradient._dtype
    for place, each in enumerate(found):
        if type(each) is BareArray:
            found[place] = tensor_of(each, dtype)
    return found


def gradients_of(node: FormulaNode, gradient: Any, towards: Container[Node | None] | None = None) -> list[Any] | None:
    """The same, as bare arrays where they are small and new. So may be `gradient`. To be called `in_quiet`."""
    if type(gradient) is BareArray:
        array, dtype = gradient, node.outputs[0].dtype  # type: ignore[union-attr]  # what has a gradient has an output
    else:
        dtype = gradient._dtype
        if (dtype is not float32 and dtype is not float64) or gradient._storage.device is not CPU:
            return None
        array = gradient._array
        if array is None:
            array = raw_array(gradient)
        if gradient._stride != CONTIGUOUS_STRIDES[gradient._size] and any(gradient._stride):
            return None
    array_dtype = array.dtype
    given = [array, XP]
    for kept in node.kept:
        kind = type(kept)
        if kind is SavedInput:
            tensor = kept.tensor
            if (
                tensor._dtype is not dtype
                or tensor._stride != CONTIGUOUS_STRIDES[tensor._size]
                or tensor._storage.version != kept.version
                or tensor._counter is not None
            ):
                return None
            kept = tensor._array
            if kept is None:
                return None
        elif kind is SavedResult:
            storage = kept.storage
            if kept.dtype is not dtype or storage.version or kept.stride != CONTIGUOUS_STRIDES[kept.size]:
                return None
            kept = storage._array
            if kept is None:  # it was resized
                return None
        elif kind is SavedTensor:
            kept = kept.array(dtype)
            if kept is None:
                return None
        elif kind is SavedNumber:
            return None
        given.append(kept)
    blueprint = node.blueprint
    stays_small = blueprint.is_elementwise and gradient is array
    found: list[Any] = []
    for formula, pick, _ in blueprint.on_arrays:
        if formula is None or (towards is not None and node.edges[len(found)][0] not in towards):
            found.append(None)
            continue
        try:
            answer = formula(*pick(given))
        except MemoryError:  # the way by tensors finds the same, and says it as PyTorch does
            return None
        if type(answer) is BareArray:
            if answer is array:
                if gradient is array and any(each is array for each in found):  # two get it: they share one tensor
                    gradient = tensor_of(array, dtype)
                    found = [gradient if each is array else each for each in found]
                answer = gradient
            elif answer.dtype is not array_dtype:
                return None
            elif not stays_small and answer.nbytes > MOST_BARE:
                answer = tensor_of(answer, dtype)
        elif answer is None or answer.dtype is not array_dtype:
            return None
        else:  # NumPy answers with a scalar, which has no memory to share
            answer = XP.asarray(answer)
        found.append(answer)
    return found


def spread(number: Array, size: tuple[int, ...]) -> Array | None:
    """An array that has the one `number` everywhere, without a copy: all its strides are 0. Not to be written to.

    None where there are no elements.
    """
    if not size:
        return number
    if 0 in size:
        return None
    made = XP.ndarray(size, number.dtype, number, 0, (0,) * len(size))
    made.setflags(write=False)
    return made


def filled(number: float, size: tuple[int, ...], array_dtype: Any) -> Array:
    """An array that has `number` everywhere, in a third of the time of `numpy.full`."""
    made = XP.empty(size, array_dtype)
    made.fill(number)
    return made


def is_spread(array: Array) -> bool:
    """Whether `array` was made by `spread`."""
    return array.ndim > 0 and array.size > 0 and not any(array.strides)


def tensor_of(array: Array, dtype: DType) -> Tensor:
    """The tensor of a bare array."""
    size = array.shape
    if is_spread(array):
        number = XP.asarray(array.flat[0])
        expanded: Tensor = result_tensor(number, dtype, _HOST, CPU, (), ()).expand(size)
        return expanded
    return result_tensor(array, dtype, _HOST, CPU, size, CONTIGUOUS_STRIDES[size])
