"""How the library is imported: with or without its shortcuts, and most of it without garbage collection.

The import makes many thousands of objects that stay, and no garbage; scanning them again and again would take a quarter
of its time. Afterwards they are moved to the oldest generation.

Some modules are imported later, when they are first needed, in whichever thread that is. A fork waits for them: in the
child that thread is gone, the lock of the module stays taken, and its first use would wait forever.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import _bootstrap, import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from threading import get_ident
from types import ModuleType
from typing import Any, cast

from tensorglass.core.module_names import ELSEWHERE, PASSED_ON, PASSING_ON, ours


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """No garbage collection inside the block; what was made there moves to the oldest generation."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():  # else the program has frozen objects itself
                gc.freeze()
                gc.unfreeze()  # moves them to the oldest generation
            gc.enable()


class _Torch:
    """Finds ``torch.nn`` and the like where a program has put this library into ``sys.modules["torch"]``.

    Python would look in the library's folder, and import each of its modules a second time. The class is derived from
    nothing, since `importlib.abc` would import a good part of the standard library.
    """

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname.startswith("tensorglass."):
            spec = PathFinder.find_spec(fullname, path)
            if spec is None or spec.loader is None:  # nothing, or a folder that git has left of a package
                return _spec_of_names_alone(fullname)
            if type(spec.loader) is SourceFileLoader:
                spec.loader = _Answering(fullname, spec.loader.path)
            return spec
        if not fullname.startswith("torch.") or not _stands_for_torch():
            return None
        try:
            is_there = find_spec(ours(fullname)) is not None
        except ModuleNotFoundError:
            return None  # `_Missing` is asked last
        return ModuleSpec(fullname, cast(Any, self)) if is_there else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(ours(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has been executed already; only its own spec is restored."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def _spec_of_names_alone(fullname: str) -> ModuleSpec | None:
    from tensorglass.core.names_alone import is_module  # when it is needed: imports should be quick

    if not is_module(fullname.removeprefix("tensorglass.")):
        return None
    return ModuleSpec(fullname, cast(Any, _NamesAlone()), is_package=True)


class _NamesAlone:
    """Makes the modules of `core/names_alone`."""

    def create_module(self, spec: ModuleSpec) -> None:
        """None: an ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        from tensorglass.core.names_alone import fill

        fill(module)
        _let_answer(module)


class _Answering(SourceFileLoader):
    """Lets the library's modules explain names that PyTorch has and they leave out."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _let_answer(module)


def _let_answer(module: ModuleType) -> None:
    from tensorglass.core.names_alone import is_module, name_alone
    from tensorglass.core.out_of_scope import is_probed
    from tensorglass.core.refusing import refusing

    home = module.__name__.removeprefix("tensorglass.")
    refuse = refusing(home)

    def look(name: str) -> Any:
        if is_probed(name):
            return refuse(name)
        if f"{home}.{name}" in ELSEWHERE:
            return import_module(ours(f"{home}.{name}"))
        alone = name_alone(home, name, look)
        if alone is not look:
            setattr(module, name, alone)
            return alone
        if name in PASSED_ON and home.startswith(PASSING_ON):
            return getattr(import_module(PASSED_ON[name]), name)
        if is_module(f"{home}.{name}"):
            return import_module(f"tensorglass.{home}.{name}")
        return refuse(name)

    vars(module).setdefault("__getattr__", look)


class _Missing:
    """The last import finder: its error says if PyTorch has a module that this library leaves out."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        home, _, name = fullname.partition(".")
        if home == "tensorglass" or (home == "torch" and _stands_for_torch()):
            from tensorglass.core.errors import explained  # when they are needed: imports should be quick
            from tensorglass.core.out_of_scope import about, tell_of_missing

            tell_of_missing(name)
            note = about(name)
            if note is not None:
                raise explained(ModuleNotFoundError(f"No module named '{fullname}'", name=fullname), note)


def _stands_for_torch() -> bool:
    return sys.modules.get("torch") is sys.modules["tensorglass"]


def answer_to_torch() -> None:
    """Let ``import torch.nn`` and the like find this library's modules, where it stands for PyTorch."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tensorglass."):
            _let_answer(module)
    sys.meta_path.insert(0, cast(Any, _Torch()))
    sys.meta_path.append(cast(Any, _Missing()))


def has_shortcuts() -> bool:
    """Whether the shortcuts are to be installed: they are there, and ``TENSORGLASS_FAST=0`` does not leave them out."""
    if os.environ.get("TENSORGLASS_FAST") == "0":
        return False
    return PathFinder.find_spec("tensorglass.fast", sys.modules["tensorglass"].__path__) is not None


LONGEST_WAIT = 10.0  # seconds that a fork is kept waiting
_NEEDED = {"tensorglass", "numpy", "scipy", "cupy", "cupyx", "ml_dtypes", *sys.stdlib_module_names}
# The locks of the modules being imported, by name. They are not public, but unchanged since Python 3.3.
_locks: dict[str, Callable[[], Any]] = _bootstrap._module_locks  # type: ignore[attr-defined]  # typeshed has public names


def _another_thread_imports() -> bool:
    """Whether another thread is importing a module that the library may need."""
    names = [name for name in list(_locks) if name.partition(".")[0] in _NEEDED]
    locks = [_locks.get(name, _nothing)() for name in names]
    return any(lock is not None and lock.owner not in (None, get_ident()) for lock in locks)


def _nothing() -> None:
    """Stands for a lock that no longer exists."""


def _wait_for_imports() -> None:
    # Not for ever: the import may itself wait for something that the forking thread holds.
    end = time.monotonic() + LONGEST_WAIT
    while _another_thread_imports() and time.monotonic() < end:
        time.sleep(0.001)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_imports)
