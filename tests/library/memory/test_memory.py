"""Memory is observable: live storages, bytes, peaks, copies, names; and observing keeps nothing alive."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import pytest

import tensorglass as torch
from tensorglass import memory


@pytest.fixture(autouse=True, scope="module")
def garbage_of_other_files_is_gone() -> None:
    gc.collect()  # or a block that counts would count it when it is freed


def test_a_block_is_told_its_allocations_copies_and_peak() -> None:
    with memory.track() as report:
        a = torch.zeros(1000)
        b = a.view(10, 100).t().contiguous()
    assert (report.allocations, report.allocated_bytes) == (2, 8000)
    assert (report.copies, report.copied_bytes) == (1, 4000)
    assert (report.peak_bytes, report.kept_bytes) == (8000, 8000)
    assert b.shape == (100, 10)


def test_a_view_allocates_nothing() -> None:
    a = torch.arange(12)
    with memory.track() as report:
        views = [a.view(3, 4), a[2:], a.view(3, 4).t(), a.expand(2, 12), *a.view(3, 4).unbind()]
    assert report.allocations == report.copies == 0
    assert all(view.untyped_storage() is a.untyped_storage() for view in views)


def test_a_temporary_counts_towards_the_peak_and_not_towards_what_is_kept() -> None:
    with memory.track() as report:
        a = torch.ones(1000)
        torch.ones(5000)
        del a
    assert report.peak_bytes == 24000
    assert report.kept_bytes == 0


def test_tracked_blocks_nest() -> None:
    with memory.track() as outer:
        with memory.track() as inner:
            torch.zeros(10)
        torch.zeros(100)
    assert inner.allocated_bytes == 40
    assert outer.allocated_bytes == 440
    assert outer.peak_bytes == 400


def test_a_block_that_raises_is_reported_all_the_same() -> None:
    with pytest.raises(RuntimeError, match="invalid for input of size 6"), memory.track() as report:
        torch.zeros(6).view(4)
    assert report.allocated_bytes == 24


def test_the_report_prints_deterministically() -> None:
    with memory.track() as report:
        kept = torch.zeros(256)
    assert str(report).splitlines() == [
        "allocated       1,024 bytes in 1 storage",
        "copied              0 bytes in 0 copies",
        "peak            1,024 bytes above the start",
        "kept            1,024 bytes at the end",
    ]
    assert kept.nbytes == 1024


def test_live_storages_are_listed_until_their_last_header_goes() -> None:
    a = torch.zeros(3)
    b = a[1:]
    storage = a.untyped_storage()
    assert storage in memory.live()
    assert [header is a or header is b for header in storage.headers()] == [True, True]
    alive = weakref.ref(storage)
    del a, storage
    assert alive() is not None, "the view b keeps the storage alive"
    del b
    gc.collect()
    assert alive() is None
    assert all(tensor is not None for tensor in memory.live())


def test_allocated_bytes_return_to_where_they_were() -> None:
    before = memory.allocated()
    a = torch.zeros(1 << 16)
    assert memory.allocated() - before == 1 << 18
    assert memory.peak() >= memory.allocated()
    del a
    assert memory.allocated() == before


def test_resizing_a_storage_is_counted() -> None:
    a = torch.zeros(10)
    before = memory.allocated()
    a.untyped_storage().resize_(400)
    assert memory.allocated() - before == 360
    a.untyped_storage().resize_(0)
    assert memory.allocated() - before == -40


def test_storages_that_live_when_python_ends_go_in_silence() -> None:
    code = "import gc, tensorglass as torch; gc.disable(); kept = [torch.ones(3)]; kept.append(kept)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout + ended.stderr == ""


def test_names_are_given_at_first_sight_and_kept() -> None:
    early, late = torch.zeros(1), torch.zeros(1)
    name_of_late = memory.name_of(late.untyped_storage())
    name_of_early = memory.name_of(early.untyped_storage())
    assert int(name_of_early[1:]) == int(name_of_late[1:]) + 1
    assert memory.name_of(late[:0].untyped_storage()) == name_of_late


def test_a_hundred_thousand_dead_views_are_forgotten() -> None:
    a = torch.zeros(4)
    for _ in range(100_000):
        a[1:]
    assert a.untyped_storage().headers() == [a]
    assert len(a.untyped_storage()._headers) < 100


def test_a_request_for_far_too_much_raises_and_leaves_nothing_behind() -> None:
    before = (memory.allocated(), len(memory.live()))
    with pytest.raises(RuntimeError, match="you tried to allocate 400000000000000 bytes") as caught:
        torch.zeros(10**14)
    assert any("GiB" in note for note in caught.value.__notes__)
    assert (memory.allocated(), len(memory.live())) == before
