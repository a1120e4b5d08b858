"""Reading memory by the page: a picture shows many cells that lie near to each other, and each way to memory costs."""

from __future__ import annotations

from collections.abc import Callable

PAGE = 4096

Reader = Callable[[int, int], bytes]


def paged(read: Reader, nbytes: int) -> Reader:
    """`read`, by pages that are kept: bytes are as they were when their page was first read.

    For as long as one look lasts, and a memory of `nbytes` bytes. What spans two pages is read as it is.
    """
    pages: dict[int, bytes] = {}

    def read_by_page(first: int, last: int) -> bytes:
        number = first // PAGE
        begin, end = number * PAGE, min((number + 1) * PAGE, nbytes)
        if last > end:
            return read(first, last)
        if number not in pages:
            pages[number] = read(begin, end)
        return pages[number][first - begin : last - begin]

    return read_by_page
