"""`autocast`: a region in which operators choose the dtype they run in (Micikevicius and others 2018).

Products run in a lower precision, which is fast and exact enough for them; losses, and other operators that sum many
numbers, run in float32. `ops.declare.autocast` has the lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import partial, wraps
from typing import Any

import tensorglass as torch
from tensorglass.amp import settings
from tensorglass.backends import numpy_values
from tensorglass.backends.cupy_backend import FAMILY as CUDA
from tensorglass.core.contexts import Context
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.tensor.tensor import Tensor
from tensorglass.utils import checkpoint

_SUPPORTED = (torch.bfloat16, torch.float16)


class autocast(Context):
    """A ``with`` block, or a decorated function, whose operators on `device_type` choose their dtypes.

    Matrix products and convolutions run in `dtype` (bfloat16 on the CPU, float16 on accelerators), losses and the like
    in float32, and those that join tensors in the widest dtype among them. Gradients have the dtypes of the tensors
    that they are of. In a nested block, ``enabled=False`` switches it off.

    `cache_enabled` says whether a parameter is cast once for the whole block. Other threads are not affected.
    """

    def __init__(
        self,
        device_type: str,
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = settings.get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if device_type not in settings.DEFAULTS:
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = settings.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = enabled and self._is_supported()

    def _is_supported(self) -> bool:
        """Whether there is such a device, and it has such a dtype. Warns if not."""
        if self.device == "cuda" and not CUDA.count():
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            return False
        if self.fast_dtype in _SUPPORTED:
            return True
        name = self.device.upper()
        warn(
            f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
            f"{name} Autocast only supports dtypes of {', '.join(map(str, _SUPPORTED))} currently."
        )
        return False

    def before(self) -> tuple[bool, DType, bool, int]:
        """The settings to be put back."""
        return (
            settings.is_autocast_enabled(self.device),
            settings.get_autocast_dtype(self.device),
            settings.is_autocast_cache_enabled(),
            settings.state.nesting,
        )

    def begin(self, note: tuple[bool, DType, bool, int]) -> autocast:
        """Change the settings. Returns the block itself."""
        settings.state.nesting = note[-1] + 1
        self._set(self._enabled, self.fast_dtype, self._cache_enabled)
        return self

    def end(self, note: tuple[bool, DType, bool, int]) -> None:
        """Restore the settings; the outermost block clears the cache of casts."""
        enabled, dtype, cache_enabled, settings.state.nesting = note
        self._set(enabled, dtype, cache_enabled)
        if not settings.state.nesting:
            settings.clear_autocast_cache()

    def _set(self, enabled: bool, dtype: DType, cache_enabled: bool) -> None:
        settings.set_autocast_enabled(self.device, enabled)
        settings.set_autocast_dtype(self.device, dtype)
        settings.set_autocast_cache_enabled(cache_enabled)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise explained(
                TypeError(
                    f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                    "Did you mean to use autocast as a context manager? For example:\n"
                    "    with torch.autocast(device_type=...):\n"
                    "        output = model(input)"
                )
            )
        return autocast_decorator(self, func)


def autocast_decorator(autocast_instance: autocast, func: Callable[..., Any]) -> Callable[..., Any]:
    """`func`, run in the block."""

    @wraps(func)
    def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast


def _as_now() -> list[AbstractContextManager[Any]]:
    """A context that restores the present autocast settings of this thread."""
    is_cached = settings.is_autocast_cache_enabled()
    return [
        autocast(kind, settings.get_autocast_dtype(kind), settings.is_autocast_enabled(kind), is_cached)
        for kind in settings.DEFAULTS
    ]


checkpoint.kept_settings.append(_as_now)


# --- custom functions ------------------------------------------------------------------------------------------------


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: DType | None = None
) -> Callable[..., Any]:
    """A decorator for `forward` of an `autograd.Function` that is called in `autocast`; see `custom_bwd`.

    With `cast_inputs` its floating-point arguments, unless float64, are cast to that dtype, and its operators run as
    if there were no autocast. Outside autocast it changes nothing.
    """
    _check_device_type(device_type)
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        ctx, is_on = args[0], settings.is_autocast_enabled(device_type)
        ctx._dtype = settings.get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = is_on and cast_inputs is None
        if cast_inputs is None or not is_on:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """A decorator for `backward` of an `autograd.Function`: autocast is on or off as it was in its `forward`."""
    _check_device_type(device_type)
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd


def _check_device_type(device_type: str) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _cast(value: Any, device_type: str, dtype: DType) -> Any:
    """The value with floating-point tensors on the device cast, in containers too."""
    if isinstance(value, Tensor):
        is_eligible = (
            value.is_floating_point() and value.device.type == device_type and value.dtype is not torch.float64
        )
        return value.to(dtype) if is_eligible else value
    if isinstance(value, str | bytes | numpy_values.ndarray):
        return value
    if isinstance(value, Mapping):
        return {_cast(key, device_type, dtype): _cast(item, device_type, dtype) for key, item in value.items()}
    if isinstance(value, Iterable):
        cast = (_cast(item, device_type, dtype) for item in value)
        return type(value)(cast) if isinstance(value, list | tuple) else cast
    return value
