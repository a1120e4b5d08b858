"""Every operator gives on an accelerator what it gives on the CPU: one kernel source for all devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from devices_here import ACCELERATORS

import tensorglass as torch
from tensorglass.ops.table import OPERATORS, Operator, Sample

pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")

SAMPLED = [row for row in OPERATORS.values() if row.samples is not None]


def on(device: str, argument: Any, *, recorded: bool = False) -> Any:
    """Copies of the tensors in the argument on a device, the floating-point ones as leaves if `recorded`."""
    if isinstance(argument, torch.Tensor):
        copy = argument.clone().to(device)
        return copy.requires_grad_() if recorded and copy.is_floating_point() else copy
    if type(argument) in (list, tuple):
        return type(argument)(on(device, each, recorded=recorded) for each in argument)
    return argument


def tensors_in(result: Any) -> list[torch.Tensor]:
    """The tensors in a result, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (list, tuple)):
        return [tensor for each in result for tensor in tensors_in(each)]
    return []


def function_of(row: Operator) -> Callable[..., Any]:
    """The operator as a function of all its arguments."""
    return row.function if row.is_function or row.method is None else row.method


def told(error: Exception, device: str) -> list[Any]:
    """An error without the device's name."""
    text = str(error).replace(f"{device}:0", "cpu").replace(device, "cpu").replace(device.upper(), "CPU")
    return [type(error), text]


def story(function: Callable[..., Any], sample: Sample, device: str) -> list[Any]:
    """What a call gives, told without the device: values, layouts, dtypes, or the error."""
    arguments = on(device, list(sample.arguments))
    keywords = {name: on(device, value) for name, value in sample.keywords.items()}
    try:
        result = function(*arguments, **keywords)
    except Exception as error:
        return told(error, device)
    given = [tensor for tensor in tensors_in(arguments) if tensor.device.type != device]
    assert not given
    for tensor in tensors_in(result):
        assert tensor.device.type == device
    if not tensors_in(result):
        return [repr(result)]
    return [
        (repr(tensor.tolist()), tensor.shape, tensor.stride(), tensor.storage_offset(), tensor.dtype)
        for tensor in tensors_in(result)
    ]


@pytest.mark.parametrize("device", ACCELERATORS)
@pytest.mark.parametrize("row", SAMPLED, ids=lambda row: row.name)
def test_an_operator_gives_what_it_gives_on_the_cpu(row: Operator, device: str) -> None:
    assert row.samples is not None
    for sample in row.samples():
        assert story(function_of(row), sample, device) == story(function_of(row), sample, "cpu")


@pytest.mark.parametrize("device", ACCELERATORS)
@pytest.mark.parametrize("row", [row for row in SAMPLED if row.inplace is not None], ids=lambda row: row.name)
def test_an_operator_writes_in_place_what_it_writes_on_the_cpu(row: Operator, device: str) -> None:
    assert row.samples is not None
    assert row.inplace is not None
    for sample in row.samples():
        if isinstance(sample.arguments[0], torch.Tensor):
            assert story(row.inplace, sample, device) == story(row.inplace, sample, "cpu")


def gradients(row: Operator, sample: Sample, device: str) -> list[Any]:
    """The gradients of the sum of a call's results, told without the device."""
    arguments = on(device, list(sample.arguments), recorded=True)
    keywords = {name: on(device, value) for name, value in sample.keywords.items()}
    try:
        result = function_of(row)(*arguments, **keywords)
        recorded = [tensor for tensor in tensors_in(result) if tensor.requires_grad]
        if recorded:
            torch.autograd.backward(recorded, [torch.ones_like(tensor) for tensor in recorded])
    except Exception as error:
        return told(error, device)
    found: list[Any] = []
    for leaf in tensors_in(arguments):
        if leaf.grad is None:
            found.append(None)
        else:
            assert leaf.grad.device == leaf.device
            found.append((repr(leaf.grad.tolist()), leaf.grad.shape, leaf.grad.stride(), leaf.grad.dtype))
    return found


@pytest.mark.parametrize("device", ACCELERATORS)
@pytest.mark.parametrize("row", SAMPLED, ids=lambda row: row.name)
def test_gradients_are_those_of_the_cpu(row: Operator, device: str) -> None:
    assert row.samples is not None
    for sample in row.samples():
        assert gradients(row, sample, device) == gradients(row, sample, "cpu")
