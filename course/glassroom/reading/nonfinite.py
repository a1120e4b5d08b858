"""Whether a tensor holds NaN or infinity, read from its bytes: no operator of its library runs."""

from __future__ import annotations

import numpy as np

from glassroom.reading.adapters import Description
from glassroom.records.snapshot import byte_range

MOST_BYTES = 16 * 1024**2  # bytes that a tensor may span to be read
_PARTS = {
    "float16": np.float16, "float32": np.float32, "float64": np.float64, "complex64": np.float32,
    "complex128": np.float64,
}  # fmt: skip


def nonfinite(seen: Description) -> str | None:
    """What there is among the elements: "NaN", "Inf" or "NaN and Inf"; None if there is neither. Tensors on other
    devices than the CPU, above 16 MiB, and of other dtypes are not read, and give None too.
    """
    memory = seen.memory
    reach = byte_range(seen.pointer - memory.start, seen.size, seen.strides, seen.itemsize)
    if reach is None or memory.device != "cpu" or reach[1] - reach[0] > MOST_BYTES or reach[1] > memory.nbytes:
        return None
    if seen.dtype == "bfloat16":
        bits = _elements(seen, reach, np.dtype(np.uint16))
        is_special = (bits & 0x7F80) == 0x7F80
        has_nan = bool((bits[is_special] & 0x7F).any())
        return _in_words(has_nan, bool(((bits[is_special] & 0x7F) == 0).any()))
    if seen.dtype not in _PARTS:
        return None
    elements = _elements(seen, reach, np.dtype(seen.dtype).newbyteorder(">" if seen.byte_order == ">" else "="))
    is_finite = np.isfinite(elements)
    if is_finite.all():
        return None
    odd = elements[~is_finite]
    return _in_words(bool(np.isnan(odd).any()), bool(np.isinf(odd).any()))


def _elements(seen: Description, reach: tuple[int, int], dtype: np.dtype) -> np.ndarray:
    data = seen.memory.read(*reach)
    first = seen.pointer - seen.memory.start - reach[0]
    return np.ndarray(seen.size, dtype, data, first, seen.strides)


def _in_words(has_nan: bool, has_infinity: bool) -> str | None:
    return " and ".join(["NaN"] * has_nan + ["Inf"] * has_infinity) or None
