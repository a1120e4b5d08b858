"""A record of a pool that another library manages, CuPy's, from the events that it reports.

Such a pool reports what it reserves from the device, hands out and takes back, but not what it returns to the device.
It does report its total bytes. So if the total is less than what was reserved, segments without live blocks have been
returned: the pool returns all of them together.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from tensorglass.allocator.figures import Counters
from tensorglass.core.critical_section import CriticalSection


class ObservedPool:
    """The segments and blocks of one device's memory, as they were reported, with the figures of `CachingAllocator`.

    Blocks may be taken back at any moment, also by the garbage collector, which cannot wait for a lock. A change ends
    with assignments without calls in between, so an interrupt finds it either complete or not begun.
    """

    def __init__(self) -> None:
        self.counters = Counters()
        self._segments: dict[int, int] = {}  # address → length
        self._blocks: dict[int, tuple[int, int]] = {}  # address → length, and what was asked for
        self._returned: deque[int] = deque()
        self._section = CriticalSection()

    def reserved(self, address: int, nbytes: int) -> None:
        """The pool got a segment from the device."""
        self._section.run(self._reserve, address, nbytes)

    def handed_out(self, address: int, nbytes: int, requested: int) -> None:
        """The pool handed a block out."""
        self._section.run(self._hand_out, address, nbytes, requested)

    def taken_back(self, address: int) -> None:
        """The pool took a block back."""
        self._returned.append(address)

    def stats(self, total: int) -> dict[str, int]:
        """The figures under PyTorch's names, for a pool that reports `total` bytes."""

        def find() -> dict[str, int]:
            self._settle(total)
            return self.counters.named()

        return self._section.run(find)

    def snapshot(self, total: int) -> list[dict[str, Any]]:
        """The segments by address, each with its blocks, in the form of `torch.cuda.memory_snapshot`."""

        def find() -> list[dict[str, Any]]:
            self._settle(total)
            return [self._describe_segment(address) for address in sorted(self._segments)]

        return self._section.run(find)

    def failed(self) -> None:
        """The pool found no room."""

        def count() -> None:
            counters = self.counters.copy()
            counters.failed()
            self.counters = counters

        self._section.run(count)

    def reset_peaks(self) -> None:
        """Reset every peak to the current value."""

        def reset() -> None:
            self.counters = self.counters.with_new_peaks()

        self._section.run(reset)

    def reset_totals(self) -> None:
        """Reset the sums of all increases and decreases to 0."""

        def reset() -> None:
            self.counters = self.counters.with_new_totals()

        self._section.run(reset)

    def _reserve(self, address: int, nbytes: int) -> None:
        counters = self.counters.copy()
        counters.got_segment(False, nbytes)
        self._segments[address] = nbytes
        self.counters = counters

    def _hand_out(self, address: int, nbytes: int, requested: int) -> None:
        self._take_back()
        if self._segment_of(address) is None:  # reserved before observation began
            self._reserve(address, nbytes)
        counters = self.counters.copy()
        counters.handed_out(False, nbytes, requested)
        self._blocks[address] = nbytes, requested
        self.counters = counters

    def _take_back(self) -> None:
        while self._returned:
            address = self._returned[0]
            block = self._blocks.get(address)
            if block is not None:
                counters = self.counters.copy()
                counters.taken_back(False, *block)
                del self._blocks[address], self._returned[0]
                self.counters = counters
            else:
                del self._returned[0]

    def _settle(self, total: int) -> None:
        self._take_back()
        if sum(self._segments.values()) <= total:
            return
        used = {self._segment_of(address) for address in self._blocks}
        for address in [segment for segment in self._segments if segment not in used]:
            counters = self.counters.copy()
            counters.released(False, self._segments[address])
            del self._segments[address]
            self.counters = counters

    def _segment_of(self, address: int) -> int | None:
        for start, nbytes in list(self._segments.items()):
            if start <= address < start + nbytes:
                return start
        return None

    def _describe_segment(self, start: int) -> dict[str, Any]:
        end = start + self._segments[start]
        blocks, place = [], start
        for address in sorted(position for position in self._blocks if start <= position < end):
            nbytes, requested = self._blocks[address]
            if address > place:
                blocks.append(_block(place, address - place, None))
            blocks.append(_block(address, nbytes, requested))
            place = address + nbytes
        if place < end:
            blocks.append(_block(place, end - place, None))
        allocated = sum(block["size"] for block in blocks if block["state"] == "active_allocated")
        return {
            "address": start,
            "total_size": end - start,
            "allocated_size": allocated,
            "active_size": allocated,
            "requested_size": sum(block["requested_size"] for block in blocks),
            "segment_type": "large",
            "blocks": blocks,
        }


def _block(address: int, nbytes: int, requested: int | None) -> dict[str, Any]:
    state = "inactive" if requested is None else "active_allocated"
    return {"address": address, "size": nbytes, "requested_size": requested or 0, "state": state}
