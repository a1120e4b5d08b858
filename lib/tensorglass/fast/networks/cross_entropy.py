"""The shortcut of cross entropy for logits and class indices."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.backends.wide_positions import take
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph.recorder import recorder_of
from tensorglass.ops.kernels.activations import log_softmax
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

XP = HOST.xp
#: Arguments that must have these values, their defaults.
_USUAL = {"weight": None, "reduction": "mean", "label_smoothing": 0.0}
_recorders: list[tuple[Any, tuple[Any, ...]]] = []


def of_cross_entropy(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, for logits (N, C), (N, C, L) or (N, C, H, W) and classes without C, none ignored."""

    @wraps(form)
    def loss_first(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 2:
            ignored = keywords.get("ignore_index", -100)
            for name, value in keywords.items():
                if name != "ignore_index" and (name not in _USUAL or value != _USUAL[name]):
                    break
            else:
                if type(ignored) is int and ignored < 0:
                    loss = _mean_loss(*arguments, ignored)
                    if loss is not None:
                        return loss
        return form(*arguments, **keywords)

    return loss_first


def _mean_loss(input: Any, target: Any, ignored: int) -> Tensor | None:
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES:
        return None
    dtype, size = input._dtype, input._size
    if (dtype is not dtypes.float32 and dtype is not dtypes.float64) or target._dtype is not dtypes.int64:
        return None
    if not 2 <= len(size) <= 4 or target._size != (size[0], *size[2:]) or 0 in size:
        return None
    if not input._storage.device is target._storage.device is CPU:
        return None
    logits = raw_array(input)
    if not input._contiguous or logits.nbytes >= LEAST:
        return None
    kept = HOST.run(_kernel, logits, raw_array(target))
    if kept is None:
        return None
    log_array, array = kept
    log_probs = result_tensor(log_array, dtype, HOST, CPU, size, CONTIGUOUS_STRIDES[size])
    loss = result_tensor(array, dtype, HOST, CPU, (), ())
    if input._meta is not None and state.grad:
        (of_log, defaults), (of_loss, _) = _recorders or _find_recorders()
        of_log.enter((input, 1, *defaults[2:]), log_probs)
        of_loss.enter((log_probs, target, None, "mean", ignored), loss)
    return loss


def _kernel(logits: Array, target: Array) -> tuple[Array, Array] | None:
    """The log-probabilities, and minus the mean of those of the classes; None if a class is not in 0 … C-1."""
    # Read as unsigned integers, negative classes are large.
    if not target.flags.c_contiguous or target.view("uint64").max() >= logits.shape[1]:
        return None
    log_array = XP.empty_like(logits)
    log_softmax(XP, logits, 1, log_array)
    chosen = take(log_array.reshape(-1), flat_places(log_array.shape, target))
    return log_array, XP.asarray(XP.add.reduce(-chosen, None) / target.size, logits.dtype)


def flat_places(size: tuple[int, ...], target: Array) -> Array:
    """The positions of the classes' elements in an array (N, C, …) without gaps, in the order of `target`."""
    beginnings, step = _of_first_class(size)
    places: Array = target.reshape(-1) * step
    places += beginnings
    return places


@lru_cache(64)  # each entry holds an array
def _of_first_class(size: tuple[int, ...]) -> tuple[Array, int]:
    """The positions of the elements of class 0, and the step from class to class."""
    step = prod(size[2:])
    return (XP.arange(size[0])[:, None] * (size[1] * step) + XP.arange(step)).reshape(-1), step


def _find_recorders() -> list[tuple[Any, tuple[Any, ...]]]:
    from tensorglass.ops.nn.loss import nll_loss  # declared by the time of the first call
    from tensorglass.ops.reductions.softmax import log_softmax as operator

    _recorders[:] = recorder_of(operator), recorder_of(nll_loss)
    return _recorders
