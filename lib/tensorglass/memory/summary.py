"""The figures of a device's allocator as a table, laid out as PyTorch's `memory_summary` is."""

from __future__ import annotations

from collections.abc import Sequence

from tensorglass.core.devices import device as Device

_BYTES = ("B  ", "KiB", "MiB", "GiB", "TiB", "PiB")
_COUNTS = (" ", "K", "M")
_ROWS = (
    ("Allocated memory", "allocated_bytes", _BYTES),
    ("Active memory", "active_bytes", _BYTES),
    ("Requested memory", "requested_bytes", _BYTES),
    ("GPU reserved memory", "reserved_bytes", _BYTES),
    ("Non-releasable memory", "inactive_split_bytes", _BYTES),
    ("Allocations", "allocation", _COUNTS),
    ("Active allocs", "active", _COUNTS),
    ("GPU reserved segments", "segment", _COUNTS),
    ("Non-releasable allocs", "inactive_split", _COUNTS),
    ("Oversize allocations", "oversize_allocations", _COUNTS),
    ("Oversize GPU segments", "oversize_segments", _COUNTS),
)
_ASPECTS = ("current", "peak", "allocated", "freed")
_POOLS = (("all", ""), ("large_pool", "from large pool"), ("small_pool", "from small pool"))
_WIDTH = 75


def summary(stats: dict[str, int], device: Device, abbreviated: bool) -> str:
    """The table. `abbreviated` leaves out the figures of either pool."""
    owner, prefix = ("Simulated", "sim") if device.type == "sim" else ("PyTorch CUDA", "cuda")
    failures = f"CUDA OOMs: {stats.get('num_ooms', 0)}" if prefix == "cuda" else f"OOMs: {stats.get('num_ooms', 0)}"
    retries = f"{prefix}Malloc retries: {stats.get('num_alloc_retries', 0)}"
    lines = [
        "=" * _WIDTH,
        f"{'':18}{f'{owner} memory summary, device ID {device.index}':<57}",
        "-" * _WIDTH,
        f"{'':12}{failures:<23} | {'':6} {retries:<28}  ",
        "=" * _WIDTH,
        "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
    ]
    for label, figure, units in _ROWS:
        lines.append("-" * _WIDTH)
        is_pooled = not figure.startswith("oversize")
        of_all = [stats.get(f"{figure}.all.{each}" if is_pooled else f"{figure}.{each}", 0) for each in _ASPECTS]
        for pool, pool_label in _POOLS if is_pooled and not abbreviated else _POOLS[:1]:
            values = of_all if pool == "all" else [stats.get(f"{figure}.{pool}.{each}", 0) for each in _ASPECTS]
            cells = [_in_unit(value, like, units) for value, like in zip(values, of_all, strict=True)]
            name = f"      {pool_label}" if pool_label else label
            lines.append(f" {name:<21} | " + " | ".join(cells) + " ")
    lines.append("=" * _WIDTH)
    return "|" + "|\n|".join(lines) + "|\n"


def _in_unit(value: int, like: float, units: Sequence[str]) -> str:
    """`value` in the first unit in which `like`, the same figure of all memory, is a short number."""
    base, longest = (1024, 768 * 1024) if units is _BYTES else (1000, 750 * 1000)
    unit, *larger = units
    while larger and like >= longest:
        value, like, unit = value // base, like / base, larger.pop(0)
    return f"{value:6d} {unit}" if units is _BYTES else f"{value:7d} {unit} "
