"""Shortcuts of elementwise operators: from the operands straight to the kernel.

Operands without gaps, of one size and dtype, go straight to the kernel, and so does such an operand with a number that
does not promote it. For operands of one dtype with other layouts, the result's strides are looked up. Other operands go
to `compute`; errors and parameters go to `fallback`, the form that parses its arguments. Each call only checks types
and fields; what follows from the operator alone is in `kernels.Facts`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.fast.kernels import FACTS, Facts, compute_alike, compute_packed, into, small_layout
from tensorglass.fast.pointwise_calls import of_calls
from tensorglass.fast.pointwise_parameters import FEW_HALVES, computed_small, of_halves
from tensorglass.geometry import CONTIGUOUS_STRIDES, self_overlaps
from tensorglass.ops.arg_parser.pointwise_arguments import CallSignature
from tensorglass.ops.declare.kernel import Call, Kernel
from tensorglass.ops.declare.result_layout import Layout, result_layout
from tensorglass.ops.declare.run_pointwise import compute
from tensorglass.ops.declare.seams import Elementwise
from tensorglass.ops.kernels.half import LARGE
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

Form = Callable[..., Any]

_LEFT_OUT: Any = object()  # the default of a required argument: `fallback` raises if it is missing
_PLAIN = {int: dtypes.INTEGER, float: dtypes.FLOATING}  # exact types of numbers, without subclasses, and their category


def _fast_of_many(facts: Facts, signature: CallSignature, fallback: Form) -> Form:
    kernel = facts.kernel
    kinds = [_PLAIN if name in signature.numbers else {} for name in signature.operands]

    def of_many(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == len(kinds) and not keywords and type(arguments[0]) in PLAIN_TYPES:
            has_meta = has_number = False
            for argument, kind in zip(arguments, kinds, strict=True):
                if type(argument) in PLAIN_TYPES:
                    has_meta = has_meta or argument._meta is not None
                elif type(argument) not in kind:
                    break
                else:
                    has_number = True
            else:
                if (has_meta or not has_number) and signature.are_alike(arguments):
                    result = None if has_meta else computed_small(kernel, arguments, {})
                    return compute(Call(kernel, arguments, {})) if result is None else result
        return fallback(*arguments, **keywords)

    return of_many


def _fast_unary(facts: Facts, signature: CallSignature, fallback: Form) -> Form:
    kernel = facts.kernel
    on_host, is_like_input, direct = facts.on_host, facts.is_like_input, facts.unchecked
    least_packed = 0 if is_like_input else facts.least_pooled
    attempt, compute_halves = HOST.attempt, of_halves(facts, FEW_HALVES)

    def unary(input: Any = _LEFT_OUT, /, *more: Any, **keywords: Any) -> Any:
        if (type(input) is not Tensor and type(input) not in PLAIN_TYPES) or more or keywords:
            return fallback(*_given(input), *more, **keywords)
        result = direct.get(input._dtype)
        if result is None:
            halves = compute_halves(input)
            if halves is None:
                return compute(Call(kernel, (input,), {}))
            return facts.record((input,), halves) if input._meta is not None and state.grad else halves
        array, size, storage = input._array, input._size, input._storage
        if array is None:
            array = raw_array(input)
        if input._contiguous and size and storage._nbytes < least_packed and storage.device is CPU:
            stride = CONTIGUOUS_STRIDES[size]
            try:
                computed = attempt(on_host, array)
            except (MemoryError, RuntimeError):  # `compute` raises the error again, worded as PyTorch does
                return compute(Call(kernel, (input,), {}))
            answer = result_tensor(computed, result, HOST, CPU, size, stride)
        else:
            size, stride, order = result_layout(((size, input._stride),), is_like_input)
            answer = compute_alike(facts, storage, result, size, stride, order, array)
        if input._meta is not None and state.grad:
            return facts.record((input,), answer)
        return answer

    return unary


def _fast_binary(facts: Facts, signature: CallSignature, fallback: Form) -> Form:
    without_parameters = _direct_binary(facts, signature, fallback)

    def binary(input: Any = _LEFT_OUT, other: Any = _LEFT_OUT, /, *more: Any, **keywords: Any) -> Any:
        if other is _LEFT_OUT or more or keywords:
            return fallback(*_given(input, other), *more, **keywords)
        return without_parameters(input, other)

    return binary


def _direct_binary(facts: Facts, signature: CallSignature, fallback: Form) -> Form:
    kernel = facts.kernel
    direct, on_host, least_pooled = facts.unchecked, facts.on_host, facts.least_pooled
    attempt = HOST.attempt
    ufunc = None if kernel.ufunc is None else on_host
    of_any_layout = _strided_binary(facts, signature, fallback)

    def direct_binary(input: Any, other: Any) -> Any:
        is_plain = type(input) is Tensor or type(input) in PLAIN_TYPES  # the first is quicker to see
        if is_plain and (type(other) is Tensor or type(other) in PLAIN_TYPES) and input._dtype is other._dtype:
            one, two, size, storage = input._array, other._array, input._size, input._storage
            if one is None:
                one = raw_array(input)
            if two is None:
                two = raw_array(other)
            result = direct.get(input._dtype) if storage.device is other._storage.device is CPU else None
            if result is None or storage._nbytes >= least_pooled:
                return of_any_layout(input, other)
            if input._contiguous and other._contiguous and size == other._size and size:
                stride = CONTIGUOUS_STRIDES[size]
                try:
                    array = attempt(on_host, one, two)
                except (MemoryError, RuntimeError):
                    return compute(Call(kernel, (input, other), {}))
                answer = result_tensor(array, result, HOST, CPU, size, stride)
            else:
                layout = small_layout(((size, input._stride), (other._size, other._stride)))
                if layout is None or ufunc is None:
                    return of_any_layout(input, other)
                size, stride, order = layout
                try:
                    array = attempt(ufunc, one, two, order=order)  # faster than into an array that we allocate
                except (MemoryError, RuntimeError):
                    return compute(Call(kernel, (input, other), {}))
                answer = result_tensor(array, result, HOST, CPU, size, stride, order == "C")
            if (input._meta is not None or other._meta is not None) and state.grad:
                return facts.record((input, other), answer)
            return answer
        return of_any_layout(input, other)

    return of_any_layout if facts.is_like_input else direct_binary


def _strided_binary(facts: Facts, signature: CallSignature, fallback: Form) -> Form:
    """For operands of one dtype with other layouts or different sizes, and for numbers."""
    kernel = facts.kernel
    direct, checks, is_like_input = facts.direct, facts.checks, facts.is_like_input
    unchecked = {} if is_like_input else facts.unchecked
    least_pooled, array_of_number, calls, bind = facts.least_pooled, kernel.array_of_number, facts.calls, facts.bind
    first, second = [_PLAIN if name in signature.numbers else {} for name in signature.operands]
    of_numbers, compute_halves = facts.layout_of_numbers, of_halves(facts, LARGE - 1)

    def with_number(input: Tensor, other: Any) -> Tensor | None:
        """A small tensor without gaps and a number that does not promote it; None for all others."""
        dtype, storage, one = input._dtype, input._storage, input._array
        result, size = unchecked.get(dtype), input._size
        if result is None or one is None or not input._contiguous or second[type(other)] > dtype.category:
            return None
        stride = CONTIGUOUS_STRIDES[size]  # if a dimension has length 1 or 0, a number may change its stride
        if not size or input._stride != stride or 0 in size or storage._nbytes >= least_pooled:
            return None
        backend = storage.backend
        two = array_of_number(backend, other, dtype)
        try:
            array = backend.attempt(calls.get(backend) or bind(backend), one, two)
        except (MemoryError, RuntimeError):
            return None
        answer = result_tensor(array, result, backend, storage.device, size, stride)
        return facts.record((input, other), answer) if input._meta is not None and state.grad else answer

    def strided_binary(input: Any, other: Any) -> Any:
        kind = type(other)
        is_tensor = kind is Tensor or kind in PLAIN_TYPES
        if type(input) is not Tensor and type(input) not in PLAIN_TYPES:
            is_plain = is_tensor and type(input) in first
            return compute(Call(kernel, (input, other), {})) if is_plain else fallback(input, other)
        if not is_tensor:
            if kind not in second:
                return fallback(input, other)
            answer = with_number(input, other)
            if answer is not None:
                return answer
        dtype, storage = input._dtype, input._storage
        result = direct.get(dtype)
        if is_tensor:
            is_alike = other._dtype is dtype and other._storage.device is storage.device
        else:
            is_alike = second[kind] <= dtype.category
        if result is None or not is_alike:
            halves = compute_halves(input, other) if is_tensor else None
            if halves is None:
                return compute(Call(kernel, (input, other), {}))
            is_recorded = (input._meta is not None or other._meta is not None) and state.grad
            return facts.record((input, other), halves) if is_recorded else halves
        for check in checks:
            check((input, other))
        layouts: tuple[Layout, ...] = ((input._size, input._stride),)
        if is_tensor:
            two, layouts = raw_array(other), (*layouts, (other._size, other._stride))
        else:
            two, layouts = array_of_number(storage.backend, other, dtype), (*layouts, *of_numbers)
        one = raw_array(input)
        size, stride, order = result_layout(layouts, is_like_input)
        is_packed = input._contiguous and size and order is None and storage._nbytes < least_pooled
        if is_packed and (not is_tensor or (other._contiguous and other._size == size)):
            answer = compute_packed(facts, storage, result, size, stride, one, two)
        else:
            answer = compute_alike(facts, storage, result, size, stride, order, one, two)
        if (input._meta is not None or (is_tensor and other._meta is not None)) and state.grad:
            return facts.record((input, other), answer)
        return answer

    return strided_binary


def _fast_in_place(facts: Facts, signature: CallSignature, fallback: Form) -> Form:
    kernel = facts.kernel
    direct, calls, bind, on_host, attempt = facts.direct, facts.calls, facts.bind, facts.on_host, HOST.attempt
    array_of_number = kernel.array_of_number
    numbers = _PLAIN if signature.operands[1] in signature.numbers else {}
    if kernel.ufunc is None or kernel.inplace_check is not None:
        direct = {}

    def binary_in_place(self: Tensor, other: Any = _LEFT_OUT, /, *more: Any, **keywords: Any) -> Any:
        kind = type(other)
        if more or keywords or (type(self) is not Tensor and type(self) not in PLAIN_TYPES):
            return fallback(self, *_given(other), *more, **keywords)
        is_tensor = kind is Tensor or kind in PLAIN_TYPES
        if not is_tensor and kind not in numbers:
            return fallback(self, *_given(other), *more, **keywords)
        dtype, storage, one, two = self._dtype, self._storage, self._array, None
        meta = self._meta
        is_unrecorded = meta is None or not (state.grad or meta.is_inference)  # such as an optimizer's step
        is_apart = self._contiguous or not self_overlaps(self._size, self._stride)
        if direct.get(dtype) is dtype and is_unrecorded and is_apart:
            if one is None:
                one = raw_array(self)
            if is_tensor:
                source = other._storage
                fits = other._size == self._size or not other._size
                is_alike = fits and other._dtype is dtype and storage.device is source.device
                if is_alike and (other._meta is None or not state.grad) and (storage is not source or self is other):
                    two = raw_array(other)
            elif numbers[kind] <= dtype.category:
                two = array_of_number(storage.backend, other, dtype)
        if one is None or two is None or (facts.checks and not dtype.is_floating_point):
            return compute(Call(kernel, (self, other), {}, self, inplace=True))
        backend = storage.backend
        if backend is HOST:
            try:
                attempt(on_host, one, two, one)
            except RuntimeError:  # nothing was done: another thread holds the context
                HOST.run(on_host, one, two, one)
        else:
            backend.run(calls.get(backend) or bind(backend), one, two, one)
        if self._counter is None:  # `_written`, inlined
            storage.version += 1
        else:
            self._written()
        return self

    return binary_in_place


def _fast_unary_in_place(facts: Facts, signature: CallSignature, fallback: Form) -> Form:
    kernel = facts.kernel
    calls, bind, least_pooled = facts.calls, facts.bind, facts.least_pooled
    direct = facts.unchecked if kernel.takes_out and kernel.inplace_check is None else {}

    def unary_in_place(self: Tensor, /, *more: Any, **keywords: Any) -> Any:
        if more or keywords or type(self) not in PLAIN_TYPES:
            return fallback(self, *more, **keywords)
        dtype, storage, array, meta = self._dtype, self._storage, self._array, self._meta
        is_unrecorded = meta is None or not (state.grad or meta.is_inference)
        is_packed = self._contiguous and not self._conj and storage._nbytes < least_pooled
        if array is None or direct.get(dtype) is not dtype or not (is_unrecorded and is_packed):
            return compute(Call(kernel, (self,), {}, self, inplace=True))
        backend = storage.backend
        backend.launch(into, calls.get(backend) or bind(backend), (array,), array)
        self._written()
        return self

    return unary_in_place


def _given(*arguments: Any) -> list[Any]:
    return [argument for argument in arguments if argument is not _LEFT_OUT]


class Shortcuts(Elementwise):
    """The shortcuts that are put before the forms of an elementwise operator."""

    def __init__(self, kernel: Kernel, signature: CallSignature) -> None:
        super().__init__(kernel, signature)
        self.facts = FACTS[kernel] = Facts(kernel)

    def out_of_place(self, form: Form, is_method: bool = False) -> Form:
        put = {1: _fast_unary, 2: _fast_binary}.get(len(self.signature.operands), _fast_of_many)
        return put(self.facts, self.signature, of_calls(self.facts, self.signature, form, is_method=is_method))

    def in_place(self, form: Form) -> Form:
        put = {1: _fast_unary_in_place, 2: _fast_in_place}.get(len(self.signature.operands))
        small_first = of_calls(self.facts, self.signature, form, is_method=True, in_place=True)
        return small_first if put is None else put(self.facts, self.signature, small_first)

    def between_two(self, form: Form) -> Form:
        return _direct_binary(self.facts, self.signature, form)
