"""Reading arguments as PyTorch does: sizes given one by one or as a sequence; and the errors for wrong ones."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tensorglass.core.devices import META
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, type_name
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor


def invalid_combination(
    name: str, arguments: Sequence[Any], *expected: str, keywords: Mapping[str, Any] | None = None
) -> TypeError:
    """PyTorch's TypeError for arguments that fit none of the signatures `expected`."""
    types = [type_name(argument) for argument in arguments]
    if len(expected) == 1 and not keywords:
        types = _marked(types, expected[0])
    # PyTorch lists keywords from the last to the first, and forgets a comma where there are only keywords.
    named = [f"{key}={type_name(value)}" for key, value in reversed(list((keywords or {}).items()))]
    got = ", ".join(types + named) + ("" if types or not named else ", ")
    head = f"{name}() received an invalid combination of arguments - got ({got}), but expected "
    if len(expected) == 1:
        unknown = [key for key in keywords or {} if f" {key}" not in expected[0].replace("(", " ")]
        if unknown:
            begin = head.partition("got (")[0]
            return TypeError(f"{begin}got unrecognized keyword arguments: {', '.join(unknown)}")
        return TypeError(f"{head}{expected[0]}")
    return TypeError(f"{head}one of:\n" + "".join(f" * {signature}\n" for signature in expected))


def _marked(types: list[str], signature: str) -> list[str]:
    """The types of the arguments, if there are as many as the signature has parts (the star counts); mismatches are
    marked.
    """
    parts = [part.split(" = ")[0] for part in signature.removesuffix(", Tensor out = None)").strip("()").split(", ")]
    if len(types) != len(parts):
        return types
    names = [part.rpartition(" ")[0] for part in parts]
    return [
        kind if kind == name or (kind, name) == ("int", "float") else f"!{kind}!"
        for kind, name in zip(types, names, strict=True)
    ]


def all_tensors(arguments: Sequence[Any], *notes: str, at: int = 0) -> Sequence[Tensor]:
    """The arguments, if all are tensors; else raises PyTorch's TypeError with these notes."""
    for place, argument in enumerate(arguments):
        if not isinstance(argument, Tensor):
            refusal = f"expected Tensor as element {place} in argument {at}, but got {type_name(argument)}"
            raise explained(TypeError(refusal), *notes)
    return arguments


def ints(name: str, arguments: tuple[Any, ...], *expected: str) -> tuple[int, ...]:
    """The ints given as ``f(2, 3)``, ``f((2, 3))``, ``f([2, 3])`` or ``f(Size([2, 3]))``; 0-dim integer tensors count.

    Anything else, or nothing, raises PyTorch's TypeError, which names the signatures `expected`.
    """
    if not arguments:
        if len(expected) != 1:
            raise invalid_combination(name, arguments, *expected)
        argument = expected[0].partition("tuple of ints ")[2].split(",")[0].rstrip(")")
        raise TypeError(f'{name}() missing 1 required positional arguments: "{argument}"')
    for value in arguments:
        if type(value) is not int:
            break
    else:
        return arguments
    values = arguments
    if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)):
        values = tuple(arguments[0])
        if are_ints(values):
            return values
    try:
        if isinstance(values[0], bool):  # sic: True further on is a 1
            raise TypeError
        return tuple([operator.index(value) for value in values])
    except TypeError:
        raise invalid_combination(name, arguments, *expected) from None


def are_ints(values: tuple[Any, ...]) -> bool:
    """Whether all are plain ints."""
    for value in values:  # noqa: SIM110  # `all` with a generator is slower, and every call with sizes comes here
        if type(value) is not int:
            return False
    return True


def check_int(name: str, argument: str, position: int, value: Any) -> int:
    """`value` as an int, or PyTorch's TypeError for argument number `position`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be int, not {type_name(value)}"
        ) from None


def check_tensor(name: str, value: Any, argument: str = "input", position: int = 1) -> None:
    """Raise PyTorch's TypeError unless `value` is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type_name(value)}")


def check_tensors(name: str, **values: Any) -> None:
    """`check_tensor` of the first arguments, in their order."""
    for position, (argument, value) in enumerate(values.items(), 1):
        check_tensor(name, value, argument, position)


def refuse_gradients(name: str, **values: Tensor | None) -> None:
    """Raise PyTorch's error for arguments that require gradients, for a function without a derivative."""
    for argument, value in values.items():
        if value is not None and value.requires_grad and state.grad:
            raise RuntimeError(
                f"The function '{name}' is not differentiable with respect to argument '{argument}'. This input cannot "
                "have requires_grad True."
            )


def check_pair(out: Any) -> None:
    """Raise PyTorch's TypeError unless ``out=`` is a pair of tensors."""
    if not isinstance(out, tuple | list) or not all(isinstance(target, Tensor) for target in out):
        raise TypeError("out= takes a pair of tensors here")  # `explaining` turns this into PyTorch's message
    if len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}")


def refuse_two_devices(arguments: Iterable[Any], keywords: Mapping[str, Any]) -> None:
    """Raise PyTorch's error if the tensors among the arguments of a call that failed are on two devices."""
    devices = list(dict.fromkeys(_devices_of([*arguments, *keywords.values()])))
    if len(devices) > 1:
        raise on_two_devices(*devices[:2])


def _devices_of(arguments: Iterable[Any]) -> Iterable[Device]:
    for argument in arguments:
        if isinstance(argument, Tensor):
            yield argument._storage.device
        elif isinstance(argument, tuple | list):
            yield from _devices_of(argument)


def on_two_devices(one: Device, other: Device) -> RuntimeError:
    """PyTorch's error."""
    text = f"Expected all tensors to be on the same device, but found at least two devices, {one} and {other}!"
    if META in (one, other):
        text = f"Tensor on device {other} is not on the expected device {one}!"
    return explained(
        RuntimeError(text),
        "Move one of them first: x.to(y.device).",
        notebook="2/15 Where a tensor lives",
    )


def refuse_copy_across(device: Device, out: Tensor) -> None:
    """Raise PyTorch's error for a result on `device` and a tensor given as ``out=``, one of which is on 'meta'."""
    given = out._storage.device
    if given is not device and META in (given, device):
        raise RuntimeError(
            f"Attempting to copy from device {device} to device {given}, but cross-device copies are not allowed!"
        )


def refuse_meta(name: str, *tensors: Tensor) -> None:
    """Raise for tensors on the meta device if the result depends on elements; `name` is PyTorch's operator."""
    if any(tensor._storage.device is META for tensor in tensors):
        raise explained(
            NotImplementedError(
                f"{name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
                "registered. You may have run into this message while using an operator with PT2 compilation APIs "
                "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake "
                "impl. Please see the following for next steps:  "
                "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
            ),
            "Its result depends on the elements, and a tensor on 'meta' has none.",
        )


def holds_somewhere(condition: Tensor) -> bool:
    """Whether a condition is true for any element; False on the meta device, which has no elements to look at."""
    return condition._storage.device is not META and bool(condition.any())


def not_implemented(kernel_name: str, dtype: DType) -> NotImplementedError:
    """The error for a dtype that PyTorch has not written a kernel for, by the name of its kernel."""
    return NotImplementedError(f"\"{kernel_name}\" not implemented for '{dtype.scalar_type}'")
