"""Shortcuts of views: plain ints.

Plain ints need no parsing, so such a call goes straight to the header's arithmetic, or to its cached result. If the
tensor has gradients, the view is recorded, provided that the operator has the same node in PyTorch for all arguments.
Every other call goes to the public form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tensorglass import geometry
from tensorglass.fast.recording import entering_view
from tensorglass.tensor.construct import view_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import PLAIN_TYPES

Header = tuple[tuple[int, ...], tuple[int, ...], int]

_LEFT_OUT: Any = object()  # the default of an omitted argument


def of_lengths(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, which views a tensor with another size."""

    @wraps(form)
    def fast_path(input: Any = _LEFT_OUT, /, *shape: Any, **keywords: Any) -> Tensor:
        if (type(input) is Tensor or type(input) in PLAIN_TYPES) and shape and not keywords:
            lengths = shape[0] if type(shape[0]) is tuple and len(shape) == 1 else shape
            for length in lengths:
                if type(length) is not int:
                    break
            else:
                size, stride = geometry.reshape(input._size, input._stride, lengths)
                if stride is not None:
                    if input._meta is None:
                        return view_of(input, size, stride, input._offset)
                    if state.grad and (is_view or input.is_contiguous()):  # otherwise `reshape` has a different node
                        return enter_view((input, lengths), view_of(input, size, stride, input._offset))
        return form(*shape, **keywords) if input is _LEFT_OUT else form(input, *shape, **keywords)

    is_view = form.__name__ == "view"
    return fast_path


def _entering_lengths() -> Callable[[tuple[Any, ...], Tensor], Tensor]:
    """A function that records a view with another size, under whichever name it was called."""
    from tensorglass.ops.views.shape import view  # declared by the time of the first call

    return entering_view(view)


_enter_lengths: Any = None


def enter_view(arguments: tuple[Tensor, tuple[int, ...]], view: Tensor) -> Tensor:
    """Record `view`, the first argument viewed with another size."""
    global _enter_lengths
    if _enter_lengths is None:
        _enter_lengths = _entering_lengths()
    entered: Tensor = _enter_lengths(arguments, view)
    return entered


def of_matrix(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, which transposes a matrix."""

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 1 and not keywords:
            input = arguments[0]
            is_plain = type(input) is Tensor or type(input) in PLAIN_TYPES
            if is_plain and len(input._size) == 2 and (input._meta is None or state.grad):
                view = view_of(input, input._size[::-1], input._stride[::-1], input._offset)
                return view if input._meta is None else enter(arguments, view)
        return form(*arguments, **keywords)

    enter = entering_view(form)
    return fast_path


def of_two_dims(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, which transposes two dimensions."""

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 3 and not keywords:
            input, dim0, dim1 = arguments
            is_plain = type(dim0) is int is type(dim1) and (type(input) is Tensor or type(input) in PLAIN_TYPES)
            if is_plain and (input._meta is None or state.grad):
                size, stride = geometry.exchange(input._size, input._stride, dim0, dim1)
                view = view_of(input, size, stride, input._offset)
                return view if input._meta is None else enter(arguments, view)
        return form(*arguments, **keywords)

    enter = entering_view(form)
    return fast_path


def of_ints(
    arithmetic: Callable[..., Header | None], *, as_one: bool = False, recorded: int | None = None
) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """A decorator that puts `arithmetic`, a function of size, stride, offset and ints, before a form called with ints.

    Its results are cached. `as_one`: it takes the ints as one tuple, and so may the call. Calls with `recorded`
    arguments, including the tensor, omit none and have one node in PyTorch: they are recorded.
    """

    @geometry.remembered
    def planned(size: tuple[int, ...], stride: tuple[int, ...], numbers: tuple[int, ...]) -> Header | None:
        try:
            return arithmetic(size, stride, 0, numbers) if as_one else arithmetic(size, stride, 0, *numbers)
        except (RuntimeError, IndexError, TypeError, ValueError):  # the form raises the error again, with its notes
            return None

    def put(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
        @wraps(form)
        def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
            if arguments and not keywords:
                input, numbers = arguments[0], arguments[1:]
                if type(input) in PLAIN_TYPES and (input._meta is None or (state.grad and recorded is not None)):
                    if as_one and len(numbers) == 1 and type(numbers[0]) is tuple:
                        numbers = numbers[0]
                    elif as_one and not numbers:
                        return form(input)  # it raises for the missing argument
                    for number in numbers:
                        if type(number) is not int:
                            break
                    else:
                        values = (input, numbers) if as_one else arguments
                        if input._meta is None or len(values) == recorded:
                            planned_view = planned(input._size, input._stride, numbers)
                            if planned_view is not None:
                                size, stride, offset = planned_view
                                view = view_of(input, size, stride, input._offset + offset)
                                return view if input._meta is None else enter(values, view)
            return form(*arguments, **keywords)

        enter = entering_view(form)
        return fast_path

    return put
