"""The shortcut of constant padding: small tensors without gaps on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.fast.bare_arrays import is_spread
from tensorglass.fast.node_rules import Kept, Rule
from tensorglass.fast.reductions import packed_array
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph.recorder import recorder_of
from tensorglass.ops.arg_parser.checks import are_ints
from tensorglass.ops.kernels.python_numbers import checked, number_array
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import PLAIN_TYPES

Form = Callable[..., Tensor]
_CONSTANT = ("constant",), ("constant", None)  #: further arguments that leave the number 0


def of_padding(form: Form) -> Form:
    """A shortcut before `form`, for an input, the padding, and possibly the padding value."""

    @wraps(form)
    def pad_first(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) >= 2 and type(arguments[0]) in PLAIN_TYPES:
            value: Any = 0
            is_usual = not arguments[2:] or arguments[2:] in _CONSTANT
            for name, argument in keywords.items():
                if name == "value" and type(argument) in (int, float) and len(arguments) < 4:
                    value = argument
                elif not (name == "mode" and argument == "constant" and len(arguments) == 2):
                    is_usual = False
            result = _padded(arguments[0], arguments[1], value) if is_usual else None
            if result is not None:
                if arguments[0]._meta is not None and state.grad:
                    _recorder().enter((*arguments[:2], value), result)
                return result
        return form(*arguments, **keywords)

    return pad_first


def _padded(input: Tensor, pad: Any, value: float) -> Tensor | None:
    """The tensor padded with `value`; None for unusual calls."""
    if type(pad) not in (tuple, list) or not pad or not are_ints(pad) or min(pad) < 0:
        return None
    dtype, size = input._dtype, input._size
    planned = _plan(size, input._stride, tuple(pad))
    array = None if planned is None or dtype.is_complex or input._conj else packed_array(input)
    if planned is None or array is None:
        return None
    whole, inside, stride = planned
    number = number_array(HOST, checked(value, dtype), dtype)
    padded = HOST.empty(dtype, whole)
    if padded.nbytes >= LEAST:
        return None
    padded[...] = number
    padded[inside] = array
    result = result_tensor(padded, dtype, HOST, input._storage.device, whole, stride)
    memory.copied(array.nbytes)
    return result


@geometry.remembered
def _plan(size: tuple[int, ...], stride: tuple[int, ...], pad: tuple[int, ...]) -> Any:
    """Size and strides of the result, and the input's position in it; None for unusual cases."""
    if 0 in size or len(pad) % 2 or len(pad) > 2 * len(size) or not any(pad):
        return None
    if geometry.suggests_channels_last(size, stride):  # and so is the result
        return None
    pairs = [(0, 0)] * (len(size) - len(pad) // 2) + [*_pairs(pad)][::-1]
    whole = tuple([length + sum(pair) for length, pair in zip(size, pairs, strict=True)])
    inside = tuple([slice(pair[0], pair[0] + length) for length, pair in zip(size, pairs, strict=True)])
    return whole, inside, CONTIGUOUS_STRIDES[whole]


@cache
def _recorder() -> Any:
    from tensorglass.ops.rearrange.pad import constant_pad_nd  # declared by the time of the first call

    return recorder_of(constant_pad_nd)[0]


def _pairs(pad: Any) -> Any:
    """The padding before and after each dimension, beginning with the last."""
    return zip(pad[::2], pad[1::2], strict=True)


def _unpadded(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    pad = kept["pad"]
    if grad.nbytes >= LEAST or min(pad, default=0) < 0 or not (grad.flags.c_contiguous or is_spread(grad)):
        return None
    ends = [(before, grad.shape[-1 - place] - after) for place, (before, after) in enumerate(_pairs(pad))]
    return [grad[(..., *[slice(*pair) for pair in reversed(ends)])].copy()]


#: By operator, as in `fast.node_rules`.
RULES: dict[str, Rule] = {"constant_pad_nd": _unpadded}
