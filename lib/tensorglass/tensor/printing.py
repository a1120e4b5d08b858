"""The text of a tensor, and the options that govern it.

All numbers of a tensor are written in *one* style. The values that will be shown are looked at first (are they whole?
how far apart are the largest and the smallest?), that decides the style and the width of the column, and only then is
anything written. A large tensor only shows the edges of each dimension, and only
those are read, so its size does not matter.

The text is PyTorch's to the letter, because a notebook must print the same on either library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorglass.core import dtypes
from tensorglass.core.contexts import Context
from tensorglass.core.devices import META

if TYPE_CHECKING:
    from tensorglass.tensor.tensor import Tensor


class PrintOptions(NamedTuple):
    """How tensors are printed; `set_printoptions` explains each."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}

_options = PrintOptions()


def _no_tangent(_: Tensor) -> Tensor | None:
    return None


#: Returns the tangent of a dual tensor. Forward mode replaces this function when it is first used.
tangent_of: Callable[[Tensor], Tensor | None] = _no_tangent


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors print, from now on. Options that are None stay as they are, except `sci_mode`.

    precision: digits after the point (4 at first).
    threshold: with more elements than this (1000), only the edges of each dimension are shown.
    edgeitems: how many items an edge has, on each side (3).
    linewidth: where lines break (80 characters).
    profile: "default", "short" or "full" sets all of these; what else is given overrides it.
    sci_mode: always (True) or never (False) write floats as ``1.0000e+00``. Every call without it goes back
        to None, which decides by the values.

    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([torch.pi])
    tensor([3.14])
    >>> torch.set_printoptions(profile="default")
    """
    global _options
    base = _PROFILES.get(profile, _options) if profile is not None else _options
    _options = PrintOptions(
        precision=base.precision if precision is None else precision,
        threshold=base.threshold if threshold is None else threshold,
        edgeitems=base.edgeitems if edgeitems is None else edgeitems,
        linewidth=base.linewidth if linewidth is None else linewidth,
        sci_mode=sci_mode,
    )


def get_printoptions() -> dict[str, Any]:
    """The current options, in the form that `set_printoptions` takes."""
    return _options._asdict()


class printoptions(Context):
    """Print with other options inside a ``with`` block; takes what `set_printoptions` takes."""

    def __init__(self, **options: Any) -> None:
        self._wanted = options

    def before(self) -> Any:
        return _options

    def begin(self, _: Any) -> None:
        set_printoptions(**self._wanted)

    def end(self, note: Any) -> None:
        global _options
        _options = note


def tensor_repr(tensor: Tensor, contents: str | None = None) -> str:
    """The text of `tensor`: its values (or `contents` instead), then the suffixes (dtype, device, grad_fn, …)."""
    kind = type(tensor).__name__
    prefix = "tensor(" if kind in ("Tensor", "Parameter") else f"{kind}("
    indent = len(prefix)
    values = values_text(tensor, indent) if contents is None else contents
    return _with_suffixes(prefix + values, _suffixes(tensor), indent)


# --- which values are shown ---------------------------------------------------------------------------------


def _shown(array: Any, edge: int) -> Any:
    """The values of `array` as nested lists, with `...` in place of all that are further than `edge` from both ends."""
    if array.ndim == 0:
        return array.tolist()
    if len(array) <= 2 * edge:
        return array.tolist() if array.ndim == 1 else [_shown(row, edge) for row in array]
    if edge == 0:
        return [...]
    return [*_shown(array[:edge], edge), ..., *_shown(array[-edge:], edge)]


def _flat(shown: Any, dim: int) -> list[Any]:
    """The values in `shown`, which is nested `dim` deep, as one list."""
    if dim == 0:
        return [shown]
    for _ in range(dim - 1):
        shown = chain.from_iterable(row for row in shown if row is not ...)
    return [value for value in shown if value is not ...]


# --- how a value is written ---------------------------------------------------------------------------------


class _Column(NamedTuple):
    """The common style of a tensor's values: `write` gives the text of one, of about `width`."""

    write: Callable[[Any], str]
    width: int


def _column(dtype: dtypes.dtype, values: Sequence[Any]) -> _Column:
    if dtype.is_complex:
        return _complex_column(values)
    return _float_column(values) if dtype.is_floating_point else _integer_column(values)


def _integer_column(values: Sequence[int]) -> _Column:
    width = max(map(len, map(str, values)), default=1)
    return _Column(lambda value: str(value).rjust(width), width)


