"""Which dtype an operator computes in, and which its result has.

The one idea to keep in mind: operands first *promote* to one common dtype (by the ranks that `dtypes` explains), then
the operator's `DTypeRule` says what it makes of that: sums keep it, `exp` wants a floating-point type, comparisons
answer in bool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tensorglass import dtypes
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import explained
from tensorglass.tensor import Tensor


@dataclass(frozen=True, eq=False)
class DTypeRule:
    """From the operands' common dtype to the one computed in and the one of the result.

    Where the rule depends on parameters, a declaration gives a function of them that returns one. Rules are told apart
    by identity, which makes them quick to look up plans by.
    """

    compute: Callable[[DType], DType] | None = None  #: None: the common dtype itself
    result: Callable[[DType], DType] | None = None  #: None: the dtype computed in
    refuses: tuple[int, ...] = ()  #: categories for which PyTorch has no such kernel
    refusal: str | None = None  #: what it says then, where that is not '"add_cpu" not implemented for …'
    refusal_type: type[Exception] = NotImplementedError
    widens: bool = True  #: whether half types are computed in float32 and rounded

    def refusing(
        self,
        *categories: int,
        message: str | None = None,
        error: type[Exception] = NotImplementedError,
    ) -> DTypeRule:
        """This rule for an operator that has no kernel for `categories`."""
        return DTypeRule(self.compute, self.result, categories, message, error, self.widens)


def as_floating(common: DType) -> DType:
    """The common dtype, or the default floating-point dtype in place of integers and bool."""
    return common if common.category >= dtypes.FLOATING else dtypes.get_default_dtype()


def as_bool(computed: DType) -> DType:
    """bool, whatever was compared."""
    return dtypes.bool


#: The result has the operands' common dtype: add, mul.
PROMOTE = DTypeRule()
#: PROMOTE, for operators that need an order: maximum, remainder.
ORDERED = PROMOTE.refusing(dtypes.COMPLEX)
#: Integers are computed as the default floating-point dtype: exp, true division.
FLOAT = DTypeRule(compute=as_floating)
#: FLOAT, for operators that need an order: atan2.
ORDERED_FLOAT = FLOAT.refusing(dtypes.COMPLEX)
#: Compared in the common dtype, answered in bool: eq, isnan.
PREDICATE = DTypeRule(result=as_bool, widens=False)
#: PREDICATE, for operators that need an order: lt.
ORDERING = PREDICATE.refusing(dtypes.COMPLEX)
#: A complex operand gives a real result: abs.
REAL_MAGNITUDE = DTypeRule(result=DType.to_real)
#: The bits of integers and bools: bitwise_and.
BITS = PROMOTE.refusing(dtypes.FLOATING, dtypes.COMPLEX)


def common_dtype(operands: Iterable[Tensor | complex]) -> DType:
    """The dtype that operands of any ranks promote to: tensors with dimensions, 0-dim tensors, Python numbers."""
    return promote_kinds(
        [
            (operand._dtype, operand._size, None)
            if isinstance(operand, Tensor)
            else (dtypes.of_number(operand), None, None)
            for operand in operands
        ]
    )


def promote_kinds(kinds: Iterable[tuple[DType, tuple[int, ...] | None, Any]]) -> DType:
    """`common_dtype` of operands of which only dtype and size are known; a number has no size, None."""
    dimensioned = zero_dim = number = None
    promoted = dtypes._PROMOTED
    for dtype, size, _ in kinds:
        if size:
            dimensioned = dtype if dimensioned is None else promoted[dimensioned, dtype]
        elif size is None:
            number = dtype if number is None else promoted[number, dtype]
        else:
            zero_dim = dtype if zero_dim is None else promoted[zero_dim, dtype]
    return dtypes.combine_ranks(dimensioned, zero_dim, number)


def apply_rule(rule: DTypeRule, common: DType, error_name: str) -> tuple[DType, DType]:
    """The dtype that a kernel computes in, and its result's; NotImplementedError for a dtype that the rule refuses."""
    compute = common if rule.compute is None else rule.compute(common)
    if compute.category in rule.refuses:
        raise explained(
            rule.refusal_type(rule.refusal or f"\"{error_name}\" not implemented for '{compute.scalar_type}'"),
            f"The operator has no meaning for {compute!r}, or PyTorch has not written it; convert the tensor first.",
        )
    result = compute if rule.result is None else rule.result(compute)
    if rule.widens and compute.itemsize == 2 and compute.is_floating_point:
        compute = dtypes.float32
    return compute, result


# C++'s names of types, which clamp's message uses.
_IN_C = {
    dtypes.bool: "bool", dtypes.uint8: "unsigned char", dtypes.int8: "signed char", dtypes.int16: "short int",
    dtypes.int32: "int", dtypes.int64: "long int",
}  # fmt: skip


def cannot_cast(result: DType, target: DType, in_c: bool = False) -> RuntimeError:
    """The error of an operator that would write `result` values into a tensor that cannot hold them."""
    wanted = _IN_C.get(target, target.scalar_type) if in_c else target.scalar_type
    return explained(
        RuntimeError(f"result type {result.scalar_type} can't be cast to the desired output type {wanted}"),
        f"The tensor written to is {target!r}, which cannot hold {result!r} values: use the form that makes a new "
        "tensor, or convert the tensor first.",
        notebook="08 in-place and clone",
    )
