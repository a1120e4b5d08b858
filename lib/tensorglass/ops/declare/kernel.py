"""A kernel with its declaration's options, and one call of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tensorglass.graph.derivative import derivative_of, parameters_of
from tensorglass.graph.recorder import Recorder
from tensorglass.ops.declare.type_promotion import DTypeRule
from tensorglass.ops.kernels.python_numbers import fitting_array, number_array
from tensorglass.tensor.tensor import Tensor

Rule = DTypeRule | Callable[..., DTypeRule]


class Kernel:
    """The kernel of an elementwise operator, as `pointwise` declares it."""

    __slots__ = (
        "array_of_number", "bounds", "check", "defaults", "error_name", "function", "inplace_check", "late_check",
        "name", "operands", "recorder", "rule", "takes_out", "ufunc",
    )  # fmt: skip

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
        self.check = check  #: called with the operands and parameters; raises for calls that are refused
        self.late_check = late_check  #: the same for checks of values, after all other checks passed
        self.inplace_check = inplace_check  #: called after `check` by in-place forms
        self.error_name = error_name or f"{self.name}_cpu"
        self.ufunc = ufunc  #: the array module's function that equals the kernel when parameters have their defaults
        self.takes_out = "out" in parameters_of(function)
        #: converts a Python number to an array: it wraps around, or is refused if it does not fit
        self.array_of_number = fitting_array if numbers_fit else number_array
        self.bounds = bounds  #: whether numbers are parameters, as in clamp, and not operands
        self.operands: list[str] = []  #: their names
        self.defaults: dict[str, Any] = {}  #: the parameters' names and defaults
        self.recorder: Recorder | None = None  #: None: it has no derivative

    def takes(self, operands: Iterable[str], defaults: dict[str, Any]) -> None:
        """Set the names of the kernel's operands and parameters."""
        self.operands, self.defaults = list(operands), defaults
        derivative = derivative_of(self.function)
        if derivative is not None:
            self.recorder = Recorder(derivative, self.name, (*self.operands, *defaults))

    def rule_for(self, parameters: dict[str, Any]) -> DTypeRule:
        """The rule for a call with these parameters."""
        return self.rule if isinstance(self.rule, DTypeRule) else self.rule(**parameters)


class Call(NamedTuple):
    """One call of an elementwise operator."""

    kernel: Kernel
    operands: Sequence[Any]  #: tensors, Python numbers, or None for an omitted one
    parameters: dict[str, Any]  #: those that were given
    out: Tensor | None = None  #: what the result is written to
    inplace: bool = False  #: whether `out` is the first operand, whose size cannot change
