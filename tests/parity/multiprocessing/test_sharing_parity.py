"""Shared storages and storages in files: flags, refusals and what is sent, each seen as in PyTorch.

Where PyTorch crashes or cannot do it (`docs/differences.md`), there is nothing to compare.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest
from parity.same_source import disagreement

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shared memory")

SHARED = {
    "each call returns what it was called on": """
        x = torch.arange(4.0)
        see(x.is_shared(), x.share_memory_() is x, x.share_memory_() is x, x.is_shared())
        s = torch.arange(4.0).untyped_storage()
        see(s.is_shared(), s.share_memory_() is s, s.is_shared(), s.filename)
        t = torch.FloatStorage([1, 2])
        see(t.is_shared(), t.share_memory_() is t, t.is_shared(), t.filename, t.tolist())
    """,
    "every view of a shared storage is shared, and no copy is": """
        x = torch.arange(6.0).view(2, 3)
        y = x.t()[1:]
        x[0].share_memory_()
        see(x.is_shared(), y.is_shared(), x.detach().is_shared(), x.storage().is_shared(), x._version)
        see(x.clone().is_shared(), (x + 1).is_shared(), copy.deepcopy(x).is_shared())
        see(x.untyped_storage()[1:].is_shared(), x.untyped_storage().clone().is_shared())
        see(y, y.is_set_to(x.t()[1:]), x.data_ptr() == x.untyped_storage().data_ptr())
    """,
    "what is recorded and what requires a gradient can be shared": """
        x = torch.arange(4.0, requires_grad=True)
        y = (x * x).share_memory_()
        x.share_memory_()
        y.sum().backward()
        see(x.grad, y, x.is_leaf)
    """,
    "an array taken after the move sees the shared bytes": """
        x = torch.arange(4.0).share_memory_()
        x.numpy()[0] = 7
        see(x)
    """,
    "an array's memory is left when its tensor is shared": """
        a = np.arange(3.0)
        x = torch.from_numpy(a).share_memory_()
        a[0] = 9
        see(x, x.is_shared())
    """,
    "nothing is shared of an empty storage but its flag": """
        x = torch.empty(0)
        see(x.share_memory_().is_shared(), torch.UntypedStorage(0).share_memory_().is_shared())
        see(torch.UntypedStorage._new_shared(0).is_shared())
    """,
    "new shared storages are zero": """
        see(torch.UntypedStorage._new_shared(3).tolist(), torch.UntypedStorage._new_shared(3).is_shared())
        see(torch.UntypedStorage._new_shared(3, device="cpu").tolist())
        attempt(lambda: torch.UntypedStorage._new_shared("a"))
    """,
    "a shared tensor may become shorter": """
        x = torch.arange(4.0).share_memory_()
        see(x.resize_(2), x.untyped_storage().nbytes())
    """,
    "arguments that there are not": """
        x = torch.arange(4.0)
        attempt(lambda: x.share_memory_(1))
        attempt(lambda: x.is_shared(1))
        attempt(lambda: x.storage().share_memory_(1))
    """,
}

FILES = {
    "a file is read, and written only if shared": """
        x = torch.from_file(f, shared=False, size=4, dtype=torch.uint8)
        see(x.fill_(7), open(f, "rb").read())
        y = torch.from_file(f, shared=True, size=4, dtype=torch.uint8)
        see(y.fill_(9), open(f, "rb").read())
    """,
    "flags": """
        for shared in (False, True):
            x = torch.from_file(f, shared, 2)
            s = x.untyped_storage()
            see(x, x.is_shared(), x.is_leaf, x._version, s.filename == f, s.nbytes(), s.resizable(), s.tolist())
            see(x.storage().filename == f, x.share_memory_() is x, s.filename == f)
            u = torch.UntypedStorage.from_file(f, shared, 3)
            see(u.tolist(), u.is_shared(), u.filename == f, u.resizable())
    """,
    "none can be made longer": """
        for shared in (False, True):
            x = torch.from_file(f, shared, 2)
            see(x.resize_(1))
            attempt(lambda: x.resize_(4))
            attempt(lambda: torch.UntypedStorage.from_file(f, shared, 3).resize_(2))
    """,
    "a file that is too short is made longer if shared": """
        attempt(lambda: torch.from_file(f, size=24, dtype=torch.uint8))
        attempt(lambda: torch.UntypedStorage.from_file(f, False, 24))
        see(torch.from_file(f, shared=True, size=24, dtype=torch.uint8), os.path.getsize(f))
    """,
    "a file that is not there is made if shared": """
        attempt(lambda: torch.from_file(f + "1", size=2))
        see(torch.from_file(f + "2", shared=True, size=2), os.path.getsize(f + "2"))
        attempt(lambda: torch.UntypedStorage.from_file(f + "3/4", True, 2))
        attempt(lambda: torch.UntypedStorage.from_file(f + "3/4", False, 2))
    """,
    "no bytes of a file": """
        see(torch.from_file(f), torch.from_file(f, shared=True), torch.from_file(f + "5", False, 0))
        see(torch.UntypedStorage.from_file(f).tolist(), torch.UntypedStorage.from_file(f).is_shared())
        see(torch.UntypedStorage.from_file(f, True).filename == f)
        attempt(lambda: torch.from_file(f, size=-1, dtype=torch.uint8))
        attempt(lambda: torch.UntypedStorage.from_file(f, True, -1))
    """,
    "options": """
        see(torch.from_file(f, None, 2, dtype=torch.float16), torch.from_file(f, size=2, requires_grad=True))
        see(torch.from_file(filename=f, shared=True, size=2, dtype=torch.int32, device="cpu", layout=torch.strided))
        attempt(lambda: torch.from_file(f, size=2, dtype=torch.int64, requires_grad=True))
        attempt(lambda: torch.from_file(f, size=2, pin_memory=True))
    """,
    "arguments that do not fit": """
        attempt(lambda: torch.from_file())
        attempt(lambda: torch.from_file(3, size=2))
        attempt(lambda: torch.from_file(f, "a"))
        attempt(lambda: torch.from_file(f, True, 2.5))
        attempt(lambda: torch.from_file(f, size="a"))
        attempt(lambda: torch.UntypedStorage.from_file(3, True, 4))
        attempt(lambda: torch.UntypedStorage.from_file(f, True, "a"))
    """,
}

SENT = {
    "a header comes home to its own storage": """
        x = torch.arange(6.0).view(2, 3)
        y, z = there_and_back((x.t()[1:], x))
        see(y, z, y.untyped_storage() is x.untyped_storage() or y.data_ptr() == x[0, 1:].data_ptr())
        see(y._version, y._is_view(), y._base, y.is_leaf, x.is_shared(), y.is_shared(), x._version)
        z[0, 1] = 7
        see(x, y, y._version, z._version)
    """,
    "one tensor that is sent twice in one message arrives once": """
        x = torch.arange(3.0)
        y, z = there_and_back((x, x))
        see(y is z, y is x)
    """,
    "a leaf stays a leaf; its gradient and its graph stay here": """
        x = torch.arange(3.0, requires_grad=True)
        (x * x).sum().backward()
        y = there_and_back(x)
        see(y, y.requires_grad, y.is_leaf, y.grad)
        attempt(lambda: there_and_back(x * 2))
        attempt(lambda: there_and_back(x[1:]))
        see((x * 2).is_shared(), there_and_back((x * 2).detach()))
    """,
    "hooks stay here, with a warning unless they are marked": """
        x = torch.arange(3.0, requires_grad=True)
        handle = x.register_hook(print)
        told(lambda: there_and_back(x))
        handle.remove()
        x.register_hook(torch.utils.hooks.unserializable_hook(lambda grad: None))
        told(lambda: there_and_back(x))
    """,
    "inference tensors arrive as usual ones": """
        with torch.inference_mode():
            x = torch.ones(2)
        see(x.is_inference(), there_and_back(x).is_inference())
    """,
    "every dtype": """
        for dtype in (torch.bool, torch.uint8, torch.int16, torch.int64, torch.float16, torch.float64, torch.complex64):
            see(there_and_back(torch.arange(3).to(dtype)))
    """,
    "empty tensors and numbers": """
        x = there_and_back(torch.empty(0, 3))
        see(x, x.stride(), x.is_shared(), there_and_back(torch.tensor(3)), there_and_back(torch.tensor(3)).is_shared())
        see(there_and_back(torch.ones(1).expand(3)).stride())
    """,
    "storages": """
        s = torch.UntypedStorage([1, 2, 3])
        see(there_and_back(s).tolist(), s.is_shared(), there_and_back(s).is_shared())
        t = torch.ShortStorage([1, 2, 3])
        see(there_and_back(t).tolist(), t.is_shared(), there_and_back(t).dtype)
        see(there_and_back(torch.UntypedStorage(0)).tolist(), there_and_back(torch.UntypedStorage(0)).is_shared())
    """,
    "a file's private copy cannot be sent": """
        x = torch.from_file(f, shared=False, size=2)
        attempt(lambda: there_and_back(x))
    """,
}

PACKAGE = """
    mp = torch.multiprocessing
    see(mp.get_sharing_strategy(), sorted(mp.get_all_sharing_strategies()), sorted(mp.__all__))
    mp.set_sharing_strategy("file_system")
    see(mp.get_sharing_strategy())
    mp.set_sharing_strategy("file_descriptor")
    try:
        mp.set_sharing_strategy("x")
    except AssertionError as error:
        see(str(error)[:50])
    see(mp.spawn(print, nprocs=0))
    for kind, arguments in (
        (mp.ProcessRaisedException, ("said", 1, 2)),
        (mp.ProcessExitedException, ("said", 1, 2, 3)),
        (mp.ProcessExitedException, ("said", 1, 2, -9, "SIGKILL")),
    ):
        error = pickle.loads(pickle.dumps(kind(*arguments)))
        see(str(error), error.msg, error.error_index, error.error_pid, getattr(error, "signal_name", 0))
