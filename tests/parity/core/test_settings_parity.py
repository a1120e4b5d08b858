"""Settings of the whole library, and windows, against PyTorch: what is kept and told."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from parity import steps
from parity.agreement import Dtype, disagreement, torch

import tensorglass

#: Programs of calls, each made on both libraries in turn.
PROGRAMS: list[list[tuple[Any, ...]]] = [
    [("set_num_threads", 3), ("get_num_threads",), ("set_num_threads", 1), ("get_num_threads",)],
    [("set_num_threads", 0), ("set_num_threads", "2"), ("set_num_threads", 2.0), ("set_num_threads", True)],
    [
        ("are_deterministic_algorithms_enabled",),
        ("use_deterministic_algorithms", True),
        ("are_deterministic_algorithms_enabled",),
        ("is_deterministic_algorithms_warn_only_enabled",),
        ("use_deterministic_algorithms", False),
        ("are_deterministic_algorithms_enabled",),
    ],
    [
        ("get_deterministic_debug_mode",),
        ("set_deterministic_debug_mode", 1),
        ("get_deterministic_debug_mode",),
        ("is_deterministic_algorithms_warn_only_enabled",),
        ("set_deterministic_debug_mode", "error"),
        ("get_deterministic_debug_mode",),
        ("are_deterministic_algorithms_enabled",),
        ("is_deterministic_algorithms_warn_only_enabled",),
        ("set_deterministic_debug_mode", 3),
        ("set_deterministic_debug_mode", "loud"),
        ("set_deterministic_debug_mode", 1.0),
        ("set_deterministic_debug_mode", "default"),
        ("get_deterministic_debug_mode",),
    ],
    [
        ("get_float32_matmul_precision",),
        ("set_float32_matmul_precision", "high"),
        ("get_float32_matmul_precision",),
        ("set_float32_matmul_precision", "highest"),
    ],
    [
        ("set_default_tensor_type", "torch.DoubleTensor"),
        ("get_default_dtype",),
        ("set_default_tensor_type", "torch.FloatTensor"),
        ("get_default_dtype",),
        ("set_default_tensor_type", "torch.LongTensor"),
    ],
]


def told(library: Any, program: list[tuple[Any, ...]]) -> Iterator[str]:
    for name, *arguments in program:
        try:
            yield repr(getattr(library, name)(*arguments))
        except Exception as error:
            yield f"{type(error).__name__}: {str(error).splitlines()[0]}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[-1][0])
def test_settings_are_kept_told_and_refused_alike(program: list[tuple[Any, ...]]) -> None:
    assert list(told(tensorglass, program)) == list(told(torch, program))


def test_the_root_has_itself_by_its_name() -> None:
    assert torch.torch is torch
    assert tensorglass.torch is tensorglass


WINDOW_NAMES = ("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window")
WINDOWS = [
    (name, *arguments)
    for name in WINDOW_NAMES
    for arguments in ((5,), (5, False), (1,), (0,), (-1,), (2, False), (4, {"dtype": Dtype("float64")}))
] + [("hamming_window", 4, True, 0.5, 0.4), ("kaiser_window", 6, False, 5.0)]


@pytest.mark.parametrize("call", WINDOWS, ids=lambda call: call[0])
def test_windows_agree(call: tuple[Any, ...]) -> None:
    name, *arguments = call
    keywords = dict(arguments.pop()) if isinstance(arguments[-1], dict) else {}
    assert disagreement(name, tuple(arguments), keywords, floor=1.0) is None


@pytest.mark.parametrize("name", WINDOW_NAMES)
def test_windows_of_integers_are_refused(name: str) -> None:
    for library in (tensorglass, torch):
        with pytest.raises(RuntimeError, match=f"{name} expects floating point dtypes, got: "):
            getattr(library, name)(4, dtype=library.int32)


def test_nan_to_num_in_place_writes_floating_numbers_alone() -> None:
    x = tensorglass.tensor([1.0, float("nan"), float("-inf")])
    assert x.nan_to_num_(0.5, neginf=-2.0) is x
    assert x.tolist() == [1.0, 0.5, -2.0]
    for library in (tensorglass, torch):
        whole = library.tensor([1, 2])
        assert library.nan_to_num_(whole) is whole
        assert (whole.tolist(), whole._version) == ([1, 2], 1)  # it counts as a write though nothing changes


_NEW = (
    "torch.empty(2,3,dtype=d)", "torch.empty(4,out=torch.zeros(1,dtype=d))", "torch.empty_like(torch.zeros(2,dtype=d))",
    "torch.empty_strided((2,3),(1,2),dtype=d)",
    "torch.zeros(2,dtype=d).new_empty(3)", "torch.zeros(2,dtype=d).new_empty_strided((2,2),(1,2))",
    "torch.zeros(2,3,dtype=d).resize_(4,3)", "torch.zeros(6,dtype=d).resize_(3)",
)  # fmt: skip


@pytest.mark.parametrize("fills", [True, False])
@pytest.mark.parametrize("call", _NEW)
def test_new_memory_is_filled_where_deterministic_algorithms_are_asked_for(call: str, fills: bool) -> None:
    def made(library: Any, dtype: str) -> Any:
        library.use_deterministic_algorithms(True)
        library.utils.deterministic.fill_uninitialized_memory = fills
        try:
            result = eval(call, {"torch": library, "d": getattr(library, dtype)})
        finally:
            library.utils.deterministic.fill_uninitialized_memory = True
            library.use_deterministic_algorithms(False)
        return repr(result), result._version, result.stride()

    for dtype in ("float32", "bfloat16", "complex64", "int16", "uint8", "bool", "uint64"):
        ours, theirs = made(tensorglass, dtype), made(torch, dtype)
        assert ours[1:] == theirs[1:]
        if fills:
            assert ours == theirs


@pytest.mark.parametrize("only_warns", [False, True])
@pytest.mark.parametrize("accumulate", [False, True])
def test_put_is_refused_or_warned_of_where_deterministic_algorithms_are_asked_for(
    only_warns: bool, accumulate: bool
) -> None:
    def tried(library: Any) -> Any:
        library.use_deterministic_algorithms(True, warn_only=only_warns)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                library.zeros(3).put_(library.tensor([0, 0]), library.ones(2), accumulate)
            except RuntimeError as error:
                return str(error).splitlines()[0]
            finally:
                library.use_deterministic_algorithms(False)
        return [str(warning.message).split(" (Triggered")[0] for warning in caught]

    assert tried(tensorglass) == tried(torch)


SWITCHES = r"""
b=torch.backends.cuda.matmul ;; b.allow_fp16_reduced_precision_reduction ;; b.allow_bf16_reduced_precision_reduction
b=torch.backends.cuda.matmul ;; b.allow_tf32 ;; b.allow_tf32=True ;; b.allow_tf32 ;; b.allow_tf32=False
b=torch.backends.cudnn ;; b.enabled ;; b.benchmark ;; b.deterministic ;; b.allow_tf32 ;; b.benchmark_limit
b=torch.backends.cudnn ;; b.is_available() ;; b.version() ;; b.is_acceptable(torch.ones(2))
b=torch.backends.cudnn ;; b.benchmark=True ;; b.benchmark ;; b.benchmark=False ;; b.benchmark
b=torch.backends.cudnn ;; b.deterministic=True ;; b.deterministic ;; b.deterministic=False
b=torch.backends.cudnn ;; b.enabled=False ;; b.enabled ;; b.enabled=True
b=torch.backends.cuda ;; b.enable_flash_sdp(False) ;; b.flash_sdp_enabled() ;; b.enable_flash_sdp(True)
b=torch.backends.cuda ;; b.enable_math_sdp(False) ;; b.math_sdp_enabled() ;; b.enable_math_sdp(True)
b=torch.backends.cuda ;; b.enable_cudnn_sdp(False) ;; b.cudnn_sdp_enabled() ;; b.enable_cudnn_sdp(True)
b=torch.backends.cuda.mem_efficient_sdp_enabled() ;; torch.backends.cuda.enable_mem_efficient_sdp(True)
b=torch.backends.cuda ;; b.enable_flash_sdp("yes") ;; b.enable_math_sdp(1) ;; b.is_flash_attention_available()
torch.nn.attention.sdpa_kernel("MATH").__enter__() ;; torch.nn.attention.sdpa_kernel(None).__enter__()
torch.cuda._initialized ;; torch._C._log_api_usage_once("a.name") ;; torch._C._log_api_usage_once(3)
torch.backends.mps.is_available() ;; torch.backends.mps.is_built() ;; torch.backends.mkldnn.enabled
torch.backends.flags_frozen()
"""


@pytest.mark.parametrize("program", steps.lines(SWITCHES))
def test_switches_of_other_libraries_are_kept_and_told_as_pytorchs(program: str) -> None:
    # Importing PyTorch's tables of samples, as other tests do, freezes these flags: unfreeze them.
    torch.backends.flags_frozen.__globals__["__allow_nonbracketed_mutation_flag"] = True
    # `b` holds a module, which prints as its path: it is set to None, since all variables are compared at the end.
    assert steps.disagreement(f"{program} ;; b=None") is None


@pytest.mark.parametrize("chosen", ["MATH", "FLASH_ATTENTION CUDNN_ATTENTION", "", "older"])
def test_ways_to_compute_attention_are_chosen_within_a_block_alone(chosen: str) -> None:
    def told(library: Any) -> list[bool]:
        cuda = library.backends.cuda
        return [getattr(cuda, f"{way}_sdp_enabled")() for way in ("flash", "mem_efficient", "math", "cudnn")]

    def tried(library: Any) -> Any:
        backends = [getattr(library.nn.attention.SDPBackend, name) for name in chosen.split() if name.isupper()]
        with warnings.catch_warnings(action="ignore"):
            block = library.nn.attention.sdpa_kernel(backends)
            if chosen == "older":
                block = library.backends.cuda.sdp_kernel(enable_flash=False, enable_cudnn=False)
            with block as given:
                within = told(library)
        return given, within, told(library)

    assert tried(tensorglass) == tried(torch)


def test_a_module_of_switches_can_be_imported_by_name() -> None:
    import tensorglass.backends.cudnn as cudnn

    assert cudnn is tensorglass.backends.cudnn
    with cudnn.flags(benchmark=True):
        assert cudnn.benchmark
    assert not cudnn.benchmark
    assert not any(
        getattr(tensorglass.backends, name).is_available() for name in ("cudnn", "mkl", "mkldnn", "mps", "openmp")
    )
