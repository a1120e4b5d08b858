"""Minutes of mixed work, after which the process holds no storage, byte, descriptor or thread more than before.

Every kind of work is a function that ends with nothing kept; which comes next, how large and in what layout is drawn
from a seed. What the process holds is counted after a warm-up that has filled every cache, and again at the end.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import os
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from random import Random
from typing import Any

import tensorglass as torch
from tensorglass import memory

PROCESS = Path("/proc/self")
SHARED_MEMORY = Path("/dev/shm")
WARM_UP = 20  # rounds of every kind of work before anything is counted
SIZES = (1, 2, 3, 8, 40, 200, 3_000)  # few, since what the library caches for each size is not a leak
REMEMBERED = ("Happening", "Plan", "Transfer")  # in caches and logs of bounded length
ROOM = {"resident bytes": 8 * 2**20}  # caches, and memory that Python and malloc keep in pieces


def views(random: Random, folder: Path) -> None:
    """A chain of views over one storage, written to through the last and read through the first."""
    rows, columns = random.choice(SIZES[:5]), random.choice(SIZES[:5])
    base = torch.arange(rows * columns).view(rows, columns)
    view = base
    for _ in range(random.randint(1, 12)):
        dim = random.randrange(view.dim())
        view = random.choice(
            [
                lambda view=view: view.t() if view.dim() == 2 else view.flatten(),
                lambda view=view, dim=dim: view.narrow(dim, 0, max(1, view.size(dim) // 2)),
                lambda view=view: view[..., ::2],
                lambda view=view, dim=dim: view.unsqueeze(dim).squeeze(dim),
                lambda view=view, dim=dim: view.unbind(dim)[0].unsqueeze(dim),
                lambda view=view: view.expand(2, *view.shape)[1],
            ]
        )()
    view.fill_(-1)
    assert int(base.min()) == -1
    assert view.untyped_storage() is base.untyped_storage()


def gradients(random: Random, folder: Path) -> None:
    """A graph with a hook that refers to its own tensor, a gradient of a gradient, and one that is never walked."""
    leaf = torch.rand(random.choice(SIZES), requires_grad=True)
    result = leaf
    for _ in range(random.randint(1, 30)):
        result = random.choice([torch.sin, torch.exp, torch.Tensor.neg, lambda x: x * leaf, lambda x: x[:]])(result)
        result = result.clamp(-2, 2)
    result.register_hook(lambda gradient: gradient + 0 * result.detach())
    (gradient,) = torch.autograd.grad(result.sum(), leaf, create_graph=True)
    if gradient.requires_grad:
        gradient.sum().backward()
    (leaf * 2).exp().requires_grad_()


def transforms(random: Random, folder: Path) -> None:
    """Gradients and batches as functions."""
    batch = torch.rand(random.choice(SIZES[:5]), 3)
    assert torch.func.vmap(torch.func.grad(lambda row: row.square().sum()))(batch).equal(2 * batch)


def files(random: Random, folder: Path) -> None:
    """Saving, loading, mapping, and a file that is cut short."""
    saved = {"a": torch.rand(random.choice(SIZES)), "b": [torch.arange(7)[::2]]}
    path = folder / f"{threading.get_ident()}.pt"
    torch.save(saved, path)
    loaded = torch.load(path, mmap=random.random() < 0.5)
    assert loaded["a"].equal(saved["a"])
    short = path.read_bytes()[: -random.randint(1, 400)]
    try:
        torch.load(io.BytesIO(short))
    except (RuntimeError, EOFError) as error:
        error.add_note("expected")


def sharing(random: Random, folder: Path) -> None:
    """A storage is moved to shared memory, and sent as a queue sends it."""
    tensor = torch.rand(random.choice(SIZES)).share_memory_()
    back = ForkingPickler.loads(bytes(ForkingPickler.dumps(tensor)))
    back.zero_()
    assert not tensor.any()


def forks(random: Random, folder: Path) -> None:
    """A child that allocates, writes to shared memory, and ends."""
    tensor = torch.zeros(random.choice(SIZES)).share_memory_()
    child = os.fork()
    if child == 0:
        tensor += torch.ones(len(tensor))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert tensor.all()


def pool(random: Random, folder: Path) -> None:
    """Large storages that come, grow and go in any order."""
    held: list[torch.Tensor] = []
    for _ in range(random.randint(1, 20)):
        if held and random.random() < 0.5:
            held.pop(random.randrange(len(held)))
        elif held and random.random() < 0.2:
            held[-1].resize_(random.choice([1, 2**18, 2**19]))
        else:
            held.append(torch.empty(random.choice([2**17, 2**18, 2**19])).fill_(1))


def devices(random: Random, folder: Path) -> None:
    """To the simulated accelerator and back, on streams that are dropped."""
    tensor = torch.rand(random.choice(SIZES))
    assert (tensor.to("sim") * 2).cpu().equal(tensor * 2)


def arrays(random: Random, folder: Path) -> None:
    """NumPy's arrays and DLPack, whose memory either side may hold last."""
    array = torch.rand(random.choice(SIZES)).numpy()
    tensor = torch.from_dlpack(array) if random.random() < 0.5 else torch.from_numpy(array)
    del array
    tensor.add_(1)
    tensor.__dlpack__()  # a capsule that is never imported


