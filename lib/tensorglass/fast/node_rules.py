"""Derivatives on arrays of what networks are made of: for a node as a whole, all of its inputs at once.

The formulas of `array_derivatives` are given arrays of one dtype without gaps. These read what the node kept
themselves, of any strides and dtypes, and make only the gradients that are wanted. A rule is given the gradient of the
result, which lies without gaps, what was kept, by name, and for each edge whether a gradient goes there. It returns one
for each edge, or None where the declared formulas are to be asked. The results are new arrays, or views of the
gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.devices import CPU
from tensorglass.fast.bare_arrays import MOST_BARE, XP
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph.formula_node import FormulaNode
from tensorglass.graph.saved_tensor import SavedInput, SavedNumber, SavedResult, SavedTensor
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.ops.kernels.sum import ROWS, total
from tensorglass.tensor.tensor import raw_array

Kept = dict[str, Any]
Rule = Callable[[Array, Kept, list[bool]], "list[Array | None] | None"]


def kept_arrays(node: FormulaNode) -> Kept | None:
    """What a node kept, with arrays for tensors; None where it was written to, let go of, or kept by a user's hook."""
    found: Kept = {}
    for name, value in zip(node.blueprint.saved, node.kept, strict=True):
        kind = type(value)
        if kind is SavedInput:
            tensor = value.tensor
            if tensor._storage.version != value.version or tensor._counter is not None or tensor._conj:
                return None
            if tensor._storage.device is not CPU:
                return None
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
        found[name] = value
    return found


def _product(one: Array, other: Array) -> Array:
    """The product of matrices, in memory of the pool where it is large."""
    size = one.shape[0], other.shape[1]
    if size[0] * size[1] * one.itemsize <= MOST_BARE:
        return matrix_product(XP, one, other)
    return matrix_product(XP, one, other, HOST.empty(HOST.dtype_of(one), size))


def _towards_factor(stride: tuple[int, ...], one: Array, other: Array) -> Array | None:
    """``one @ other``, the gradient of a matrix of these strides: its columns lie in a row if the matrix's do.

    None where an array would not tell how it lies: without elements, or with one row or column.
    """
    rows, columns = one.shape[0], other.shape[1]
    if not rows * columns * one.shape[1]:
        return None
    if stride != (1, rows):
        return _product(one, other)
    return None if rows == 1 or columns == 1 else _product(other.T, one.T).T


def _product_rule(grad: Array, kept: Kept, wanted: list[bool], one: str, other: str) -> list[Array | None] | None:
    found: list[Array | None] = [None, None]
    if wanted[0]:
        found[0] = _towards_factor(kept[f"{one}_stride"], grad, kept[other].T)
    if wanted[1]:
        found[1] = _towards_factor(kept[f"{other}_stride"], kept[one].T, grad)
    for is_wanted, each in zip(wanted, found, strict=True):
        if is_wanted and each is None:
            return None
    return found


def _mm(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    return _product_rule(grad, kept, wanted, "input", "mat2")


def _addmm(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    if kept.get("alpha", 1) != 1 or kept.get("beta", 1) != 1:
        return None
    found = _product_rule(grad, kept, wanted[1:], "mat1", "mat2")
    return None if found is None else [grad if wanted[0] else None, *found]


def _transposed(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    return [grad.T] if grad.ndim == 2 and min(grad.shape) > 1 else None


def _view(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    return [grad.reshape(kept["input_size"])] if grad.flags.c_contiguous else None


def _nll_loss(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    input, target = kept["input"], kept["target"]
    is_plain = kept["weight"] is None and kept["reduction"] == "mean" and input.ndim == 2 and target.ndim == 1
    if not is_plain or target.dtype.char not in "lq":
        return None
    count = len(target)
    is_counted = None
    if not 0 <= kept["ignore_index"] < input.shape[1] and (target.size == 0 or int(target.min()) < 0):
        return None
    if 0 <= kept["ignore_index"] < input.shape[1]:
        is_counted = target != kept["ignore_index"]
        count = int(XP.count_nonzero(is_counted))
        if not count:
            return None
    made = XP.zeros(input.shape, input.dtype)
    share = grad.dtype.type(-grad.item() / count)
    made[XP.arange(len(target)), target] = share if is_counted is None else XP.where(is_counted, share, 0)
    return [made]


def _normalized(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """Of layer norm: input, weight and bias. What was normalized is computed once for the first two."""
    cut, scale = kept["norm"].cut, kept.get("weight")
    if cut.axes != (1,) or len(cut.size) != 2 or kept.get("mean") is not None or grad.size == 0:
        return None
    (rows, count), input = cut.size, kept.get("input")
    if input is not None and (not input.flags.c_contiguous or input.dtype != grad.dtype):
        return None
    if not grad.flags.c_contiguous or (scale is None and len(wanted) > 1):  # a bias without a weight
        return None
    if scale is not None and (scale.dtype != grad.dtype or scale.ndim != 1):
        return None
    grad = grad.reshape(rows, count)
    found: list[Array | None] = [None] * len(wanted)
    if len(wanted) > 2 and wanted[2]:
        found[2] = total(XP, grad, (0,)).reshape(-1)
    if not any(wanted[:2]) or input is None:
        return found
    mean, inverse = kept["result1"][:2]
    shift = mean * inverse
    if not XP.abs(shift).max() < _FAR_OFF:
        return None
    # With n = x·inverse - shift, and every sum of products with n from those with x.
    product = XP.multiply(grad, input.reshape(rows, count))
    if len(wanted) > 1 and wanted[1]:
        found[1] = _sum_of_rows(inverse, product) - _sum_of_rows(shift, grad)
    if wanted[0]:
        scales = XP.ones(count, grad.dtype) if scale is None else scale
        along_mean, along_normal = (each.dot(scales) * (inverse / count) for each in (grad, product))
        along_normal = along_normal * inverse - along_mean * shift
        made = HOST.empty(HOST.dtype_of(grad), (rows, count))
        XP.multiply(grad, inverse.reshape(rows, 1), made)
        XP.multiply(made, scales, made)
        XP.multiply(input.reshape(rows, count), (along_normal * inverse).reshape(rows, 1), product)
        XP.subtract(made, product, made)
        XP.add(made, (along_normal * shift - along_mean).reshape(rows, 1), made)
        found[0] = made.reshape(input.shape)
    return found


#: A mean of so many deviations is too far off for sums that the mean's share is taken from afterwards.
_FAR_OFF = 8


def _sum_of_rows(factors: Array, rows: Array) -> Array:
    """The rows times their factors, added up; as exact as `total`."""
    made = factors[:ROWS].dot(rows[:ROWS])
    for start in range(ROWS, len(rows), ROWS):
        made += factors[start : start + ROWS].dot(rows[start : start + ROWS])
    return made


RULES: dict[str, Rule] = {
    "addmm": _addmm,
    "mm": _mm,
    "t": _transposed,
    "view": _view,
    "_nll_loss": _nll_loss,
    "_normalized": _normalized,
}
#: Those of views: what they send on lies in the memory of the gradient.
VIEWS = (_transposed, _view)
