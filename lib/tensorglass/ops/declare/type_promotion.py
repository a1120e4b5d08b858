"""Which dtype an operator computes in, and which its result has.

Operands first *promote* to one common dtype (by the ranks that `dtypes` explains), then the operator's `DTypeRule` maps
that: sums keep it, `exp` needs a floating-point type, comparisons return bool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.dtypes import C_NAMES
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.tensor.tensor import Tensor

_SIGNS = {"bitwise_and_cpu": "&", "bitwise_or_cpu": "|", "bitwise_xor_cpu": "^"}


class DTypeRule:
    """Maps the operands' common dtype to the dtype to compute in and the dtype of the result.

    If the rule depends on parameters, a declaration has a function of them that returns a rule. Rules are compared by
    identity, so that they are quick keys for cached plans.
    """

    __slots__ = (
        "compute", "exact", "is_like_input", "numbers_lie", "refusal", "refuses", "result", "rounds_numbers",
        "takes_halves", "widens",
    )  # fmt: skip

    def __init__(
        self,
        *,
        compute: Callable[[DType], DType] | None = None,
        result: Callable[[DType], DType] | None = None,
        refuses: tuple[int, ...] = (),
        rounds_numbers: bool = False,
        takes_halves: bool = True,
        widens: bool = True,
        is_like_input: bool = False,
        numbers_lie: bool = True,
        exact: tuple[int, ...] = (),
        refusal: str = "Found dtype {out} but expected {result}",
    ) -> None:
        self.compute = compute  #: None: the common dtype itself
        self.result = result  #: None: the dtype computed in
        self.refuses = refuses  #: categories for which PyTorch has no such kernel
        self.rounds_numbers = rounds_numbers  #: whether numbers are first rounded to the half type of the other operand
        self.takes_halves = takes_halves  #: whether PyTorch has a kernel for float16 and bfloat16
        self.widens = widens  #: whether half types are computed in float32 and rounded
        #: whether a new result has the strides of an `empty_like` of the first operand
        self.is_like_input = is_like_input
        #: whether numbers affect the strides of a new result, as 0-dim tensors do
        self.numbers_lie = numbers_lie
        self.exact = exact  #: categories for which ``out=`` must have the result's own dtype
        self.refusal = refusal  #: the error for an ``out=`` of another dtype

    def but(self, **changes: Any) -> DTypeRule:
        """This rule with some fields changed: ``FLOAT.but(widens=False)``."""
        return DTypeRule(**{name: getattr(self, name) for name in self.__slots__} | changes)

    def promoted(self, common: DType) -> DType:
        """The dtype to compute in; half types are computed in float32."""
        return common if self.compute is None else self.compute(common)

    def refusing(self, *categories: int) -> DTypeRule:
        """This rule for an operator that has no kernel for `categories`."""
        return self.but(refuses=categories)

    def lacks(self, promoted: DType) -> bool:
        """Whether there is no kernel for the dtype."""
        if promoted.category in self.refuses:
            return True
        return not self.takes_halves and promoted.itemsize == 2 and promoted.is_floating_point

    def exactly(self, *categories: int, refusal: str | None = None) -> DTypeRule:
        """This rule for an operator whose ``out=`` must have the result's own dtype, at least in `categories`."""
        any_category = (dtypes.BOOL, dtypes.INTEGER, dtypes.FLOATING, dtypes.COMPLEX)
        return self.but(exact=categories or any_category, refusal=refusal or self.refusal)


def as_floating(common: DType) -> DType:
    """The common dtype, or the default floating-point dtype in place of integers and bool."""
    return common if common.category >= dtypes.FLOATING else dtypes.get_default_dtype()


def as_bool(computed: DType) -> DType:
    """bool, whatever was compared."""
    return dtypes.bool


#: The result has the operands' common dtype: add, mul.
PROMOTE = DTypeRule()

#: The same for an operator whose numbers are parameters.
PARAMETRIC = PROMOTE.but(numbers_lie=False)
#: Integers are computed as the default floating-point dtype: exp, true division.
FLOAT = DTypeRule(compute=as_floating)
#: FLOAT, for operators that need an order: atan2.
ORDERED_FLOAT = FLOAT.refusing(dtypes.COMPLEX)
#: ORDERED_FLOAT, for operators that have no kernel for half types: zeta.
WIDE_FLOAT = ORDERED_FLOAT.but(takes_halves=False)
#: Compares in the common dtype and returns bool: eq, isnan.
PREDICATE = DTypeRule(result=as_bool, widens=False)
#: PREDICATE, for operators that need an order: lt.
ORDERING = PREDICATE.refusing(dtypes.COMPLEX)
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
    """`common_dtype` of operands given by dtype and size; a number has size None."""
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


def apply_rule(rule: DTypeRule, common: DType) -> tuple[DType, DType]:
    """The dtype that a kernel computes in, and its result's."""
    compute = rule.promoted(common)
    result = compute if rule.result is None else rule.result(compute)
    if rule.widens and compute.itemsize == 2 and compute.is_floating_point:
        compute = dtypes.float32
    return compute, result


def refuse(rule: DTypeRule, promoted: DType, error_name: str) -> None:
    """Raise NotImplementedError for a dtype that the rule refuses."""
    if rule.lacks(promoted):
        error = NotImplementedError(f"\"{error_name}\" not implemented for '{promoted.scalar_type}'")
        if (sign := _SIGNS.get(error_name)) is not None:
            explained(
                error,
                f"{sign} comes before <, > and ==. To combine two comparisons, put each into parentheses: "
                f"(x > 1) {sign} (x < 4).",
                notebook="2/06 Questions masks and nan",
            )
        raise explained(
            error,
            f"The operator has no meaning for {promoted!r}, or PyTorch has not written it; convert the tensor first.",
        )


def to_one_dtype(one: DType, other: DType) -> str:
    """The advice for two operands of an operator that does not promote: convert to their common dtype."""
    try:
        common = dtypes.promote_types(one, other)
    except RuntimeError:  # the wide unsigned types promote with few others
        common = one
    if common not in (one, other):
        return f"No operand is converted here: convert both, as in x.to({common!r})."
    converted = other if common == one else one
    return f"No operand is converted here: convert the one of {converted!r}, as in x.to({common!r})."


def check_out_dtype(out: Tensor | None, dtype: DType) -> None:
    """Raise unless ``out=``, if it is given, has the result's own dtype."""
    if out is not None and out._dtype is not dtype:
        raise RuntimeError(f"Expected out tensor to have dtype {C_NAMES[dtype]}, but got {C_NAMES[out._dtype]} instead")


def cannot_cast(result: DType, target: DType, in_c: bool = False) -> RuntimeError:
    """The error for writing a result of dtype `result` into a tensor whose dtype cannot hold it."""
    wanted = C_NAMES[target] if in_c else target.scalar_type
    return explained(
        RuntimeError(f"result type {result.scalar_type} can't be cast to the desired output type {wanted}"),
        f"The tensor written to is {target!r}, which cannot hold {result!r} values: use the form that makes a new "
        "tensor, or convert the tensor first.",
        notebook="1/08 In-place and clone",
    )
