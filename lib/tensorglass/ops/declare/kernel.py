"""A kernel with all that is known of it before any call: what `declaring` makes of a declaration.

The one idea to keep in mind: what does not depend on a call's operands is worked out once, here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any

from tensorglass.backends import Array, Backend
from tensorglass.backends.host_memory import LEAST
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.fast.recording import entering
from tensorglass.graph.derivative import derivative_of, parameters_of
from tensorglass.graph.recorder import Recorder
from tensorglass.ops.arg_parser.missing_dtypes import TAKING
from tensorglass.ops.declare.result_layout import Layout
from tensorglass.ops.declare.type_promotion import DTypeRule, apply_rule
from tensorglass.ops.kernels.python_numbers import fitting_array, number_array
from tensorglass.tensor.tensor import Tensor

Rule = DTypeRule | Callable[..., DTypeRule]
_FEW_RULES = 8  # as most functions of parameters give


def _unrecorded(operands: tuple[Any, ...], result: Tensor) -> Tensor:
    return result


class Kernel:
    """A kernel with what the path needs to know of it."""

    __slots__ = (
        "_direct_by_rule",
        "array_of_number",
        "bounds",
        "calls",
        "check",
        "checks",
        "complexes",
        "defaults",
        "direct",
        "error_name",
        "function",
        "halves",
        "has_one_rule",
        "inplace_check",
        "is_like_input",
        "lacks_unsigned",
        "late_check",
        "layout_of_numbers",
        "least_pooled",
        "left_out",
        "name",
        "operands",
        "record",
        "recorder",
        "rounds_numbers",
        "rule",
        "takes_out",
        "ufunc",
        "unchecked",
    )

    def __init__(
        self,
        function: Callable[..., Any],
        rule: Rule,
        check: Callable[..., None] | None = None,
        error_name: str | None = None,
        ufunc: str | None = None,
        bounds: bool = False,
        late_check: Callable[..., None] | None = None,
        inplace_check: Callable[..., None] | None = None,
        numbers_fit: bool = False,
    ) -> None:
        self.function = function
        self.name = function.__name__
        self.rule = rule
        self.has_one_rule = isinstance(rule, DTypeRule)  #: whatever its parameters
        self.check = check  #: called with the operands and parameters; raises what it refuses
        self.late_check = late_check  #: the same for what depends on values, once all else is found to be right
        self.checks = [each for each in (check, late_check) if each is not None]  #: both
        self.inplace_check = inplace_check  #: called after `check` where the operator works in place
        self.error_name = error_name or f"{self.name}_cpu"
        self.lacks_unsigned = self.name not in TAKING  #: whether PyTorch has none for uint16, uint32 and uint64
        self.ufunc = ufunc  #: the function of the array module that the kernel is, but for its parameters
        self.takes_out = "out" in parameters_of(function)
        #: from so many bytes on its result goes into memory that is used again, and not into what it returns
        self.least_pooled = LEAST if self.takes_out else sys.maxsize
        #: how an operand that is a Python number becomes an array: wrapped around, or refused where it does not fit
        self.array_of_number = fitting_array if numbers_fit else number_array
        self.bounds = bounds  #: whether numbers are mere parameters, as in clamp, and no operands
        self.operands: list[str] = []  #: their names
        self.defaults: dict[str, Any] = {}  #: the parameters' names, and values where they are left out
        self.left_out: tuple[Any, ...] = ()  #: those values alone
        self.recorder: Recorder | None = None  #: None: it has no derivative
        #: enter a call that has run, with its parameters left out, into the graph, if gradients flow; gives the result
        self.record: Callable[[tuple[Any, ...], Tensor], Tensor] = _unrecorded
        self._direct_by_rule: dict[DTypeRule, dict[DType, DType]] = {}
        rule = self.rule_for({})
        #: which operands' dtypes need no conversion, which half types are computed in float32, and which complex dtypes
        #: need no conversion either unless elements are conjugated: with the result's
        self.direct, self.halves, self.complexes = _of_declared(rule, self.lacks_unsigned)
        #: those of which there is nothing to check: all, or floating-point ones, of which `checks` have nothing to say
        self.unchecked = self.direct
        if self.checks:
            self.unchecked = {dtype: result for dtype, result in self.direct.items() if dtype.is_floating_point}
        self.rounds_numbers = rule.rounds_numbers  #: whether numbers beside half types are rounded to them
        self.is_like_input = rule.is_like_input  #: whether a new result lies as the first operand does
        #: what a number has to say of where a new result lies
        self.layout_of_numbers: tuple[Layout, ...] = (((), ()),) if rule.numbers_lie else ()
        self.calls: dict[Backend, Callable[..., Array]] = {}  #: the kernel as a function of arrays alone

    def takes(self, operands: Iterable[str], defaults: dict[str, Any]) -> None:
        """Say what the kernel is called with."""
        self.operands, self.defaults = list(operands), defaults
        self.left_out = tuple(defaults.values())
        derivative = derivative_of(self.function)
        if derivative is not None:
            self.recorder = Recorder(derivative, self.name, (*self.operands, *defaults))
            if not derivative.in_place_only:
                self.record = entering(self.recorder, self.left_out, len(self.operands))

    def values(self, operands: Sequence[Any], parameters: dict[str, Any]) -> Sequence[Any]:
        """A call's operands and parameters, in the order that its recorder expects."""
        if not self.defaults:
            return operands
        return *operands, *(parameters.get(name, default) for name, default in self.defaults.items())

    def rule_for(self, parameters: dict[str, Any]) -> DTypeRule:
        """The rule for a call with these parameters."""
        return self.rule if isinstance(self.rule, DTypeRule) else self.rule(**parameters)

    def bind(self, backend: Backend) -> Callable[..., Array]:
        """The kernel as a function of arrays alone, its parameters left out, for `backend`."""
        bound = partial(self.function, backend.xp) if self.ufunc is None else backend.ufunc(self.ufunc)
        self.calls[backend] = bound
        return bound

    def direct_for(self, parameters: dict[str, Any]) -> dict[DType, DType]:
        """`direct` for a call with these parameters."""
        if self.has_one_rule or not parameters:
            return self.direct
        rule = self.rule_for(parameters)
        found = self._direct_by_rule.get(rule)
        if found is None:
            found = {} if rule.is_like_input else _direct_dtypes(rule, self.lacks_unsigned)
            if len(self._direct_by_rule) < _FEW_RULES:
                self._direct_by_rule[rule] = found
        return found


