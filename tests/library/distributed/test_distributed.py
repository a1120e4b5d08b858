"""`torch.distributed`: groups, collective operations, messages, and processes that fail."""

import os
import time

import pytest

import tensorglass as torch
from tensorglass import distributed as dist


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_every_collective_operation_gives_what_it_says(run, processes):
    done = run("collectives.py", processes)
    assert (done.returncode, done.stdout.count("fine")) == (0, processes), done.stderr


def test_what_is_refused_is_refused_in_pytorchs_words(run):
    done = run("refused.py", 2)
    assert (done.returncode, done.stdout.count("fine")) == (0, 2), done.stderr


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("raises", "ZeroDivisionError: the last process has failed"),
        ("killed", "signal 9"),
        ("leaves", "Timed out waiting 2000ms for allreduce operation to complete"),
    ],
)
def test_when_one_process_fails_it_is_reported_and_none_is_left(run, tmp_path, way, told):
    done = run("dies.py", 3, way, tmp_path)
    assert done.returncode != 0
    assert told in done.stdout + done.stderr
    started = [int(path.name) for path in tmp_path.iterdir()]
    assert len(started) == 3
    deadline = time.monotonic() + 20  # the last ones end just after mpiexec
    while (left := [process for process in started if is_running(process)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def is_running(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_without_a_group_pytorchs_error_is_raised():
    assert dist.is_available()
    assert not dist.is_initialized()
    words = "Default process group has not been initialized, please make sure to call init_process_group."
    for call in (dist.get_rank, dist.get_world_size, dist.barrier, lambda: dist.all_reduce(torch.ones(2))):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(AssertionError, match="Process group cannot be None"):
        dist.destroy_process_group()
    assert dist.group.WORLD is None


def test_other_engines_are_refused_and_mpi_is_named():
    with pytest.raises(RuntimeError, match="Distributed package doesn't have NCCL built in") as raised:
        dist.init_process_group("nccl")
    assert 'init_process_group("mpi")' in raised.value.__notes__[0]


def test_reductions_print_as_pytorchs():
    assert repr(dist.ReduceOp.SUM) == "<RedOpType.SUM: 0>"
    assert str(dist.ReduceOp.MAX) == "RedOpType.MAX"
