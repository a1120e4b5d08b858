"""uint16, uint32 and uint64: the dtypes for which PyTorch has not written most of its kernels.

Tensors of them are made, converted, copied, indexed, joined, sorted, multiplied and compared for equality; most other
operators refuse them, by the name of the kernel that is missing. Array modules have all these kernels, so a refusal is
nothing but a check. The array API standard, which asks for everything, lifts it: ``with everything_written(): …``.
"""

from __future__ import annotations

import threading

from tensorglass.core.contexts import Context, setting
from tensorglass.core.dtypes import WIDE_UNSIGNED
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained

#: The elementwise operators that PyTorch has written for them, of those that do not compute in floating point. `pow`
#: and the clamps refuse them themselves, for they have several kernels.
TAKING = frozenset((
    "bitwise_and", "bitwise_or", "bitwise_xor", "ceil", "clamp", "clamp_max", "clamp_min", "eq", "floor", "_isclose",
    "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal", "mul", "nan_to_num", "ne", "positive", "pow",
    "round", "signbit", "trunc",
))  # fmt: skip


class _Refusals(threading.local):
    are_lifted = False


_refusals = _Refusals()


def everything_written() -> Context:
    """A block in which nothing is refused, in this thread."""
    return setting(_refusals, are_lifted=True)


def not_implemented(kernel_name: str, dtype: DType) -> NotImplementedError:
    """PyTorch's error for a dtype that a kernel was not written for."""
    return NotImplementedError(f"\"{kernel_name}\" not implemented for '{dtype.scalar_type}'")


def refuse_unwritten(kernel_name: str, dtype: DType) -> None:
    """Raise PyTorch's NotImplementedError if `dtype` is one of the three, for which it has no such kernel."""
    if dtype in WIDE_UNSIGNED and not _refusals.are_lifted:
        raise explained(
            not_implemented(kernel_name, dtype),
            f"PyTorch has written few operators for {dtype!r}: convert the tensor first, to int64 for instance. The "
            "functions of tensorglass.array_api take it as it is.",
        )


# --- PyTorch's names of kernels that depend on the call -------------------------------------------------------------


def adding_slices(dimensions: int) -> str:
    """The kernel that adds slices to a tensor of so many dimensions."""
    if dimensions <= 1:
        return "index_add_"
    return "scatter_gather_tensor_cpu" if dimensions == 2 else "add_stub"


def scattering(reduce: str, include_self: bool) -> str:
    """The kernel of `scatter_reduce`."""
    if not include_self:
        return "scatter_reduce_exclude_input_init"
    return "scatter_gather_tensor_cpu" + ("" if reduce in ("sum", "prod") else f"_reduce_{reduce}")