def _float_column(values: Sequence[float]) -> _Column:
    # Zeros, infinities and NaNs neither choose the style nor widen the column.
    deciding = [value for value in values if value and math.isfinite(value)]
    precision = _options.precision
    point = ""
    if deciding and _wants_exponent(deciding):
        style = f".{precision}e"
    elif all(value.is_integer() for value in deciding):
        style, point = ".0f", "."
    else:
        style = f".{precision}f"
    width = max((len(format(value, style) + point) for value in deciding), default=1)

    def write(value: float) -> str:
        text = format(value, style)
        return (text + point if math.isfinite(value) else text).rjust(width)

    return _Column(write, width)


def _wants_exponent(values: Sequence[float]) -> bool:
    """Whether plain notation would be too long for some of the values, or show no digit of others."""
    if _options.sci_mode is not None:
        return _options.sci_mode
    sizes = [abs(value) for value in values]
    smallest, largest = min(sizes), max(sizes)
    return largest / smallest > 1e3 or largest > 1e8 or smallest < 1e-4


def _complex_column(values: Sequence[complex]) -> _Column:
    """Real and imaginary parts each have a style of their own, and only the real ones are aligned."""
    real = _float_column([value.real for value in values])
    imag = _float_column([value.imag for value in values])

    def write(value: complex) -> str:
        part = imag.write(value.imag).lstrip()
        sign = "" if part.startswith("-") else "+"
        return f"{real.write(value.real)}{sign}{part}j"

    return _Column(write, real.width + imag.width + 1)


# --- how they are laid out ----------------------------------------------------------------------------------


def values_text(tensor: Tensor, indent: int) -> str:
    dim, numel = len(tensor._size), math.prod(tensor._size)
    if tensor._storage.device is META:
        return "..."
    if numel == 0:
        return "[]"
    array = tensor._host_array()
    shown = _shown(array, _options.edgeitems) if numel > _options.threshold else array.tolist()
    return _brackets(shown, dim, indent, _column(tensor.dtype, _flat(shown, dim)))


def _brackets(shown: Any, dim: int, indent: int, column: _Column) -> str:
    """The text of values nested `dim` deep whose first bracket stands `indent` characters into the line."""
    if dim == 0:
        return column.write(shown)
    if dim == 1:
        return _row(shown, indent, column)
    parts = ["..." if part is ... else _brackets(part, dim - 1, indent + 1, column) for part in shown]
    return "[" + ("," + "\n" * (dim - 1) + " " * (indent + 1)).join(parts) + "]"


def _row(values: list[Any], indent: int, column: _Column) -> str:
    gap = " ..." if len(values) > 1 else "..."
    texts = [gap if value is ... else column.write(value) for value in values]
    per_line = max(1, (_options.linewidth - indent) // (column.width + len(", ")))
    lines = [", ".join(texts[start : start + per_line]) for start in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


# --- what the values do not tell ----------------------------------------------------------------------------


def _suffixes(tensor: Tensor) -> list[str]:
    default = dtypes.get_default_dtype()
    dtype, size = tensor.dtype, tuple(tensor._size)
    suffixes = []
    if tensor.device.type != "cpu":
        suffixes.append(f"device='{tensor.device}'")
    if tensor._storage.device is META:
        suffixes.append(f"size={size}")
        evident = dtype is default
    elif 0 in size:
        # If no value is shown, only the default dtype and the size (0,) are left out.
        if len(size) != 1:
            suffixes.append(f"size={size}")
        evident = dtype is default
    else:
        if _options.edgeitems == 0:
            suffixes.append(f"size={size}")
        evident = dtype in (default, default.to_complex(), dtypes.int64, dtypes.bool)
    if not evident:
        suffixes.append(f"dtype={dtype}")
    try:
        node = tensor.grad_fn
        name = None if node is None else type(node).__name__
    except RuntimeError:  # a view whose base was overwritten although that is an error
        name = "Invalid"
    if name is not None:
        suffixes.append(f"grad_fn=<{name}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    tangent = tangent_of(tensor)
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    return suffixes


def _with_suffixes(text: str, suffixes: Sequence[str], indent: int) -> str:
    """`text`, the suffixes and the last ``)``; a suffix that would pass the line's end begins a new line."""
    parts = [text]
    # PyTorch takes the last line of `text` for two characters longer than it is, and so do we.
    used = len(text.rpartition("\n")[2]) + 2
    for suffix in suffixes:
        if used + len(", ") + len(suffix) <= _options.linewidth:
            parts.append(", " + suffix)
            used += len(", ") + len(suffix)
        else:
            parts.append(",\n" + " " * indent + suffix)
            used = indent + len(suffix)
    return "".join(parts) + ")"
