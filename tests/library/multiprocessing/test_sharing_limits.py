"""Sharing tensors where the system, the device or the order of imports does not allow it: the error messages."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from multiprocessing.reduction import ForkingPickler

import pytest
from library.multiprocessing import sharing_processes
from library.multiprocessing.left_behind import FILES, names_in_shared_memory

import tensorglass as torch


def test_without_memfd_memory_is_shared_by_posix_names_that_are_gone_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)  # as on macOS
    before = names_in_shared_memory()
    tensor = torch.arange(3.0).share_memory_()
    child = multiprocessing.get_context("fork").Process(target=sharing_processes.mark, args=(1, tensor))
    child.start()
    child.join()
    assert tensor.tolist() == [0, 2, 2]
    assert names_in_shared_memory() == before


def test_a_system_without_shared_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setitem(sys.modules, "_posixshmem", None)
    tensor = torch.arange(3.0)
    with pytest.raises(NotImplementedError, match="cannot be shared between processes") as caught:
        tensor.share_memory_()
    assert any("POSIX shared memory" in note for note in caught.value.__notes__)
    assert not tensor.is_shared()
    assert tensor.tolist() == [0, 1, 2]


def test_too_many_open_files_are_explained() -> None:
    resource = pytest.importorskip("resource", reason="limits are a matter of Unix")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = max(map(int, os.listdir(FILES if FILES.is_dir() else "/dev/fd"))) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, limits[1]))
    try:
        with pytest.raises(RuntimeError, match=r"unable to .*: Too many open files \(24\)") as caught:
            [torch.ones(1).share_memory_() for _ in range(most)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert any("file descriptor" in note for note in caught.value.__notes__)


def test_simulated_devices_share_nothing_and_say_so() -> None:
    tensor = torch.ones(2, device="sim")
    assert tensor.share_memory_() is tensor
    assert not tensor.is_shared()
    with pytest.raises(RuntimeError, match="Cannot share a tensor on 'sim:0' between processes") as caught:
        ForkingPickler.dumps(tensor)
    assert any(".cpu()" in note for note in caught.value.__notes__)
    with pytest.raises(RuntimeError, match="Cannot pickle sim storage"):
        ForkingPickler.dumps(tensor.untyped_storage())
    with pytest.raises(NotImplementedError, match="from_file"):
        torch.from_file("anything", size=2, device="sim")


def test_python_s_own_queues_share_tensors_once_multiprocessing_is_loaded_before_tensorglass() -> None:
    code = (
        "import multiprocessing, pickle\n"
        "from multiprocessing.reduction import ForkingPickler\n"
        "import tensorglass as torch\n"
        "x = torch.ones(3); y = pickle.loads(ForkingPickler.dumps(x)); y[0] = 5; print(x.tolist())"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[5.0, 1.0, 1.0]\n"


def test_importing_the_library_does_not_load_multiprocessing() -> None:
    code = "import sys, tensorglass; print('multiprocessing' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
