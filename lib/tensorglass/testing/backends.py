"""Does a device give what the CPU gives? Every operator is called with the samples of its declaration.

>>> from tensorglass.testing import check_backend
>>> check_backend("sim", ["add", "cat", "sum"])
sim: 3 of 3 operators do what they do on the CPU
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tensorglass import autograd
from tensorglass.ops import OPERATORS
from tensorglass.ops.creation.fill import ones_like
from tensorglass.ops.declare.registry import Operator, Sample
from tensorglass.ops.declare.samples import samples_of
from tensorglass.tensor.tensor import Tensor

# By the size of a real number in bytes: a device may round the last places in its own way.
_TOLERANCES = {2: 1e-2, 4: 1e-5, 8: 1e-11}


@dataclass
class BackendReport:
    """What `check_backend` found: the operators that were checked, and what is wrong with those that failed."""

    device: str
    checked: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether every operator does what it does on the CPU."""
        return not self.failures

    def __repr__(self) -> str:
        right = len(self.checked) - len(self.failures)
        lines = [f"{self.device}: {right} of {len(self.checked)} operators do what they do on the CPU"]
        lines += [f"  {name}: {what}" for name, what in self.failures.items()]
        return "\n".join(lines)


def check_backend(device: str, operators: Iterable[str] | None = None) -> BackendReport:
    """Call every operator, or those named, on `device` and on the CPU, and compare what comes of it.

    Compared are values, sizes, strides, dtypes, errors, what is written in place, and gradients. `device` is the name
    of a device's type.
    """
    report = BackendReport(device)
    names = [row.name for row in OPERATORS.values() if samples_of(row)] if operators is None else operators
    for name in names:
        if name not in OPERATORS or not samples_of(OPERATORS[name]):
            raise ValueError(f"there is no operator {name!r} with samples in the table")
        report.checked.append(name)
        try:
            check_operator(OPERATORS[name], device)
        except AssertionError as failure:
            report.failures[name] = str(failure)
    return report


def check_operator(row: Operator, device: str) -> None:
    """Compare one operator of the table on `device` with the CPU; raises AssertionError where they differ."""
    function = row.function if row.is_function or row.method is None else row.method
    for sample in samples_of(row):
        _compare("results", row.name, sample, partial(_results_on, function, sample), device)
        _compare("gradients", row.name, sample, partial(_gradients_on, function, sample), device)
        if row.inplace is not None and isinstance(sample.arguments[0], Tensor):
            _compare("results in place", row.name, sample, partial(_results_on, row.inplace, sample), device)


def _compare(what: str, name: str, sample: Sample, story: Callable[[str], list[Any]], device: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is warned of on one device is warned of on the other
        here, there = story("cpu"), story(device)
    if not _alike(here, there):
        raise AssertionError(f"{what} of {name}{sample.arguments!r} are {there!r}; on the CPU {here!r}")


def _results_on(function: Callable[..., Any], sample: Sample, device: str) -> list[Any]:
    """The results of a call, or its error, without the device's name."""
    arguments, keywords = _arguments(sample, device)
    try:
        result = function(*arguments, **keywords)
    except Exception as error:
        return _error_on(error, device)
    tensors = _tensors_in(result)
    return [_described(tensor, device) for tensor in tensors] or [repr(result)]


def _gradients_on(function: Callable[..., Any], sample: Sample, device: str) -> list[Any]:
    """The gradients of the sum of a call's results."""
    arguments, keywords = _arguments(sample, device)
    leaves = [tensor for tensor in _tensors_in(arguments) if tensor.is_floating_point()]
    for leaf in leaves:
        leaf.requires_grad_()
    try:
        recorded = [tensor for tensor in _tensors_in(function(*arguments, **keywords)) if tensor.requires_grad]
        if recorded:
            autograd.backward(recorded, [ones_like(tensor) for tensor in recorded])
    except Exception as error:
        return _error_on(error, device)
    return [None if leaf.grad is None else _described(leaf.grad, device) for leaf in leaves]


def _arguments(sample: Sample, device: str) -> tuple[list[Any], dict[str, Any]]:
    """Copies of a sample's arguments on a device."""
    return _moved(list(sample.arguments), device), {
        key: _moved(value, device) for key, value in sample.keywords.items()
    }


def _moved(argument: Any, device: str) -> Any:
    if isinstance(argument, Tensor):
        return argument.clone().to(device)
    if type(argument) in (list, tuple):
        return type(argument)(_moved(item, device) for item in argument)
    return argument


def _tensors_in(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result]
    return [tensor for item in result for tensor in _tensors_in(item)] if isinstance(result, (list, tuple)) else []


def _described(tensor: Tensor, device: str) -> tuple[Any, ...]:
    place = "there" if tensor.device.type == device else f"on {tensor.device}"
    return place, tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor.tolist()


def _error_on(error: Exception, device: str) -> list[Any]:
    """An error without the device's name."""
    text = str(error).replace(f"{device}:0", "cpu").replace(device, "cpu").replace(device.upper(), "CPU")
    return [type(error).__name__, text]


def _alike(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    """Whether two descriptions of results are equal, up to rounding of numbers."""
    if isinstance(one, (list, tuple)):
        if type(one) is not type(other) or len(one) != len(other):
            return False
        if isinstance(one, tuple) and len(one) == 6:  # a description: the dtype says how exact it is
            dtype = one[1]
            tolerance = _TOLERANCES.get(dtype.to_real().itemsize if dtype.is_complex else dtype.itemsize, 0.0)
        return all(_alike(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, complex):
        return _alike(one.real, other.real, tolerance) and _alike(one.imag, other.imag, tolerance)
    if isinstance(one, float):
        return (one != one and other != other) or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return bool(one == other)
