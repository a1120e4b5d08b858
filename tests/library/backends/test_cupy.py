"""What can be tested of the CuPy path without a GPU: CuPy has every function that the kernels call, with these
arguments.

The simulated accelerator hands its kernels an array module of its own, which sees every call. CuPy's own must have a
function of the same name that can be called alike.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
import scipy.special

from tensorglass.backends.simulated.array import SimulatedArray
from tensorglass.backends.simulated.module import SimulatedModule
from tensorglass.testing import check_backend

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # without a GPU it warns that there is none
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'tensorglass[gpu]'")
    import cupyx.scipy.special

Form = tuple[int, tuple[str, ...]]  # the number of positional arguments, the names of the others


@pytest.fixture(scope="module")
def calls() -> dict[tuple[str, str], set[Form]]:
    """Every call that the operators make of the array module: (module, name) → forms."""
    seen: dict[tuple[str, str], set[Form]] = defaultdict(set)
    run = SimulatedModule.call

    def watched(
        self: SimulatedModule, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Any
    ) -> Any:
        seen[self._functions.__name__, name].add((len(arguments), tuple(sorted(keywords))))
        return run(self, name, function, arguments, keywords)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SimulatedModule, "call", watched)
        assert check_backend("sim").ok
    return seen


def found_in_cupy(module: str, name: str) -> Any:
    """CuPy's function, or method of its arrays, of this name; None if there is none."""
    if module == "scipy.special":  # where the host runs what CuPy lacks
        return getattr(cupyx.scipy.special, name, getattr(scipy.special, name))
    place: Any = cupy
    for part in [*module.split(".")[1:], *name.split(".")]:
        place = getattr(place, part, None)
    return getattr(cupy.ndarray, name, None) if place is None else place


def test_cupy_has_every_function_that_kernels_call_with_these_arguments(
    calls: dict[tuple[str, str], set[Form]],
) -> None:
    assert len(calls) > 80
    wrong = []
    for (module, name), forms in calls.items():
        if name in ("getitem", "setitem") or module.startswith("scipy.linalg"):  # Python's own, and the host's
            continue
        function = found_in_cupy(module, name)
        if function is None:
            wrong.append(f"{module}.{name} is missing")
        elif isinstance(function, cupy.ufunc):
            wrong += [f"{name} with {names}" for _, names in forms if {*names} - {"out", "dtype", "casting"}]
        else:
            try:
                signature = inspect.signature(function)
            except ValueError:  # a compiled function does not tell
                continue
            for count, names in forms:
                try:
                    signature.bind(*range(count), **dict.fromkeys(names))
                except TypeError as error:
                    wrong.append(f"{name}: {error}")
    assert wrong == []


def test_the_simulated_array_has_no_method_that_cupys_has_not() -> None:
    public = [name for name in vars(SimulatedArray) if not name.startswith("_")]
    ours = {"allocation", "cells", "module"}
    assert [name for name in public if name not in ours and not hasattr(cupy.ndarray, name)] == []


def test_cupys_ufuncs_have_the_methods_that_kernels_call(calls: dict[tuple[str, str], set[Form]]) -> None:
    for _, name in calls:
        ufunc, _, method = name.partition(".")
        if method:
            assert hasattr(getattr(cupy, ufunc), method), name


def test_cupys_side_of_dlpack_takes_what_we_give_and_ask() -> None:
    exported = (cupy.ndarray.__dlpack__.__doc__ or "").splitlines()[0]
    assert all(f"{name}=" in exported.replace("tuple ", "") for name in ("stream", "max_version"))
    assert "from_dlpack(array" in (cupy.from_dlpack.__doc__ or "").splitlines()[0]
    assert hasattr(cupy.cuda, "get_current_stream")
    assert isinstance(cupy.cuda.Stream.null.ptr, int)


def test_cupy_is_not_imported_before_a_cuda_device_is_asked_for() -> None:
    program = "import sys, tensorglass as torch\ntorch.zeros(2, device='sim') + 1\nassert 'cupy' not in sys.modules\n"
    subprocess.run([sys.executable, "-c", program], check=True)


_OBSERVED = """
import gc, warnings
warnings.simplefilter("ignore")
import cupy
from tensorglass.backends.cupy_pool import observed

# Stands in for the device alone: addresses that nobody follows. Pointers, hooks and the allocator are CuPy's.
addresses = iter(range(2**20, 2**30, 2**20))

def give(nbytes):
    memory = cupy.cuda.UnownedMemory(next(addresses), -(-nbytes // 512) * 512, None, 0)
    return cupy.cuda.MemoryPointer(memory, 0)

cupy.cuda.set_allocator(give)
pool = observed(cupy, 0)
assert observed(cupy, 0) is pool
first, second = cupy.cuda.alloc(1000), cupy.cuda.alloc(512)
view = first + 256
del first
gc.collect()
assert [len(each["blocks"]) for each in pool.snapshot(2**40)] == [1, 1]
assert pool.stats(2**40)["allocated_bytes.all.current"] == 1536
assert pool.stats(2**40)["requested_bytes.all.current"] == 1512
del view
gc.collect()
assert pool.stats(2**40)["allocated_bytes.all.current"] == 512
assert pool.stats(512)["reserved_bytes.all.current"] == 512
"""


def test_what_cupys_allocator_hands_out_is_observed_as_long_as_anything_points_at_it() -> None:
    subprocess.run([sys.executable, "-c", _OBSERVED], check=True)


def test_cupys_hooks_report_what_the_observer_reads() -> None:
    hook = cupy.cuda.MemoryHook
    for name, keys in (
        ("alloc_postprocess", ("device_id", "mem_size", "mem_ptr")),
        ("malloc_postprocess", ("mem_size", "mem_ptr")),
    ):
        assert all(f"{key}(int)" in getattr(hook, name).__doc__ for key in keys)
