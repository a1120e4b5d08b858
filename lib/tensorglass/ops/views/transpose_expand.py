"""Shorthands for views of `shape`: T, mT, H, mH and `adjoint`; expand_as, broadcast_to, broadcast_tensors.

T and H are for matrices; mT and mH transpose each matrix of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import all_tensors
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.views.shape import conj, expand, transpose
from tensorglass.tensor.construct import view_of
from tensorglass.tensor.tensor import Tensor


@operator("view", function=False, method=False, attribute=True)
@derivative(node="PermuteBackward0", input=lambda grad, input_size: grad.permute(tuple(range(len(input_size)))[::-1]))
def T(input: Tensor) -> Tensor:
    """The dimensions in reverse order; for a matrix its transpose."""
    if not input._size:
        _deprecated_scalar(input, "Tensor.T is deprecated on 0-D tensors. " + _IDENTITY)
    elif len(input._size) != 2:
        warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
        )
    return view_of(input, input._size[::-1], input._stride[::-1], input._offset)


@operator("view", function=False, method=False, attribute=True)
def mT(input: Tensor) -> Tensor:
    """The last two dimensions swapped: the transpose of each matrix of a batch."""
    if not input._size:
        return _deprecated_scalar(input, "Tensor.mT is deprecated on 0-D tensors. " + _IDENTITY)
    _check_matrices(input, "tensor.mT")
    swapped: Tensor = input.transpose(-2, -1)
    return swapped


@operator("view", function=False, method=False, attribute=True)
def mH(input: Tensor) -> Tensor:
    """The last two dimensions swapped and the elements conjugated: the adjoint of each matrix of a batch."""
    if not input._size:
        return conj(_deprecated_scalar(input, "Tensor.mH is deprecated on 0-D tensors. " + _CONJUGATE))
    _check_matrices(input, "tensor.mH")
    return conj(transpose(input, -2, -1))


@operator("view", function=False, method=False, attribute=True)
def H(input: Tensor) -> Tensor:
    """The conjugate transpose of a matrix."""
    if len(input._size) not in (0, 2):
        batch = " For batches of matrices, consider using tensor.mH" if len(input._size) > 2 else ""
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {len(input._size)}-D tensor.{batch}"
        )
    if not input._size:
        return conj(_deprecated_scalar(input, "Tensor.H is deprecated on 0-D tensors. " + _CONJUGATE))
    return conj(transpose(input, 0, 1))


@operator("view")
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped and the elements conjugated."""
    if not input._size:
        return conj(_deprecated_scalar(input, "adjoint() is deprecated on 0-D tensors. " + _CONJUGATE))
    _check_matrices(input, "tensor.adjoint()")
    return conj(transpose(input, -2, -1))


_IDENTITY = "This function is the identity in these cases."
_CONJUGATE = "Consider using x.conj()."


def _deprecated_scalar(input: Tensor, message: str) -> Tensor:
    warn(message)
    return input


def _check_matrices(input: Tensor, name: str) -> None:
    if len(input._size) < 2:
        raise RuntimeError(
            f"{name} is only supported on matrices or batches of matrices. Got {len(input._size)}-D tensor."
        )


# --- expanded to the size of others ----------------------------------------------------------------------------------


@operator("view", function=False)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.size())`."""
    expanded: Tensor = input.expand(other._size)
    return expanded


def _broadcast_to_method(input: Tensor, *size: Any) -> Tensor:
    """`input.expand(size)`."""
    return expand(input, *size)


@operator("view", method_form=_broadcast_to_method)
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`input.expand(size)`."""
    if not isinstance(size, tuple | list):
        raise TypeError("a size is a tuple")  # `explaining` turns this into PyTorch's message
    expanded: Tensor = input.expand(size)
    return expanded


@operator("view", method=False, signatures=None)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Every tensor expanded to their common broadcast size."""
    size = geometry.broadcast_shapes(*[tensor._size for tensor in all_tensors(tensors)])
    return tuple([tensor if tensor._size == size else tensor.expand(size) for tensor in tensors])
