"""Where files are written, and what is mapped: saves that are killed, links, and files that others may write to."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tensorglass as torch

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, links and modes as POSIX has them")


@pytest.fixture(params=["a.pt", "a.safetensors"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    place: Path = tmp_path / request.param
    return place


# --- saves that are killed ---------------------------------------------------------------------------------------


def save_too_much(path: str, *, has_names: bool) -> None:
    """Save, and be killed by the system at the thousandth byte. If `has_names`, the file being written has a name."""
    import resource

    if has_names and hasattr(os, "O_TMPFILE"):
        del os.O_TMPFILE
    sys.dont_write_bytecode = True  # or Python would leave a bytecode file cut off at the limit
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores this signal by default
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    torch.save(torch.zeros(1_000_000), path)


def kill_a_save(path: Path, *, has_names: bool) -> None:
    child = multiprocessing.get_context("fork").Process(
        target=save_too_much, args=(str(path),), kwargs={"has_names": has_names}
    )
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGXFSZ


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux has files without a name")
def test_a_save_that_is_killed_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    torch.save(torch.ones(2), path)
    for _ in range(3):
        kill_a_save(path, has_names=False)
    assert os.listdir(path.parent) == [path.name]
    assert torch.load(path).tolist() == [1, 1]


@posix
def test_where_every_file_has_a_name_the_next_save_removes_what_killed_ones_left(path: Path) -> None:
    torch.save(torch.ones(2), path)
    for _ in range(3):
        kill_a_save(path, has_names=True)
    (path.parent / f"{path.name}.part").write_text("the user's")
    (path.parent / f"b{path.name}.01234567.part").write_text("of another path")
    assert len(os.listdir(path.parent)) == 4  # with the unfinished file of the last save
    assert torch.load(path).tolist() == [1, 1]
    torch.save(torch.zeros(2), path)
    assert sorted(os.listdir(path.parent)) == sorted([path.name, f"{path.name}.part", f"b{path.name}.01234567.part"])
    assert torch.load(path).tolist() == [0, 0]


@posix
@pytest.mark.parametrize("has_names", [False, True])
def test_a_save_removes_no_file_that_another_is_writing(
    path: Path, has_names: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if has_names:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    from tensorglass.serialization.files import opened_to_write

    with opened_to_write(path) as slow:
        slow.write(b"slow")
        torch.save(torch.ones(1), path)
        assert torch.load(path).item() == 1
    assert path.read_bytes() == b"slow"
    assert os.listdir(path.parent) == [path.name]


def save_again_and_again(path: str) -> None:
    while True:
        torch.save(torch.full((10_000,), 7), path)


@posix
def test_a_file_is_whole_whenever_those_who_save_it_are_killed(path: Path) -> None:
    random = Random(8)
    torch.save(torch.full((10_000,), 7), path)
    for _ in range(20):
        child = multiprocessing.get_context("fork").Process(target=save_again_and_again, args=(str(path),))
        child.start()
        child.join(random.random() * 0.03)
        child.kill()
        child.join()
        assert (torch.load(path) == 7).all()
    torch.save(torch.ones(1), path)
    assert os.listdir(path.parent) == [path.name]


# --- links -------------------------------------------------------------------------------------------------------


@posix
def test_a_save_goes_through_links_as_open_does(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path.parent / "deep").mkdir()
    target = path.parent / "deep" / path.name
    monkeypatch.chdir(path.parent)
    os.symlink(target, "first" + path.suffix)
    os.symlink("first" + path.suffix, "second" + path.suffix)
    for number in range(2):  # the target does not exist, and then it does
        torch.save(torch.tensor(number), "second" + path.suffix)
        assert torch.load(target).item() == number
    assert os.readlink("first" + path.suffix) == str(target)
    assert os.readlink("second" + path.suffix) == "first" + path.suffix


@posix
def test_links_that_go_round_in_a_circle_stay_and_are_refused(path: Path) -> None:
    path.symlink_to(path)
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        torch.save(torch.ones(1), path)
    assert path.is_symlink()


@posix
def test_a_save_to_a_pipe_by_a_name_of_it_goes_into_the_pipe(path: Path) -> None:
    program = "import tensorglass as torch; torch.save(torch.ones(3), '/dev/stdout')"
    path.write_bytes(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)
    assert torch.load(path).tolist() == [1, 1, 1]


# --- mapped files ------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(("mode", "said"), [(0o646, "every user"), (0o666, "every user"), (0o664, "its group, 12345,")])
def test_a_file_that_others_may_write_to_is_mapped_only_where_it_is_trusted(path: Path, mode: int, said: str) -> None:
    torch.save(torch.arange(3), path)
    os.chmod(path, mode)
    if "group" in said:
        if os.geteuid() != 0:
            pytest.skip("only root gives a file to a group of others")
        os.chown(path, -1, 12345)
    with pytest.raises(RuntimeError, match=f"is not mapped: {said} may write to it") as caught:
        torch.load(path, mmap=True)
    assert any('mmap="trusted"' in note for note in caught.value.__notes__)
    assert torch.load(path).tolist() == [0, 1, 2]
    assert torch.load(path, mmap="trusted").tolist() == [0, 1, 2]
    os.chmod(path, stat.S_IMODE(mode) & ~0o022)
    assert torch.load(path, mmap=True).tolist() == [0, 1, 2]


@posix
def test_a_file_of_another_user_is_mapped_only_where_it_is_trusted(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives a file to another user")
    torch.save(torch.arange(3), path)
    os.chown(path, 12345, -1)
    with pytest.raises(RuntimeError, match="is not mapped: its owner, user 12345, may write to it"):
        torch.load(path, mmap=True)
    assert torch.load(path, mmap="trusted").tolist() == [0, 1, 2]


@posix
def test_a_group_that_is_its_owner_s_alone_is_nobody_else(path: Path) -> None:
    import grp
    import pwd

    user = pwd.getpwuid(os.geteuid())
    group = grp.getgrgid(user.pw_gid)
    if group.gr_name != user.pw_name:
        pytest.skip("users have no groups of their own here")
    torch.save(torch.arange(3), path)
    os.chown(path, -1, group.gr_gid)
    os.chmod(path, 0o664)
    assert torch.load(path, mmap=True).tolist() == [0, 1, 2]


@posix
def test_what_is_mapped_is_the_file_that_was_read(path: Path) -> None:
    """The storages come from the file that was opened, even if another file replaces it meanwhile."""
    torch.save(torch.arange(3), path)

    def replaced(storage: Any, location: str) -> Any:
        torch.save(torch.zeros(1000), path)
        return storage

    assert torch.load(path, map_location=replaced, mmap=True).tolist() == [0, 1, 2]
    assert len(torch.load(path)) == 1000
