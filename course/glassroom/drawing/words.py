"""How numbers, names and bytes are written in all texts and pictures."""

from __future__ import annotations

from collections.abc import Sequence

from glassroom.records.cells import Number
from glassroom.translations.templates import in_number, word

#: Libraries whose arrays are marked as such beside tensors.
ARRAYS = {"numpy": "NumPy", "cupy": "CuPy"}
NAMES_SHOWN = 8
MOST_UNREAD = 4  # tensors without memory that are named
LETTERS = "ijklmnpqrstuvwxyz"


def counted(n: int, one: str, many: str | None = None) -> str:
    """`1 byte`, `24 bytes`, `4,000 bytes`."""
    return f"{n:,} {in_number(n, one, many)}"


def sized(nbytes: int) -> str:
    """`24 bytes`, `39.1 KiB`, `1.25 MiB`: exact below 10,000 bytes."""
    if abs(nbytes) < 10_000:
        return counted(nbytes, "byte")
    for power, unit in ((3, "GiB"), (2, "MiB")):
        if abs(nbytes) >= 1024**power:
            return f"{nbytes / 1024**power:.2f} {unit}"
    return f"{nbytes / 1024:.1f} KiB"


def short(nbytes: int) -> str:
    """`24 B`, `39.1 KiB`: bytes in a short form, for narrow places."""
    return sized(nbytes).replace("bytes", "B").replace("byte", "B")


def amounts(moved: str, number: int, nbytes: int) -> str:
    """`1 copy of 24 bytes`, `2 copies, 48 bytes in all`."""
    return f"{moved} of {sized(nbytes)}" if number == 1 else word(f"{moved}, {sized(nbytes)} in all")


def duration(seconds: float | None, is_simulated: bool) -> str:
    """A duration, and where the figure comes from."""
    if seconds is None:
        return "time not known"
    return f"{seconds * 1e6:,.1f} µs {word('simulated') if is_simulated else word('measured')}"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; a long list is cut."""
    if len(names) > NAMES_SHOWN:
        names = [*names[: NAMES_SHOWN - 1], f"{len(names) - NAMES_SHOWN + 1} more"]
    return in_a_row(names, word(" and "))


def in_a_row(names: Sequence[str], before_last: str) -> str:
    """`a`, `a and b`, `a, b and c`: all of them, with this between the last two."""
    return before_last.join(filter(None, [word(", ").join(names[:-1]), *names[-1:]]))


def unreadable(tensors: Sequence[str]) -> list[str]:
    """A line that lists the tensors without readable memory, if there are any."""
    more = f" and {len(tensors) - MOST_UNREAD:,} more" if len(tensors) > MOST_UNREAD else ""
    return [f"no memory to look at: {listed(tensors[:MOST_UNREAD])}{more}"] if tensors else []


def span(low: int, high: int) -> str:
    """The bytes from `low` to `high - 1`, as people write them."""
    return f"{low:,}" if high - low == 1 else f"{low:,}–{high - 1:,}"


def element(name: str, index: Sequence[object]) -> str:
    """`a[0, 1]`, or `a` for a tensor of no dimensions."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def written(value: Number | None) -> str:
    """A value as it is shown in a cell: short, and the same for every library."""
    match value:
        case None:
            return "✕"
        case bool() | str():
            return str(value)
        case int():
            return str(value) if abs(value) < 10**10 else f"{value:.2e}".replace("e+0", "e").replace("e+", "e")
        case float():
            return _written_float(value)
        case complex():
            imaginary = _written_float(value.imag)
            sign = "" if imaginary.startswith("-") else "+"
            return f"{_written_float(value.real)}{sign}{imaginary}j"


def _written_float(value: float) -> str:
    if value.is_integer() and abs(value) < 10**5:
        return f"{value:.0f}."
    return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
