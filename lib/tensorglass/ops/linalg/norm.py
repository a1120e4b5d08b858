"""The length of a tensor as a vector, `norm`, and that of a difference, `dist`. `norms` has the names of linalg."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor, type_name
from tensorglass.ops.declare.reduction import Dims, axes_of, reduce
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.formulas import norm_backward
from tensorglass.ops.kernels import norm as kernels
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.ops.linalg.common import check_floating
from tensorglass.ops.pointwise.arithmetic import sub
from tensorglass.tensor.tensor import Tensor


def _norm_samples() -> Iterator[Sample]:
    for each in (2, 1, 0, 3.5, float("inf"), -float("inf"), "fro", None):
        yield sample(values(2, 3), each)
    yield sample(values(2, 3, 4), 2, (0, 2))
    yield sample(values(2, 3), 1, 1, True)
    yield sample(values(5))
    yield sample(values())


def check_norm_dtype(name: str, input: Tensor, dtype: DType | None) -> None:
    """Raise unless a norm of `input` can be computed in `dtype`."""
    check_floating(name, input)
    if dtype is None:
        return
    if dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {dtype.scalar_type}")
    if dtype.is_complex != input._dtype.is_complex:
        kind = "complex" if input._dtype.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {dtype.scalar_type}")
    if dtypes.promote_types(input._dtype, dtype) is not dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({input._dtype.scalar_type}) should be convertible without narrowing to "
            f"the specified dtype ({dtype.scalar_type})"
        )


def order_of_norm(order: Any) -> Any:
    """The order as a number, if a 0-dim tensor that needs no gradient holds it."""
    return order.item() if isinstance(order, Tensor) and not order._size and not order.requires_grad else order


@operator("reduction", out=True, samples=_norm_samples)
@derivative(
    node=lambda p: None if p == "nuc" else "LinalgVectorNormBackward0",  # which is recorded as what it is made of
    input=lambda grad, input, result, p, dim, keepdim: (
        None if p == 0 else norm_backward(grad, input, result, p, dim, keepdim)  # a count of elements has none at all
    ),
)
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """The vector norm of order `p` over dimensions `dim`, or over all; with `dtype` of the elements converted to it."""
    check_tensor("norm", input)
    p = order_of_norm(p)
    if isinstance(p, str) and (p != "fro" or (isinstance(dim, (tuple, list)) and len(dim) > 2)):
        from tensorglass.ops.linalg.vector_matrix_norm import (
            linalg_matrix_norm,  # when it is needed: it is made of this one
        )

        several = range(len(input._size)) if dim is None else (dim,) if isinstance(dim, int) else dim
        return linalg_matrix_norm(input, p, several, keepdim, dtype=dtype, out=out)
    check_norm_dtype("linalg.vector_norm", input, dtype)
    if dtype is not None:
        input = input.to(dtype)
    check_out_dtype(out, input._dtype.to_real())
    if p is not None and not isinstance(p, (str, *NUMBERS)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(p)}")
    several = dim if isinstance(dim, (tuple, list)) else () if dim is None else (dim,)
    if any(isinstance(each, bool) or not hasattr(each, "__index__") for each in several):
        found = f"tuple of ints, not {type_name(dim)}"
        if isinstance(dim, (tuple, list)):
            found = f"tuple of ints, but found element of type {type_name(dim[0])} at pos 0"
        raise TypeError(f"linalg_vector_norm(): argument 'dim' (position 3) must be {found}")
    if isinstance(p, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    order = 2.0 if p in ("fro", None) else float(p)
    axes = axes_of(len(input._size), dim)
    if order < 0 or order == float("inf"):
        refuse_empty(input, order, dim, axes)
    return reduce(kernels.norm, input, axes, keepdim, input._dtype, input._dtype.to_real(), out, order=order)


def refuse_empty(input: Tensor, order: float, dim: Dims, axes: Sequence[int]) -> None:
    """A largest and a smallest element are there only where there are elements."""
    shown = f"linalg.vector_norm cannot compute the {order:g} norm on"
    if dim is None and 0 in input._size:
        raise RuntimeError(f"{shown} an empty tensor because the operation does not have an identity")
    for axis in axes:
        if input._size and input._size[axis] == 0:
            raise RuntimeError(
                f"{shown} the dimension {axis}because this dimension is empty and the operation does not have an "
                "identity"
            )


def _dist_samples() -> Iterator[Sample]:
    yield sample(values(5), values(5, seed=1))
    yield sample(values(2, 3), values(3, seed=1), 1)
    yield sample(values(2, 3), values(2, 3, seed=1), 3.0)


@operator("linear algebra", samples=_dist_samples)
@derivative(
    input=lambda grad, input, other, result, p: norm_backward(grad, input - other, result, p, None, False),
    other=lambda grad, input, other, result, p: -norm_backward(grad, input - other, result, p, None, False),
)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of order `p` of the difference."""
    check_tensor("dist", input)
    check_tensor("dist", other, "other", 2)
    difference = sub(input, other)
    if difference._dtype.category < dtypes.FLOATING:
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. "
            f"Got {difference._dtype.scalar_type} instead."
        )
    return norm(difference, p)
