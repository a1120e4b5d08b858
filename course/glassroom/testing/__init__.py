"""Assertions about memory for tests of PyTorch and tensorglass programs; see `docs/testing-memory.md`.

They are imported on first use, since pytest imports this package wherever it is installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from glassroom.translations.templates import as_is

if TYPE_CHECKING:
    from glassroom.testing.blocks import assert_no_copy, assert_no_leak, assert_peak_below
    from glassroom.testing.sharing import assert_no_shared_memory, assert_shares_memory

__all__ = [
    "assert_no_copy",
    "assert_no_leak",
    "assert_no_shared_memory",
    "assert_peak_below",
    "assert_shares_memory",
]


def __getattr__(name: str) -> Any:
    """Import an assertion from its module."""
    if name not in __all__:
        raise AttributeError(as_is(f"module {__name__!r} has no attribute {name!r}"))
    return getattr(import_module(f"{__name__}.{'sharing' if 'share' in name else 'blocks'}"), name)
