"""Settings of `save` and `load`: byte order of files that do not say theirs, and files without their bytes."""

from __future__ import annotations

from enum import Enum

from tensorglass.core.contexts import Context


class LoadEndianness(Enum):
    """The byte order of files that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


DEFAULT_PROTOCOL = 2  #: of pickles within files
_endianness: LoadEndianness | None = None
is_skipping = False  #: whether `save` and `load` leave the bytes of storages out


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order of files that do not say theirs; None means little."""
    return _endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Choose the byte order of files that do not say theirs."""
    global _endianness
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _endianness = endianness


class skip_data(Context):
    """Within it, `save` writes zeros in place of the bytes of tensors, and `load` leaves them as memory was."""

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def before(self) -> bool:
        return is_skipping

    def begin(self, note: bool) -> None:
        global is_skipping
        is_skipping = True

    def end(self, note: bool) -> None:
        global is_skipping
        is_skipping = note
