"""On a machine without a GPU, `torch.cuda` and `torch.accelerator` answer and refuse as PyTorch's do."""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import tensorglass
from tensorglass.allocator.figures import Counters
from tensorglass.tensor.accelerator_common import summary_table

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here: tests of devices use it")


def warned(call: Callable[[], Any]) -> list[Any]:
    """What a call gives, if it gives anything, and of what it warns."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = call()
        except (AssertionError, AttributeError):
            result = None
    return [result, *[(each.category, str(each.message)) for each in told]]


CALLS: list[Callable[[Any], Any]] = [
    lambda torch: torch.cuda.is_available(),
    lambda torch: torch.cuda.device_count(),
    lambda torch: torch.cuda.is_initialized(),
    lambda torch: torch.cuda._is_in_bad_fork(),
    lambda torch: torch.cuda.memory_allocated(),
    lambda torch: torch.cuda.max_memory_allocated(),
    lambda torch: torch.cuda.memory_reserved(),
    lambda torch: dict(torch.cuda.memory_stats()),
    lambda torch: torch.cuda.empty_cache(),
    lambda torch: torch.cuda.manual_seed(1),
    lambda torch: torch.cuda.manual_seed_all(1),
    lambda torch: torch.cuda.random.manual_seed(1),
    lambda torch: torch.cuda.memory.memory_allocated(),
    lambda torch: torch.cuda.is_bf16_supported(),
    lambda torch: torch.cuda.is_bf16_supported(including_emulation=False),
    lambda torch: torch.cuda.is_tf32_supported(),
    lambda torch: torch.cuda.get_arch_list(),
    lambda torch: torch.cuda.get_gencode_flags(),
    lambda torch: torch.cuda.ipc_collect(),
    lambda torch: torch.cuda.get_rng_state_all(),
    lambda torch: torch.cuda.random.get_rng_state_all(),
    lambda torch: torch.cuda.set_rng_state_all([]),
    lambda torch: torch.cuda.seed_all(),
    lambda torch: warned(lambda: torch.cuda.memory_cached()),
    lambda torch: warned(lambda: torch.cuda.max_memory_cached()),
    lambda torch: warned(lambda: torch.cuda.reset_max_memory_allocated())[1:],
    lambda torch: warned(lambda: torch.cuda.memory.reset_max_memory_cached())[1:],
    lambda torch: torch.cuda.init(),
    lambda torch: torch.cuda.current_device(),
    lambda torch: torch.cuda.get_device_name(),
    lambda torch: torch.cuda.get_device_properties(0),
    lambda torch: torch.cuda.get_device_capability(),
    lambda torch: torch.cuda.synchronize(),
    lambda torch: torch.cuda.mem_get_info(),
    lambda torch: torch.cuda.current_stream(),
    lambda torch: torch.cuda.Stream(),
    lambda torch: torch.cuda.get_rng_state(),
    lambda torch: torch.ones(2, device="cuda"),
    lambda torch: torch.ones(2).to("cuda"),
    lambda torch: torch.ones(2).cuda(),
    lambda torch: torch.ones(2).cuda("cuda:1"),
    lambda torch: torch.cuda.OutOfMemoryError is torch.OutOfMemoryError,
    lambda torch: [base.__name__ for base in torch.OutOfMemoryError.__mro__],
    lambda torch: repr(torch.ones(1, device="cpu:0").device),
]


def outcome(call: Callable[[Any], Any], library: Any) -> Any:
    try:
        return call(library)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("call", CALLS)
def test_cuda_answers_and_refuses_as_pytorchs(call: Callable[[Any], Any]) -> None:
    assert outcome(call, tensorglass) == outcome(call, torch)


ACCELERATOR = [
    "torch.accelerator.is_available()", "torch.accelerator.current_accelerator()", "torch.accelerator.device_count()",
    "torch.accelerator.synchronize()", "torch.accelerator.current_device_index()", "torch.ones(2).pin_memory()",
    "torch.ones(2).is_pinned()", "torch.ones(2).to(1)", "torch.ones(2).cuda(1)", "torch.zeros(2, device=0)",
    "torch.zeros(2, pin_memory=True)", "torch.UntypedStorage([1, 2]).pin_memory()",
]  # fmt: skip
PROGRAM = """
import {library} as torch
for call in {calls!r}:
    try:
        print(eval(call))
    except Exception as error:
        print(type(error).__name__, error)
"""


def test_there_is_no_accelerator_until_the_simulated_one_is_used() -> None:
    # A new process: in this one the simulated accelerator may be in use.
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM.format(library=library, calls=ACCELERATOR)],
            capture_output=True, text=True, check=True,
        ).stdout
        for library in ("tensorglass", "torch")
    ]  # fmt: skip
    assert said[0] == said[1]


ASPECTS = ("current", "peak", "allocated", "freed")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("abbreviated", [True, False])
def test_the_memory_summary_is_laid_out_as_pytorchs(
    seed: int, abbreviated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = random.Random(seed)
    names = [name for name in Counters().named() if name.count(".") == 2]
    names += [f"oversize_{what}.{aspect}" for what in ("allocations", "segments") for aspect in ASPECTS]
    stats = {name: 10 ** numbers.randint(0, 12) * numbers.randint(0, 9) for name in names}
    stats |= {"num_ooms": numbers.randint(0, 9), "num_alloc_retries": numbers.randint(0, 999)}
    monkeypatch.setattr("torch.cuda.memory.memory_stats", lambda device=None: stats)
    wanted = torch.cuda.memory_summary(3, abbreviated)
    assert summary_table(stats, tensorglass.device("cuda", 3), abbreviated) == wanted
