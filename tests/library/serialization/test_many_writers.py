"""One path and many processes: writers, readers, mapped readers, kills, and places that take no file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

import tensorglass as torch
from tensorglass.utils.data import DataLoader, Dataset

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals, pipes and modes as POSIX has them")
fork = multiprocessing.get_context("fork") if sys.platform != "win32" else multiprocessing


def keep_saving(path: str, number: int, *, has_names: bool = False) -> None:
    if has_names and hasattr(os, "O_TMPFILE"):
        del os.O_TMPFILE
    while True:
        torch.save(torch.full((4_000,), number), path)


@contextmanager
def writers(path: Path, count: int, **how: bool) -> Iterator[list[multiprocessing.process.BaseProcess]]:
    """A context with several processes, each of which saves tensors of its own number to one path until it ends."""
    processes = [fork.Process(target=keep_saving, args=(str(path), number), kwargs=how) for number in range(count)]
    for process in processes:
        process.start()
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.join()


@pytest.mark.parametrize("count", [2, 4, 8])
@pytest.mark.parametrize("has_names", [False, True])
def test_whoever_reads_what_many_save_reads_one_of_them_whole(tmp_path: Path, count: int, has_names: bool) -> None:
    path, random = tmp_path / "m.pt", Random(count)
    torch.save(torch.full((4_000,), 0), path)
    seen = []
    with writers(path, count, has_names=has_names) as saving:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            for is_mapped in (False, True):
                loaded = torch.load(path, mmap=is_mapped)
                seen.append(loaded)
                assert loaded.shape == (4_000,)
                assert (loaded == loaded[0]).all()
            if random.random() < 0.05 and count > 2:  # one is killed in the middle, and another takes its place
                saving[-1].kill()
                saving[-1].join()
                saving[-1] = fork.Process(target=keep_saving, args=(str(path), 99), kwargs={"has_names": has_names})
                saving[-1].start()
    assert len(seen) > 4
    assert all((number == number[0]).all() for number in seen)  # the mapped tensors are unchanged
    torch.save(torch.ones(1), path)
    assert os.listdir(tmp_path) == ["m.pt"]


def test_an_open_file_that_has_lost_its_name_is_written_to(tmp_path: Path) -> None:
    with (tmp_path / "gone.pt").open("w+b") as file:
        (tmp_path / "gone.pt").unlink()
        (tmp_path / "gone.pt").write_bytes(b"another's")
        torch.save(torch.arange(3), f"/dev/fd/{file.fileno()}")
        assert torch.load(file).tolist() == [0, 1, 2]
    assert (tmp_path / "gone.pt").read_bytes() == b"another's"


@pytest.mark.parametrize("has_names", [False, True])
def test_a_private_file_is_private_while_it_is_replaced(
    tmp_path: Path, has_names: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if has_names:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path, modes, replace = tmp_path / "m.pt", [], os.replace
    torch.save(torch.ones(1), path)
    path.chmod(0o600)

    def watched(beside: str, place: str) -> None:
        modes.append(stat.S_IMODE(os.stat(beside).st_mode))
        replace(beside, place)

    monkeypatch.setattr(os, "replace", watched)
    with _slow(path) as parts:
        modes.extend(parts)
    assert {*modes} == {0o600}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@contextmanager
def _slow(path: Path) -> Iterator[list[int]]:
    """A save that is half done: yields the modes of the files in its folder."""
    from tensorglass.serialization.files import opened_to_write

    with opened_to_write(path) as file:
        file.write(b"half")
        yield [stat.S_IMODE(place.stat().st_mode) for place in path.parent.iterdir()]


def test_a_pipe_that_is_named_like_a_leftover_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.pt.deadbeef.part")
    (tmp_path / "secret").write_text("kept")
    (tmp_path / "m.pt.deadbee0.part").symlink_to(tmp_path / "secret")
    (tmp_path / "m.pt.deadbee1.part").mkdir()
    torch.save(torch.ones(1), tmp_path / "m.pt")
    assert torch.load(tmp_path / "m.pt").item() == 1
    assert len(os.listdir(tmp_path)) == 5
    assert (tmp_path / "secret").read_text() == "kept"


def test_a_pipe_and_dev_null_stay_what_they_are(tmp_path: Path) -> None:
    torch.save(torch.ones(1), os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    os.mkfifo(tmp_path / "pipe")
    child = fork.Process(target=torch.save, args=(torch.arange(3), str(tmp_path / "pipe")))
    child.start()
    (tmp_path / "read.pt").write_bytes((tmp_path / "pipe").read_bytes())
    child.join()
    assert torch.load(tmp_path / "read.pt").tolist() == [0, 1, 2]
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


AS_ANOTHER_USER = """
import os, sys
import tensorglass as torch
torch.save(torch.ones(1), "warm.pt")
if os.getuid() == 0:
    os.setuid(65534)
for path in ("closed/new.pt", "closed/old.pt", "protected.pt"):
    try:
        torch.save(torch.ones(2), path)
    except RuntimeError as error:
        print(error)
"""


def test_a_place_that_takes_no_file_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    for name, mode in (("closed/old.pt", 0o666), ("protected.pt", 0o444), ("closed", 0o555)):
        if name.endswith("pt"):
            (tmp_path / name).write_bytes(b"old")
        (tmp_path / name).chmod(mode)
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755 if folder != tmp_path else 0o777)
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER_USER], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        f"File {name} cannot be opened: Permission denied."
        for name in ("closed/new.pt", "closed/old.pt", "protected.pt")
    ]
    assert (tmp_path / "closed" / "old.pt").read_bytes() == (tmp_path / "protected.pt").read_bytes() == b"old"
    assert os.listdir(tmp_path / "closed") == ["old.pt"]
    (tmp_path / "closed").chmod(0o755)


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk], capture_output=True).returncode:
        pytest.skip("only root mounts a small disk")
    try:
        path = disk / "m.pt"
        torch.save(torch.ones(3), path)
        with pytest.raises(OSError, match="No space left on device"):
            torch.save(torch.zeros(1_000_000), path)
        assert torch.load(path).tolist() == [1, 1, 1]
        assert os.listdir(disk) == ["m.pt"]
        torch.save(torch.zeros(3), path)
        assert torch.load(path).tolist() == [0, 0, 0]
    finally:
        subprocess.run(["umount", disk], check=True)


class Large(Dataset):
    def __len__(self) -> int:
        return 400

    def __getitem__(self, at: int) -> torch.Tensor:
        return torch.full((100, 100), at)


def test_a_worker_that_was_stopped_is_not_waited_for_longer_than_its_time() -> None:
    batches = iter(DataLoader(Large(), batch_size=8, num_workers=1, timeout=1))
    next(batches)
    time.sleep(0.3)  # the next batches have begun to arrive: their storages must still be asked for
    worker = next(child for child in multiprocessing.active_children() if child.pid)
    os.kill(worker.pid or 0, signal.SIGSTOP)
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 1 seconds"):
        list(batches)
    del batches
    worker.join(10)
    assert not worker.is_alive()  # it was continued, and has ended
