"""The pool of a caching allocator, as it stood at one moment: segments, and the blocks that they are split into."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorglass import memory


class Block(NamedTuple):
    """A part of a segment; `requested` is the size that was asked for, 0 if the block is free."""

    address: int
    nbytes: int
    requested: int
    is_free: bool


class Segment(NamedTuple):
    """A run of bytes from the device, split into blocks, which are listed by address."""

    nbytes: int
    is_small: bool
    blocks: tuple[Block, ...]


class Pool(NamedTuple):
    """All segments of one device."""

    segments: tuple[Segment, ...]

    @property
    def reserved(self) -> int:
        """Bytes reserved on the device."""
        return sum(segment.nbytes for segment in self.segments)

    @property
    def allocated(self) -> int:
        """Bytes in blocks that are in use."""
        return sum(block.nbytes for block in self._blocks() if not block.is_free)

    @property
    def free_blocks(self) -> list[int]:
        """The sizes of the free blocks, the largest first."""
        return sorted([block.nbytes for block in self._blocks() if block.is_free], reverse=True)

    def without(self, addresses: set[int]) -> Pool:
        """The pool after the blocks at these addresses were freed; free neighbors are merged."""
        return Pool(tuple([_freed(segment, addresses) for segment in self.segments]))

    def _blocks(self) -> list[Block]:
        return [block for segment in self.segments for block in segment.blocks]


def pool_of(backend: Any) -> Pool:
    """The pool of a device's backend, in the words of its `memory_snapshot`."""
    segments = []
    for segment in backend.memory_snapshot():
        blocks = [
            Block(block["address"], block["size"], block["requested_size"], block["state"] == "inactive")
            for block in segment["blocks"]
        ]
        segments.append(Segment(segment["total_size"], segment["segment_type"] == "small", tuple(blocks)))
    return Pool(tuple(segments))


def address_in_pool(storage: Any) -> int | None:
    """Where the block of a storage begins; None if it is in no pool, as small storages on the CPU are."""
    snapshot = getattr(storage.backend, "memory_snapshot", None)
    if snapshot is None or (storage.device.type == "cpu" and storage.nbytes() < memory.LEAST_POOLED):
        return None
    address: int = storage.data_ptr()
    if storage.device.type == "cpu" and not any(
        block["address"] == address for segment in snapshot() for block in segment["blocks"]
    ):
        return None
    return address


def _freed(segment: Segment, addresses: set[int]) -> Segment:
    blocks: list[Block] = []
    for block in segment.blocks:
        free = block.is_free or block.address in addresses
        if free and blocks and blocks[-1].is_free:
            blocks[-1] = blocks[-1]._replace(nbytes=blocks[-1].nbytes + block.nbytes)
        else:
            blocks.append(block._replace(requested=0, is_free=True) if free else block)
    return segment._replace(blocks=tuple(blocks))
