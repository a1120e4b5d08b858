"""Workers of a DataLoader that are killed or stopped: it is told, nobody waits long, and nothing is left."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time

import pytest
from attacks import loaders

from tensorglass.utils.data import DataLoader

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals and /proc are Linux's")


def test_a_loader_whose_worker_is_lost_says_so_and_leaves_nothing() -> None:
    report = loaders.run(12, seed=0)
    assert report["broken"] == []
    assert len(report["kinds"]) >= 4


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGSTOP])
def test_indices_that_nobody_reads_any_more_keep_no_thread_and_no_descriptor(kind: signal.Signals) -> None:
    def lose() -> None:
        batches = iter(DataLoader(loaders.ManyAtOnce(400_000, 1, 0), batch_size=40_000, num_workers=1, timeout=1))
        next(batches)
        os.kill(multiprocessing.active_children()[0].pid or 0, kind)
        with pytest.raises(RuntimeError, match="DataLoader"):
            list(batches)

    lose()
    before = loaders.held()
    lose()
    assert loaders.left_since(before) == []


def test_a_stopped_worker_is_told_to_go_on_when_its_loader_is_closed() -> None:
    batches = iter(DataLoader(loaders.Numbers(40, 5, 0), batch_size=4, num_workers=2))
    next(batches)
    workers = multiprocessing.active_children()
    os.kill(workers[0].pid or 0, signal.SIGSTOP)
    began = time.monotonic()
    del batches
    gc.collect()
    assert [worker.exitcode for worker in workers] == [0, 0]  # they have ended by themselves
    assert time.monotonic() - began < 5
