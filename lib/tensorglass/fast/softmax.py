"""Shortcuts of `softmax` and `log_softmax`: small tensors without gaps."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.devices import CPU
from tensorglass.fast.reductions import packed_array, read_call
from tensorglass.graph.recorder import recorder_of
from tensorglass.ops.kernels.half import LARGE
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state


def _run(kernel: Callable[..., None], array: Array, dim: int) -> Array:
    result = HOST.xp.empty(array.shape, array.dtype)
    kernel(HOST.xp, array, dim, result)
    return result


def _by_float32(kernel: Callable[..., None], array: Array, dim: int) -> Array:
    wide = _run(kernel, array.astype("float32"), dim)
    return wide.astype(array.dtype)


def of_softmax(kernel: Callable[..., None]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that puts `kernel` before a form for small tensors."""

    def enter(form: Callable[..., Any]) -> Callable[..., Any]:
        recorder, defaults = recorder_of(form)

        @wraps(form)
        def fast_path(*arguments: Any, **keywords: Any) -> Any:
            read = None if "keepdim" in keywords else read_call(arguments, keywords)
            if read is None:
                return form(*arguments, **keywords)
            input, dim, _ = read
            size, array = input._size, packed_array(input)
            if array is None or not input._dtype.is_floating_point or not 0 < array.nbytes < LEAST:
                return form(*arguments, **keywords)
            if dim is None or not -len(size) <= dim < len(size):
                return form(*arguments, **keywords)
            is_half = input._dtype.itemsize == 2
            if is_half and array.size >= LARGE:  # these are converted in another way
                return form(*arguments, **keywords)
            try:
                computed = HOST.attempt(_by_float32 if is_half else _run, kernel, array, dim)
            except (MemoryError, RuntimeError):  # RuntimeError: another thread holds the context
                return form(*arguments, **keywords)
            result = result_tensor(computed, input._dtype, HOST, CPU, size, geometry.CONTIGUOUS_STRIDES[size])
            if input._meta is not None and state.grad and recorder is not None:
                return recorder.enter((input, dim, *defaults[2:]), result)
            return result

        return fast_path

    return enter
