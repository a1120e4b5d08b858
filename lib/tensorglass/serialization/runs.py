"""Which bytes of which storages are saved.

Only elements that tensors reach are saved. A *run* is a contiguous stretch of one storage that tensors reach; it is
saved once, with the header of each tensor. Tensors whose stretches overlap share a run, and share memory again when
they are loaded. Bytes that no tensor reaches are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tensorglass import geometry
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.tensor import Tensor, header_of


@dataclass
class Member:
    """A tensor of a run. Its offset counts from the run's first element."""

    number: int  #: the tensor's place among those that are saved
    tensor: Tensor
    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    conj: bool  #: whether the run's elements are conjugated when this tensor's are read

    @property
    def layout(self) -> tuple[tuple[int, ...], tuple[int, ...], int, bool]:
        """The tensor's header within the run."""
        return self.size, self.stride, self.offset, self.conj


@dataclass
class Run:
    """A stretch of a storage, in bytes, and the tensors that it is saved for."""

    storage: UntypedStorage
    start: int
    stop: int
    dtype: DType
    members: list[Member]

    @property
    def nbytes(self) -> int:
        return self.stop - self.start

    @property
    def has_one_header(self) -> bool:
        """Whether all its tensors show the same elements in the same order."""
        return len({member.layout for member in self.members}) == 1

    def contents(self) -> Any:
        """The bytes, as an array of the host's."""
        return self.storage.backend.to_host(self.storage.buffer[self.start : self.stop])


def find_runs(tensors: Sequence[Tensor]) -> list[Run]:
    """The runs of these tensors, in the order of first use."""
    by_storage: dict[UntypedStorage, list[Run]] = {}
    for number, tensor in enumerate(tensors):
        by_storage.setdefault(tensor.untyped_storage(), []).append(_run_of(number, tensor))
    joined = [run for runs in by_storage.values() for run in _join(runs)]
    for run in joined:
        _check_dtypes(run)
        run.members.sort(key=lambda member: member.number)
    joined.sort(key=lambda run: run.members[0].number)
    return [_without_gaps(run) for run in joined]


def _run_of(number: int, tensor: Tensor) -> Run:
    """The run of a tensor by itself."""
    size, stride, offset = header_of(tensor)
    start, stop = geometry.byte_range(size, stride, offset, tensor.itemsize)
    geometry.check_within_storage(size, stride, offset, tensor.itemsize, tensor.untyped_storage().nbytes())
    member = Member(number, tensor, size, stride, 0, tensor.is_conj())
    return Run(tensor.untyped_storage(), start, stop, tensor.dtype, [member])


def _join(runs: Iterable[Run]) -> list[Run]:
    """The runs of one storage, with overlapping ones merged."""
    joined: list[Run] = []
    for run in sorted(runs, key=lambda run: (run.start, run.stop)):
        last = joined[-1] if joined else None
        if last is None or not run.nbytes or run.start >= last.stop:
            joined.append(run)
            continue
        for member in run.members:
            member.offset += (run.start - last.start) // last.dtype.itemsize
            last.members.append(member)
        last.stop = max(last.stop, run.stop)
    return joined


def _check_dtypes(run: Run) -> None:
    if len({member.tensor.dtype for member in run.members}) > 1:
        raise explained(
            RuntimeError("Cannot save multiple tensors or storages that view the same data as different types"),
            "Save one of them, and make the other from it by view(dtype) when it is loaded; or save a clone().",
        )


def _without_gaps(run: Run) -> Run:
    """The run of a tensor that skips elements, compacted: a copy without the skipped elements."""
    first = run.members[0]
    cells = math.prod(length for length, step in zip(first.size, first.stride, strict=True) if step)
    if not run.nbytes or not run.has_one_header or cells >= run.nbytes // run.dtype.itemsize:
        return run
    copy = first.tensor.detach().clone()
    closed = _run_of(first.number, copy)
    closed.members = [Member(member.number, member.tensor, *header_of(copy), conj=False) for member in run.members]
    return closed
