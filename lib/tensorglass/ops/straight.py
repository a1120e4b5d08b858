"""The usual calls of elementwise operators, straight to the kernel.

Operands without gaps, of one size and one dtype, go straight to the kernel, and so does one of them beside a number
that does not promote. Those of one dtype that lie otherwise take the next way, on which the result's strides are
looked up; others go to `compute`, and refusals and parameters to `slow`, which reads the arguments one by one. For
4×4 tensors: 1.5 and 2, 2.8 to 4.4, and 5.4 µs. The one idea to keep in mind: what is asked at every call is a look at
types and fields; all that follows from the operator alone is asked once, when the form is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import dtypes, shortcuts
from tensorglass.backends.numpy_backend import HOST
from tensorglass.geometry import CONTIGUOUS_STRIDES, self_overlaps
from tensorglass.graph.modes import state
from tensorglass.making import result_tensor
from tensorglass.ops.elementwise import compute, compute_alike, compute_packed, into
from tensorglass.ops.kernel import Kernel
from tensorglass.ops.planning import Layout, layout_at_once, result_layout
from tensorglass.ops.signatures import CallSignature
from tensorglass.tensor import Tensor, raw_array

_LEFT_OUT: Any = object()  # in place of an argument that the caller must give: `slow` says so
_PLAIN = {int: dtypes.INTEGER, float: dtypes.FLOATING}  # numbers that no subclass makes special, and their category


def _no_fast_path(kernel: Kernel, call: CallSignature, slow: Callable[..., Any]) -> Callable[..., Any]:
    return slow


def _fast_of_many(kernel: Kernel, call: CallSignature, slow: Callable[..., Any]) -> Callable[..., Any]:
    kinds = [{Tensor, *_PLAIN} if name in call.numbers else {Tensor} for name in call.operands]

    def form(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == len(kinds) and not keywords and type(arguments[0]) is Tensor:
            for argument, kind in zip(arguments, kinds, strict=True):
                if type(argument) not in kind:
                    break
            else:
                if call.are_alike(arguments):
                    return compute(kernel, arguments, {})
        return slow(*arguments, **keywords)

    return form


def _fast_unary(kernel: Kernel, call: CallSignature, slow: Callable[..., Any]) -> Callable[..., Any]:
    calls, bind, is_like_input = kernel.calls, kernel.bind, kernel.is_like_input
    direct, least_pooled = kernel.unchecked, kernel.least_pooled

    def form(input: Any = _LEFT_OUT, /, *more: Any, **keywords: Any) -> Any:
        if type(input) is not Tensor or more or keywords:
            return slow(*_given(input), *more, **keywords)
        result = direct.get(input._dtype)
        if result is None:
            return compute(kernel, (input,), {})
        array, size, storage = input._array, input._size, input._storage
        if array is None:
            array = raw_array(input)
        if input._contiguous and size and not is_like_input and storage._nbytes < least_pooled:
            backend = storage.backend
            attempt = backend.attempt  # Python calls what it finds in a variable sooner than a method
            try:
                made = attempt(calls.get(backend) or bind(backend), array)
            except (MemoryError, RuntimeError):  # `compute` finds the former again, and says it as PyTorch does
                return compute(kernel, (input,), {})
            answer = result_tensor(made, result, backend, storage.device, size, CONTIGUOUS_STRIDES[size])
        else:
            size, stride, order = result_layout(((size, input._stride),), is_like_input)
            answer = compute_alike(kernel, storage, result, size, stride, order, array)
        if input._meta is not None and state.grad:
            return kernel.record((input,), answer)
        return answer

    return form


def _fast_binary(kernel: Kernel, call: CallSignature, slow: Callable[..., Any]) -> Callable[..., Any]:
    straight = straight_binary(kernel, call, slow)

    def form(input: Any = _LEFT_OUT, other: Any = _LEFT_OUT, /, *more: Any, **keywords: Any) -> Any:
        if other is _LEFT_OUT or more or keywords:
            return slow(*_given(input, other), *more, **keywords)
        return straight(input, other)

    return form


def straight_binary(kernel: Kernel, call: CallSignature, slow: Callable[..., Any]) -> Callable[..., Any]:
    direct, calls, bind, least_pooled = kernel.unchecked, kernel.calls, kernel.bind, kernel.least_pooled
    ufunc = None if kernel.ufunc is None else HOST.ufunc(kernel.ufunc)
    elsewhere = _strided_binary(kernel, call, slow)

    def form(input: Any, other: Any) -> Any:
        if type(input) is Tensor and type(other) is Tensor and input._dtype is other._dtype:
            one, two, size, storage = input._array, other._array, input._size, input._storage
            if one is None:
                one = raw_array(input)
            if two is None:
                two = raw_array(other)
            result = direct.get(input._dtype) if storage.device is other._storage.device else None
            if storage._nbytes >= least_pooled:
                result = None
            if result is None:
                return elsewhere(input, other)
            backend, attempt = storage.backend, storage.backend.attempt
            if input._contiguous and other._contiguous and size == other._size and size:
                try:
                    made = attempt(calls.get(backend) or bind(backend), one, two)
                except (MemoryError, RuntimeError):
                    return compute(kernel, (input, other), {})
                answer = result_tensor(made, result, backend, storage.device, size, CONTIGUOUS_STRIDES[size])
            else:
                layout = layout_at_once(((size, input._stride), (other._size, other._stride)))
                if layout is None or ufunc is None or backend is not HOST:
                    return elsewhere(input, other)
                size, stride, order = layout
                try:
                    made = HOST.attempt(ufunc, one, two, order=order)  # 0.7 µs less than into an array of our own
                except (MemoryError, RuntimeError):
                    return compute(kernel, (input, other), {})
                answer = result_tensor(made, result, HOST, storage.device, size, stride, order == "C")
            if (input._meta is not None or other._meta is not None) and state.grad:
                return kernel.record((input, other), answer)
            return answer
        return elsewhere(input, other)

    if not shortcuts.ENABLED:
        return slow
    return elsewhere if kernel.is_like_input else form


def _strided_binary(kernel: Kernel, call: CallSignature, slow: Callable[..., Any]) -> Callable[..., Any]:
    """For operands of one dtype that lie otherwise or have several sizes, and for numbers."""
    direct, checks, is_like_input = kernel.direct, kernel.checks, kernel.is_like_input
    unchecked = {} if is_like_input else kernel.unchecked
    least_pooled, array_of_number, calls, bind = kernel.least_pooled, kernel.array_of_number, kernel.calls, kernel.bind
    first, second = [_PLAIN if name in call.numbers else {} for name in call.operands]
    of_numbers = kernel.layout_of_numbers

    def with_number(input: Tensor, other: Any) -> Tensor | None:
        """A small tensor without gaps, and a number that does not promote; None for others."""
        dtype, storage, one = input._dtype, input._storage, input._array
        result = unchecked.get(dtype)
        if result is None or one is None or not input._contiguous or second[type(other)] > dtype.category:
            return None
        size, stride, order = result_layout(((input._size, input._stride), *of_numbers))
        if not size or order is not None or storage._nbytes >= least_pooled:
            return None
        backend = storage.backend
        two = array_of_number(backend, other, dtype)
        try:
            made = backend.attempt(calls.get(backend) or bind(backend), one, two)
        except (MemoryError, RuntimeError):
            return None
        answer = result_tensor(made, result, backend, storage.device, size, stride)
        return kernel.record((input, other), answer) if input._meta is not None and state.grad else answer

    def form(input: Any, other: Any) -> Any:
        kind = type(other)
        if type(input) is not Tensor:
            is_plain = kind is Tensor and type(input) in first
            return compute(kernel, (input, other), {}) if is_plain else slow(input, other)
        if kind is not Tensor:
            if kind not in second:
                return slow(input, other)
            answer = with_number(input, other)
            if answer is not None:
                return answer
        dtype, storage = input._dtype, input._storage
        result = direct.get(dtype)
        if kind is Tensor:
            is_alike = other._dtype is dtype and other._storage.device is storage.device
        else:
            is_alike = second[kind] <= dtype.category
        if result is None or not is_alike:
            return compute(kernel, (input, other), {})
        for check in checks:
            check((input, other))
        layouts: tuple[Layout, ...] = ((input._size, input._stride),)
        if kind is Tensor:
            two, layouts = raw_array(other), (*layouts, (other._size, other._stride))
        else:
            two, layouts = array_of_number(storage.backend, other, dtype), (*layouts, *of_numbers)
        one = raw_array(input)
        size, stride, order = result_layout(layouts, is_like_input)
        is_packed = input._contiguous and size and order is None and storage._nbytes < least_pooled
        if is_packed and (kind is not Tensor or (other._contiguous and other._size == size)):
            answer = compute_packed(kernel, storage, result, size, stride, one, two)
        else:
            answer = compute_alike(kernel, storage, result, size, stride, order, one, two)
        if (input._meta is not None or (kind is Tensor and other._meta is not None)) and state.grad:
            return kernel.record((input, other), answer)
        return answer

    return form


def _fast_in_place(kernel: Kernel, call: CallSignature, slow: Callable[..., Any]) -> Callable[..., Any]:
    direct, calls, bind = kernel.direct, kernel.calls, kernel.bind
    array_of_number = kernel.array_of_number
    numbers = _PLAIN if call.operands[1] in call.numbers else {}
    if kernel.ufunc is None or kernel.inplace_check is not None:
        direct = {}

    def form(self: Tensor, other: Any = _LEFT_OUT, /, *more: Any, **keywords: Any) -> Any:
        kind = type(other)
        if more or keywords or type(self) is not Tensor or not (kind is Tensor or kind in numbers):
            return slow(self, *_given(other), *more, **keywords)
        dtype, storage, one, two = self._dtype, self._storage, self._array, None
        meta = self._meta
        is_unrecorded = meta is None or not (state.grad or meta.is_inference)  # as an optimiser's step is
        is_apart = self._contiguous or not self_overlaps(self._size, self._stride)
        if direct.get(dtype) is dtype and is_unrecorded and is_apart:
            if one is None:
                one = raw_array(self)
            if kind is Tensor:
                source = other._storage
                is_alike = other._dtype is dtype and other._size == self._size and storage.device is source.device
                if is_alike and (other._meta is None or not state.grad) and (storage is not source or self is other):
                    two = raw_array(other)
            elif numbers[kind] <= dtype.category:
                two = array_of_number(storage.backend, other, dtype)
        if one is None or two is None or (kernel.checks and not dtype.is_floating_point):
            return compute(kernel, (self, other), {}, self, inplace=True)
        backend = storage.backend
        backend.run(calls.get(backend) or bind(backend), one, two, one)
        self._written()
        return self

    return form


def _fast_unary_in_place(kernel: Kernel, call: CallSignature, slow: Callable[..., Any]) -> Callable[..., Any]:
    calls, bind, least_pooled = kernel.calls, kernel.bind, kernel.least_pooled
    direct = kernel.unchecked if kernel.takes_out and kernel.inplace_check is None else {}

    def form(self: Tensor, /, *more: Any, **keywords: Any) -> Any:
        if more or keywords or type(self) is not Tensor:
            return slow(self, *more, **keywords)
        dtype, storage, array, meta = self._dtype, self._storage, self._array, self._meta
        is_unrecorded = meta is None or not (state.grad or meta.is_inference)
        is_packed = self._contiguous and not self._conj and storage._nbytes < least_pooled
        if array is None or direct.get(dtype) is not dtype or not (is_unrecorded and is_packed):
            return compute(kernel, (self,), {}, self, inplace=True)
        backend = storage.backend
        backend.launch(into, calls.get(backend) or bind(backend), (array,), array)
        self._written()
        return self

    return form


def _given(*arguments: Any) -> list[Any]:
    return [argument for argument in arguments if argument is not _LEFT_OUT]


_FAST = {1: (_fast_unary, _fast_unary_in_place), 2: (_fast_binary, _fast_in_place)}


def fast_paths(call: CallSignature) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What puts the fast path before a form of an operator called in this way, and before its in-place form."""
    if not shortcuts.ENABLED:
        return _no_fast_path, _no_fast_path
    return _FAST.get(len(call.operands), (_fast_of_many, _no_fast_path))