def _half_dtypes(rule: DTypeRule) -> dict[DType, DType]:
    """The half types that are computed in float32, and the result's dtype."""
    halves = {}
    for dtype in (dtypes.float16, dtypes.bfloat16):
        if not rule.lacks(rule.promoted(dtype)):
            compute, result = apply_rule(rule, dtype)
            if compute is dtypes.float32 and result in (dtype, dtypes.bool):
                halves[dtype] = result
    return halves


def _direct_dtypes(rule: DTypeRule, lacks_unsigned: bool, are_complex: bool = False) -> dict[DType, DType]:
    """Operands of these dtypes go to the kernel as they are, and what it returns has these: the fast path.

    Complex ones apart, whose elements may be conjugated when read. A kernel's `checks` have nothing to say of floats.
    """
    direct = {}
    for dtype in dtypes.ALL:
        if dtype.is_complex is not are_complex or (lacks_unsigned and dtype in dtypes.WIDE_UNSIGNED):
            continue
        try:
            compute, result = apply_rule(rule, dtype)
        except NotImplementedError:
            continue
        if not rule.lacks(rule.promoted(dtype)) and compute is dtype and result in (dtype, dtypes.bool):
            direct[dtype] = result
    return direct


@cache
def _of_declared(rule: DTypeRule, lacks_unsigned: bool) -> tuple[dict[DType, DType], ...]:
    """All three for the rule of a declaration, which many share."""
    complexes = _direct_dtypes(rule, lacks_unsigned, are_complex=True)
    return _direct_dtypes(rule, lacks_unsigned), _half_dtypes(rule), complexes
