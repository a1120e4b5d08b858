"""Derivatives on arrays for a whole node, for all of its inputs: products of matrices and views.

The formulas of `array_derivatives` get arrays of one dtype without gaps. A rule takes the kept arrays whatever their
strides and dtypes, and computes only the gradients that are wanted. Its arguments are the gradient of the result, which
has no gaps; the kept arrays, by name; and for each edge whether its gradient is wanted. It returns one gradient for
each edge, a new array or a view of the given one; or None to leave everything to the declared formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.devices import CPU
from tensorglass.fast.bare_arrays import MOST_BARE, XP
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph.formula_node import FormulaNode
from tensorglass.graph.saved_tensor import SavedInput, SavedNumber, SavedResult, SavedTensor
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.tensor.tensor import raw_array

Kept = dict[str, Any]
Rule = Callable[[Array, Kept, list[bool]], "list[Array | None] | None"]


def kept_arrays(node: FormulaNode) -> Kept | None:
    """A node's kept values, with arrays for tensors; None if one was overwritten, freed, or packed by a user's hook."""
    kept: Kept = {}
    for name, value in zip(node.blueprint.saved, node.kept, strict=True):
        kind = type(value)
        if kind is SavedInput:
            tensor = value.tensor
            if tensor._storage.version != value.version or tensor._counter is not None or tensor._conj:
                return None
            if tensor._storage.device is not CPU:
                return None
            value = tensor._array
            if value is None:
                value = raw_array(tensor)
        elif kind is SavedResult:
            storage = value.storage
            if storage.version or value.stride != CONTIGUOUS_STRIDES[value.size] or storage._array is None:
                return None
            value = storage._array
        elif kind is SavedTensor:
            value = value.array()
            if value is None:
                return None
        elif kind is SavedNumber or kind is list:
            return None
        kept[name] = value
    return kept


def _product(one: Array, other: Array) -> Array:
    """The product of matrices, in pool memory if it is large."""
    size = one.shape[0], other.shape[1]
    if size[0] * size[1] * one.itemsize <= MOST_BARE:
        return matrix_product(XP, one, other)
    return matrix_product(XP, one, other, HOST.empty(HOST.dtype_of(one), size))


def _towards_factor(stride: tuple[int, ...], one: Array, other: Array) -> Array | None:
    """``one @ other``, the gradient of a matrix with these strides: column-major if the matrix is.

    None if the layout of an array is ambiguous: without elements, or with one row or column.
    """
    rows, columns = one.shape[0], other.shape[1]
    if not rows * columns * one.shape[1]:
        return None
    if stride != (1, rows):
        return _product(one, other)
    return None if rows == 1 or columns == 1 else _product(other.T, one.T).T


def _mm(
    grad: Array, kept: Kept, wanted: list[bool], one: tuple[str, str] = ("input", "input_stride"),
    other: tuple[str, str] = ("mat2", "mat2_stride"),
) -> list[Array | None] | None:  # fmt: skip
    """The rule for a product of two matrices; `one` and `other` are the names of each kept matrix and its strides."""
    first = second = None
    if wanted[0]:
        first = _towards_factor(kept[one[1]], grad, kept[other[0]].T)
        if first is None:
            return None
    if wanted[1]:
        second = _towards_factor(kept[other[1]], kept[one[0]].T, grad)
        if second is None:
            return None
    return [first, second]


def _addmm(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    if kept.get("alpha", 1) != 1 or kept.get("beta", 1) != 1:
        return None
    answers = _mm(grad, kept, wanted[1:], ("mat1", "mat1_stride"))
    return None if answers is None else [grad if wanted[0] else None, *answers]


def _bmm(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    factors = (grad, kept["mat2"].swapaxes(1, 2)) if wanted[0] else None
    others = (kept["input"].swapaxes(1, 2), grad) if wanted[1] else None
    answers: list[Array | None] = []
    for pair in (factors, others):
        if pair is None:
            answers.append(None)
            continue
        if not grad.size or max(array.nbytes for array in pair) > MOST_BARE:
            return None
        answers.append(XP.ascontiguousarray(matrix_product(XP, *pair)))
    return answers


def _transposed(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    return [grad.T] if grad.ndim == 2 and min(grad.shape) > 1 else None


def _view(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    return [grad.reshape(kept["input_size"])] if grad.flags.c_contiguous else None


def _unsqueezed(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    return [grad.squeeze(kept["dim"])] if grad.flags.c_contiguous else None


def _expanded(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    return [grad]  # `fitted` then sums it to the input's size, as for any operand that was broadcast


def _within(grad: Array, kept: Kept, place: tuple[Any, ...]) -> list[Array | None] | None:
    """Zeros, with the gradient of a part in its place."""
    size = kept["input_size"]
    if prod(size) * grad.itemsize > MOST_BARE:
        return None
    whole = XP.zeros(size, grad.dtype)
    whole[place] = grad
    return [whole]


def _selected(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    dim = kept["dim"] % len(kept["input_size"])
    return _within(grad, kept, (slice(None),) * dim + (kept["index"],))


def _sliced(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    dim = kept["dim"] % len(kept["input_size"])
    return _within(grad, kept, (slice(None),) * dim + (slice(kept["start"], kept["end"], kept["step"]),))


#: By operator. `fast.networks` has more of them.
RULES: dict[str, Rule] = {
    "addmm": _addmm,
    "bmm": _bmm,
    "expand": _expanded,
    "mm": _mm,
    "select": _selected,
    "slice_view": _sliced,
    "squeeze": _view,
    "t": _transposed,
    "unsafe_view": _view,
    "unsqueeze": _unsqueezed,
    "view": _view,
}
#: The rules of views: the gradients that they send on share memory with the given gradient.
VIEWS = (_transposed, _unsqueezed, _view)
