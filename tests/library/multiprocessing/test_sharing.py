"""Sharing between real processes: both sides see the same bytes, and the end of one process harms no other."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from random import Random
from typing import Any

import pytest
from library.multiprocessing import sharing_processes
from library.multiprocessing.left_behind import FILES, files_open, names_in_shared_memory

import tensorglass as torch
import tensorglass.multiprocessing as mp
from tensorglass import memory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shared memory")

METHODS = ["fork", "spawn"]
#: How many processes are killed. The results in docs/internals.md are from 1000.
KILLS = int(os.environ.get("TENSORGLASS_KILLS", "40"))


@pytest.fixture(autouse=True)
def garbage_of_other_tests_is_gone() -> None:
    gc.collect()  # it may hold open files, which these tests count


@pytest.fixture(params=METHODS)
def context(request: pytest.FixtureRequest) -> Any:
    return mp.get_context(request.param)


def sent_to_itself(thing: Any) -> Any:
    return pickle.loads(ForkingPickler.dumps(thing))


# --- between processes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Queue", "SimpleQueue"])
def test_views_sent_through_a_queue_are_views_of_one_storage_on_both_sides(context: Any, kind: str) -> None:
    inbox, outbox = getattr(context, kind)(), getattr(context, kind)()
    matrix = torch.arange(6.0).view(2, 3)
    part = matrix.t()[1:]
    child = context.Process(target=sharing_processes.write_and_tell, args=(inbox, outbox))
    child.start()
    inbox.put((matrix, part))
    back, one_storage, size, stride, offset = outbox.get()
    inbox.put(None)
    child.join()
    assert child.exitcode == 0
    assert matrix.tolist() == [[10, 11, 12], [13, 14, 15]]  # as the child has written
    assert one_storage
    assert (size, stride, offset) == (part.size(), part.stride(), part.storage_offset())
    assert back.untyped_storage() is matrix.untyped_storage()  # here it is the same storage again


def test_tensors_sent_one_by_one_through_a_pipe_meet_on_one_storage(context: Any) -> None:
    here, there = mp.Pipe()
    child = context.Process(target=sharing_processes.write_over_pipe, args=(there,))
    child.start()
    numbers = torch.ones(4)
    told = []
    for tensor in (numbers, numbers[1:], numbers.view(2, 2)[1]):
        here.send(tensor)
        told.append(here.recv())
    here.send(None)
    child.join()
    assert child.exitcode == 0
    assert told == [True, True, True]
    assert numbers.tolist() == [2, 4, 8, 8]


def test_a_pool_writes_the_rows_of_one_matrix(context: Any) -> None:
    matrix = torch.full((4, 3), -1)
    with context.Pool(2) as pool:
        rows = pool.starmap(sharing_processes.fill_row, [(matrix, row) for row in range(4)])
        assert matrix.tolist() == [[row] * 3 for row in range(4)]
        assert all(row.untyped_storage() is matrix.untyped_storage() for row in rows)


def test_processes_that_use_one_storage_at_once_lose_no_write_under_a_lock(context: Any) -> None:
    counter, lock = torch.zeros(1, dtype=torch.int64).share_memory_(), context.Lock()
    children = [
        context.Process(target=sharing_processes.add_many, args=(index, counter, lock, 200)) for index in range(3)
    ]
    for child in children:
        child.start()
    for _ in range(200):
        with lock:
            counter[0] += 1
    for child in children:
        child.join()
    assert counter.item() == 800


def test_spawn_runs_a_function_in_several_processes_with_its_index() -> None:
    marks = torch.zeros(3)
    mp.spawn(sharing_processes.mark, args=(marks,), nprocs=3)
    assert marks.tolist() == [1, 2, 3]


def test_a_child_that_raises_ends_its_siblings_and_its_traceback_is_the_error() -> None:
    with pytest.raises(mp.ProcessRaisedException, match="ValueError: told by the child") as caught:
        mp.start_processes(sharing_processes.fail, nprocs=3, start_method="fork")
    assert caught.value.error_index == 1
    assert str(caught.value).startswith("\n\n-- Process 1 terminated with the following error:\nTraceback")


def test_a_child_that_is_killed_is_named_with_its_signal() -> None:
    with pytest.raises(mp.ProcessExitedException, match="process 0 terminated with signal SIGKILL") as caught:
        mp.start_processes(sharing_processes.end_by_signal, start_method="fork")
    assert (caught.value.exit_code, caught.value.signal_name) == (-9, "SIGKILL")


def test_fork_shares_what_was_shared_before_and_copies_the_rest() -> None:
    shared, own = torch.zeros(3).share_memory_(), torch.zeros(3)
    for tensor in (shared, own):
        child = mp.get_context("fork").Process(target=sharing_processes.mark, args=(1, tensor))
        child.start()
        child.join()
    assert shared.tolist() == [0, 2, 0]
    assert own.tolist() == [0, 0, 0]


@pytest.mark.skipif(not FILES.is_dir(), reason="open files are counted in Linux's /proc")
def test_killing_processes_that_hold_shared_storages_leaves_nothing_and_harms_nobody() -> None:
    context = mp.get_context("fork")
    ours = torch.zeros(1000)
    ours.share_memory_()
    sent_to_itself(ours)  # starts the thread that sends descriptors
    names, files, storages = names_in_shared_memory(), files_open(), len(memory.live())
    for _ in range(KILLS):
        here, there = mp.Pipe()
        child = context.Process(target=sharing_processes.hold, args=(there,))
        child.start()
        there.close()
        here.send(ours)
        theirs = here.recv()
        here.send("go on")
        child.kill()
        child.join()
        assert child.exitcode == -9
        assert theirs[0] >= 1  # storages of ended processes live as long as somebody holds them
        child.close()
        here.close()
        del theirs, child
    assert names_in_shared_memory() == names
    assert files_open() == files
    gc.collect()
    assert len(memory.live()) == storages
    ours.fill_(3)
    assert ours.sum().item() == 3000


@pytest.mark.skipif(not FILES.is_dir(), reason="open files are counted in Linux's /proc")
def test_messages_that_the_killed_did_not_read_hold_no_files() -> None:
    context = mp.get_context("fork")
    ours = torch.zeros(1000)
    sent_to_itself(ours)
    files = files_open()
    for _ in range(KILLS // 4):
        here, there = mp.Pipe()
        child = context.Process(target=sharing_processes.never_read, args=(there,))
        child.start()
        here.send((ours, ours[1:]))
        child.kill()
        child.join()
        child.close()
        here.close()
        there.close()
    assert files_open() == files
    assert sent_to_itself(ours).untyped_storage() is ours.untyped_storage()  # the next message can be read


@pytest.mark.skipif(not FILES.is_dir(), reason="open files are counted in Linux's /proc")
def test_a_storage_that_the_killed_did_not_read_holds_one_file_until_it_is_read() -> None:
    context = mp.get_context("fork")
    sent_to_itself(torch.zeros(1))
    queue = context.SimpleQueue()
    files = files_open()
    child = context.Process(target=sharing_processes.never_read, args=(queue,))
    child.start()
    for place in range(20):
        storage = torch.full((1000,), place)
        for part in (storage, storage[1:], storage[::2]):
            queue.put(part)
        del storage, part
    child.kill()
    child.join()
    child.close()
    assert files_open() <= files + 20
    assert [queue.get()[0].item() for _ in range(60)] == [place for place in range(20) for _ in range(3)]
    assert files_open() <= files


@pytest.mark.skipif(not FILES.is_dir(), reason="open files are counted in Linux's /proc")
def test_processes_may_be_killed_at_any_moment_of_an_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    # Python's thread that sends descriptors prints errors about callers that hang up during authentication.
    monkeypatch.setattr(sys, "excepthook", lambda *error: None)
    context, random = mp.get_context("fork"), Random(0)
    ours = torch.zeros(100)
    sent_to_itself(ours)
    names, files = names_in_shared_memory(), files_open()
    for _ in range(KILLS):
        here, there = mp.Pipe()
        child = context.Process(target=sharing_processes.exchange, args=(there,))
        child.start()
        there.close()
        killer = threading.Timer(random.random() * 0.03, child.kill)
        killer.start()
        theirs = []
        with pytest.raises((EOFError, OSError)):
            exchange_until_it_ends(here, ours, theirs)
        killer.join()
        child.join()
        assert all(tensor.sum().item() == 50 for tensor in theirs)
        child.close()
        here.close()
        del theirs, child, killer
    assert names_in_shared_memory() == names
    assert files_open() == files


def exchange_until_it_ends(end: Any, ours: torch.Tensor, theirs: list[torch.Tensor]) -> None:
    while True:
        end.send(ours[1:])
        back, new = end.recv()
        assert back.untyped_storage() is ours.untyped_storage()
        theirs.append(new)


# --- the storage -----------------------------------------------------------------------------------------------------


def test_a_shared_storage_keeps_its_identity_its_name_its_version_and_its_headers() -> None:
    tensor = torch.arange(6.0).view(2, 3)
    view = tensor.t()
    tensor.add_(1)
    storage, name = tensor.untyped_storage(), tensor.untyped_storage().name
    view.share_memory_()
    assert tensor.untyped_storage() is storage
    assert (storage.name, tensor._version, view._version) == (name, 1, 1)
    tensor[0, 1] = 9
    assert view[1, 0] == 9


@pytest.mark.parametrize(
    "longer",
    [
        lambda tensor: tensor.resize_(8),
        lambda tensor: tensor.untyped_storage().resize_(64),
        lambda tensor: tensor.untyped_storage().resize_(8),
        lambda tensor: tensor.storage().resize_(8),
        lambda tensor: torch.arange(9.0, out=tensor),
    ],
)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated", "ignore:The number of elements in the out tensor")
def test_a_shared_storage_refuses_another_length(longer: Any) -> None:
    tensor = torch.arange(4.0).share_memory_()
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable") as caught:
        longer(tensor)
    assert any("other processes" in note for note in caught.value.__notes__)
    assert tensor.tolist() == [0, 1, 2, 3]
    assert not tensor.untyped_storage().resizable()


def test_sharing_counts_as_one_allocation_and_one_copy_and_receiving_as_none() -> None:
    gc.collect()  # garbage of earlier tests must not be freed during this one
    tensor = torch.ones(1000)
    with memory.track() as report:
        tensor.share_memory_()
        tensor.share_memory_()
    assert (report.allocations, report.allocated_bytes, report.copied_bytes, report.kept_bytes) == (1, 4000, 4000, 0)
    with memory.track() as report:
        back = sent_to_itself(tensor)
    assert (report.allocated_bytes, report.copied_bytes) == (0, 0)
    assert back.untyped_storage() is tensor.untyped_storage()


def test_the_memory_of_a_shared_storage_is_let_go_with_its_last_user() -> None:
    if not FILES.is_dir():
        pytest.skip("open files are counted in Linux's /proc")
    sent_to_itself(torch.ones(3))
    before = files_open()
    tensors = [torch.ones(100).share_memory_() for _ in range(5)]
    array = tensors[0].numpy()
    assert files_open() > before
    del tensors
    array[0] = 2  # an array may outlive the tensor: the mapping stays with it
    assert array.tolist()[:2] == [2, 1]
    del array
    assert files_open() == before


def test_threads_that_share_one_storage_at_once_move_it_once() -> None:
    tensor = torch.arange(100_000.0)
    start = threading.Barrier(4)

    def share() -> None:
        start.wait()
        tensor.share_memory_()

    with memory.track() as report:
        threads = [threading.Thread(target=share) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert report.allocations == 1


def test_conjugated_tensors_arrive_conjugated() -> None:
    tensor = torch.tensor([1 + 2j]).conj()
    assert sent_to_itself(tensor).tolist() == [1 - 2j]


def test_a_tensor_on_a_shared_file_can_be_sent(tmp_path: Path) -> None:
    path = str(tmp_path / "numbers")
    tensor = torch.from_file(path, shared=True, size=3, dtype=torch.uint8)
    data = ForkingPickler.dumps(tensor).tobytes()
    token = tensor.untyped_storage()
    del tensor, token
    received = pickle.loads(data)
    received.fill_(5)
    assert Path(path).read_bytes() == b"\5\5\5"
    assert received.untyped_storage().filename == path


def test_the_sender_s_end_before_a_tensor_is_received_is_explained() -> None:
    code = (
        "import sys, tensorglass as torch, tensorglass.multiprocessing\n"
        "from multiprocessing.reduction import ForkingPickler\n"
        "import multiprocessing; multiprocessing.current_process().authkey = b'same'\n"
        "sys.stdout.buffer.write(ForkingPickler.dumps(torch.ones(3)))"
    )
    data = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    with pytest.raises((OSError, EOFError)) as caught:
        pickle.loads(data)
    assert any("ended before it was received" in note for note in caught.value.__notes__)