def refusals(random: Random, folder: Path) -> None:
    """Calls that fail halfway, whose tracebacks hold tensors."""
    tensor = torch.rand(random.choice(SIZES[1:]), requires_grad=True)
    for fails in (
        lambda: tensor.view(-1, 0),
        lambda: tensor @ torch.rand(len(tensor) + 1),
        lambda: tensor.add_(1),
        lambda: tensor[len(tensor)],
        lambda: torch.empty(2**60),
        lambda: torch.autograd.grad(tensor.sum(), [torch.rand(2, requires_grad=True)]),
    ):
        try:
            fails()
        except (RuntimeError, IndexError) as error:
            error.add_note("expected")
        else:
            raise AssertionError("this should be refused")


def threads(random: Random, folder: Path) -> None:
    """Four threads, each with work of its own."""
    kinds = [views, gradients, files, pool, arrays, refusals]
    with ThreadPoolExecutor(4) as workers:
        for done in [workers.submit(random.choice(kinds), Random(random.random()), folder) for _ in range(4)]:
            done.result()


KINDS: tuple[Callable[[Random, Path], None], ...] = (
    views,
    gradients,
    transforms,
    files,
    sharing,
    forks,
    pool,
    devices,
    arrays,
    refusals,
    threads,
)


def held() -> dict[str, int]:
    """What this process holds after garbage collection."""
    while gc.collect():
        pass
    memory.empty_cache()
    torch.sim.empty_cache()
    gc.collect()  # the blocks of an emptied segment hold each other
    with contextlib.suppress(AttributeError):  # not a GNU system
        ctypes.CDLL(None).malloc_trim(0)  # free memory goes back to the system: what remains is held
    figures = {
        "storages": len(memory.live()),
        "bytes": memory.allocated(),
        "bytes kept for the next storages": memory.reserved(),
        "bytes on the simulated device": torch.sim.memory_reserved(),
        "threads": threading.active_count(),
        "objects of the library's": sum(map(_is_ours, gc.get_objects())),
    }
    if PROCESS.is_dir():
        resident = (PROCESS / "statm").read_text().split()[1]
        figures |= {
            "descriptors": len(os.listdir(PROCESS / "fd")),
            "threads of the system": len(os.listdir(PROCESS / "task")),
            "children": len((PROCESS / "task" / str(os.getpid()) / "children").read_text().split()),
            "names in shared memory": sum(name.startswith("tg_") for name in os.listdir(SHARED_MEMORY)),
            "resident bytes": int(resident) * os.sysconf("SC_PAGE_SIZE"),
        }
    return figures


def _is_ours(thing: object) -> bool:
    """Whether this is an instance of one of the library's classes, and not remembered on purpose."""
    kind = type(thing)
    return str(kind.__module__).startswith("tensorglass") and kind.__name__ not in REMEMBERED


def run(seconds: float, seed: int) -> dict[str, Any]:
    """Work for so long. Returns how many pieces of work were done, and each figure that is not what it was."""
    random = Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in KINDS * WARM_UP:
            kind(random, folder)
        before, tried, end = held(), 0, time.monotonic() + seconds
        while time.monotonic() < end:
            random.choice(KINDS)(random, folder)
            tried += 1
        after = held()
    differences = [
        f"{what}: {before[what]:,} before, {after[what]:,} after"
        for what in before
        if not before[what] - after[what] <= 0 <= ROOM.get(what, 0) - (after[what] - before[what])
    ]
    return {"tried": tried, "differences": differences, "before": before, "after": after}
