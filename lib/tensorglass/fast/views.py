"""Shortcuts of views: plain ints.

Plain ints need no parsing, so such a call goes straight to the header's arithmetic, or to its remembered result. Where
gradients flow to the tensor, the view is entered into the graph, if the operator has one node in PyTorch whatever its
arguments are. Every other call goes on to the form that is handed out.
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
from tensorglass.tensor.torch_function import PLAIN

Header = tuple[tuple[int, ...], tuple[int, ...], int]

_LEFT_OUT: Any = object()  # in place of an argument that was not given


def of_lengths(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`form`, an operator that reads the same elements with other lengths."""

    @wraps(form)
    def fast_path(input: Any = _LEFT_OUT, /, *shape: Any, **keywords: Any) -> Tensor:
        if (type(input) is Tensor or type(input) in PLAIN) and shape and not keywords:
            lengths = shape[0] if type(shape[0]) is tuple and len(shape) == 1 else shape
            for length in lengths:
                if type(length) is not int:
                    break
            else:
                size, stride = geometry.reshape(input._size, input._stride, lengths)
                if stride is not None:
                    if input._meta is None:
                        return view_of(input, size, stride, input._offset)
                    if state.grad and (is_view or input.is_contiguous()):  # of others `reshape` has a node of its own
                        return enter_view((input, lengths), view_of(input, size, stride, input._offset))
        return form(*shape, **keywords) if input is _LEFT_OUT else form(input, *shape, **keywords)

    is_view = form.__name__ == "view"
    return fast_path


def _entering_lengths() -> Callable[[tuple[Any, ...], Tensor], Tensor]:
    """What enters a view of other lengths, under whichever name it was called."""
    from tensorglass.ops.views.shape import view  # which has been declared by the time of the first call

    return entering_view(view)


_enter_lengths: Any = None


def enter_view(arguments: tuple[Tensor, tuple[int, ...]], made: Tensor) -> Tensor:
    """Enter `made`, the first argument with other lengths, into the graph."""
    global _enter_lengths
    if _enter_lengths is None:
        _enter_lengths = _entering_lengths()
    entered: Tensor = _enter_lengths(arguments, made)
    return entered


def of_matrix(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`form`, an operator that exchanges the dimensions of a matrix."""

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 1 and not keywords:
            input = arguments[0]
            is_plain = type(input) is Tensor or type(input) in PLAIN
            if is_plain and len(input._size) == 2 and (input._meta is None or state.grad):
                made = view_of(input, input._size[::-1], input._stride[::-1], input._offset)
                return made if input._meta is None else enter(arguments, made)
        return form(*arguments, **keywords)

    enter = entering_view(form)
    return fast_path


def of_two_dims(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`form`, an operator that exchanges two dimensions."""

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 3 and not keywords:
            input, dim0, dim1 = arguments
            is_plain = type(dim0) is int is type(dim1) and (type(input) is Tensor or type(input) in PLAIN)
            if is_plain and (input._meta is None or state.grad):
                size, stride = geometry.exchange(input._size, input._stride, dim0, dim1)
                made = view_of(input, size, stride, input._offset)
                return made if input._meta is None else enter(arguments, made)
        return form(*arguments, **keywords)

    enter = entering_view(form)
    return fast_path


def of_ints(
    arithmetic: Callable[..., Header | None], *, as_one: bool = False
) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """What puts `arithmetic` before a form for a call with ints alone: a function of size, stride, offset and these.

    It is remembered what it came to. `as_one`: it takes the ints as one tuple, and so may the call.
    """

    @geometry.remembered
    def planned(size: tuple[int, ...], stride: tuple[int, ...], numbers: tuple[int, ...]) -> Header | None:
        try:
            return arithmetic(size, stride, 0, numbers) if as_one else arithmetic(size, stride, 0, *numbers)
        except (RuntimeError, IndexError, TypeError, ValueError):  # the form meets the error again, and says it in full
            return None

    def enter(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
        @wraps(form)
        def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
            if arguments and not keywords:
                input, numbers = arguments[0], arguments[1:]
                if type(input) is Tensor and input._meta is None:
                    if as_one and len(numbers) == 1 and type(numbers[0]) is tuple:
                        numbers = numbers[0]
                    elif as_one and not numbers:
                        return form(input)  # which says what is missing
                    for number in numbers:
                        if type(number) is not int:
                            break
                    else:
                        found = planned(input._size, input._stride, numbers)
                        if found is not None:
                            size, stride, offset = found
                            return view_of(input, size, stride, input._offset + offset)
            return form(*arguments, **keywords)

        return fast_path

    return enter
