"""Switches of the whole library that PyTorch's programs set: threads, determinism, precision, warnings.

Settings are stored and can be read back, so that programs which set them run; each docstring says what effect it has
here. Results do not depend on any of them.
"""

from __future__ import annotations

from tensorglass.backends.host_threads import THREADS
from tensorglass.core import dtypes
from tensorglass.core.errors import type_name, warn

_PRECISIONS = ("highest", "high", "medium")


class _Settings:
    """The settings, as they are now."""

    interop_threads: int | None = None
    is_deterministic = False
    only_warns = False
    fills_new_memory = True
    always_warns = False
    matmul_precision = "highest"


def _check_count(name: str, value: int) -> None:
    if type(value) is not int:
        raise RuntimeError(f"{name} expects an int, but got {type_name(value)}")
    if value < 1:
        raise RuntimeError(f"{name} expects a positive integer")


# --- threads ---------------------------------------------------------------------------------------------------------


def get_num_threads() -> int:
    """How many threads an operator may use.

    >>> torch.get_num_threads() > 0
    True
    """
    return THREADS.number


def set_num_threads(num: int) -> None:
    """Say how many threads an operator may use. NumPy, which computes here, chooses its own number.

    >>> before = torch.get_num_threads()
    >>> torch.set_num_threads(1)
    >>> torch.get_num_threads()
    1
    >>> torch.set_num_threads(before)
    """
    _check_count("set_num_threads", num)
    THREADS.number = num


def get_num_interop_threads() -> int:
    """How many operators may run in parallel: what was set, or the number of processors."""
    return _Settings.interop_threads or THREADS.number


def set_num_interop_threads(num: int) -> None:
    """Say how many operators may run in parallel. Here they run one after the other."""
    _check_count("set_num_interop_threads", num)
    _Settings.interop_threads = num


# --- determinism -----------------------------------------------------------------------------------------------------


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same results at every run.

    Every operator is deterministic anyway. But with this on, new memory is filled (`utils.deterministic`), and `put_`,
    whose order PyTorch leaves open, raises or warns.

    >>> torch.use_deterministic_algorithms(True)
    >>> torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    _Settings.is_deterministic, _Settings.only_warns = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether deterministic algorithms were asked for."""
    return _Settings.is_deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether they were asked for with `warn_only`."""
    return _Settings.only_warns


_MODES = ("default", "warn", "error")  #: the settings by number


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Ask for the same results by number or by name: 0 or "default" does not, 1 or "warn" warns, 2 or "error" raises.

    >>> torch.set_deterministic_debug_mode("warn")
    >>> torch.get_deterministic_debug_mode()
    1
    >>> torch.set_deterministic_debug_mode(0)
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str) and debug_mode not in _MODES:
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
        )
    number = _MODES.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if number not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(number > 0, warn_only=number == 1)


def get_deterministic_debug_mode() -> int:
    """Whether the same results were asked for: 0, 1 with warnings, 2 with errors."""
    return 0 if not _Settings.is_deterministic else 1 if _Settings.only_warns else 2


def fills_new_memory() -> bool:
    """Whether new memory is filled, so that unwritten elements are the same in every run."""
    return _Settings.is_deterministic and _Settings.fills_new_memory


def not_deterministic(name: str) -> None:
    """Raise or warn, if deterministic algorithms were asked for, for an operator that has none in PyTorch."""
    if not _Settings.is_deterministic:
        return
    asked = f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True"
    if _Settings.only_warns:
        warn(
            f"{asked}, warn_only=True)'. You can file an issue at https://github.com/pytorch/pytorch/issues to help us "
            "prioritize adding deterministic support for this operation."
        )
        return
    raise RuntimeError(
        f"{asked})'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, "
        "if that's acceptable for your application. You can also file an issue at "
        "https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this "
        "operation."
    )


# --- numbers ---------------------------------------------------------------------------------------------------------


def get_float32_matmul_precision() -> str:
    """The precision of float32 matrix products: "highest" unless something else was set.

    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return _Settings.matmul_precision


def set_float32_matmul_precision(precision: str) -> None:
    """Set the precision of float32 matrix products: "highest", "high" or "medium". They are always computed in
    float32.
    """
    if precision not in _PRECISIONS:
        warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current precision is unchanged.")
        return
    _Settings.matmul_precision = precision


def set_flush_denormal(mode: bool) -> bool:
    """Ask for subnormal numbers to be flushed to 0. Returns False: it is not supported."""
    return False


def set_default_tensor_type(t: type | str) -> None:
    """Set the default dtype by an old constructor or its name: ``torch.DoubleTensor``."""
    name = t if isinstance(t, str) else f"torch.{getattr(t, '__name__', t)}"
    floating = [dtype for dtype in dtypes.ALL if dtype.is_floating_point]
    chosen = {f"torch.{dtype.scalar_type}Tensor": dtype for dtype in floating}.get(name)
    if chosen is None:
        raise TypeError("only floating-point types are supported as the default type")
    warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives.",
    )
    dtypes.set_default_dtype(chosen)


# --- warnings --------------------------------------------------------------------------------------------------------


def set_warn_always(b: bool, /) -> None:
    """Ask for warnings at every call. Here Python's filters decide that: ``warnings.simplefilter("always")``."""
    _Settings.always_warns = b


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was given."""
    return _Settings.always_warns