"""


def prelude(folder: Path) -> str:
    return f"""
        import copy, os, pickle
        import numpy as np
        from multiprocessing.reduction import ForkingPickler
        torch.multiprocessing
        f = {str(folder / "file")!r}
        for each in os.listdir({str(folder)!r}):
            os.remove(os.path.join({str(folder)!r}, each))
        with open(f, "wb") as file:
            file.write(bytes(range(16)))

        def there_and_back(sent):
            return pickle.loads(ForkingPickler.dumps(sent))
    """


@pytest.mark.parametrize("story", [SHARED, FILES, SENT])
def test_sharing_is_seen_as_in_pytorch(story: dict[str, str], tmp_path: Path) -> None:
    told = [differs for source in story.values() if (differs := disagreement(source, prelude(tmp_path))) is not None]
    assert not told, "\n\n".join(told)


@pytest.mark.skipif(sys.platform != "linux", reason="PyTorch's strategies are told of Linux")
def test_the_package_has_pytorchs_names(tmp_path: Path) -> None:
    assert disagreement(PACKAGE, prelude(tmp_path)) is None


def _left_by_messages_never_read(name: str) -> int:
    """The number of descriptors that stay open after five messages with one storage, once that is freed."""
    torch: Any = import_module(name)
    import_module(f"{name}.multiprocessing")
    ForkingPickler.dumps(torch.zeros(3).share_memory_())  # starts the thread that sends descriptors
    gc.collect()  # closes what earlier tests left
    before = len(os.listdir("/proc/self/fd"))
    shared = torch.zeros(100).share_memory_()
    for _ in range(5):
        ForkingPickler.dumps(shared)
    del shared
    gc.collect()
    return len(os.listdir("/proc/self/fd")) - before


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted on Linux alone")
def test_messages_that_nobody_reads_hold_one_descriptor_where_pytorch_holds_one_each() -> None:
    ours, theirs = (_left_by_messages_never_read(name) for name in ("tensorglass", "torch"))
    assert (ours, theirs) == (1, 5)
