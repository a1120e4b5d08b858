"""Functions and methods called wrongly: no error of Python's or NumPy's inside reaches the caller.

PyTorch's tables of samples tell how each is called. What has no samples there is called with one tensor to three
arguments. Then one argument after another becomes something else; see `parity.wrong_calls`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from operator import attrgetter

import pytest

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's tables of samples need it: pip install expecttest")

from parity.wrong_calls import RAW, Call, data, outcome, wrong  # noqa: E402  # after the oracle is known to be there
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402  # as above

import tensorglass  # noqa: E402  # as above
from tensorglass.core.left_out import LeftOut, is_left_out  # noqa: E402  # as above

MOST = 8  #: calls of each form
HOMES = ("", "linalg.", "fft.", "special.", "Tensor.")
#: Not called: functions that change settings, write files or return uninitialized memory.
_APART = re.compile(
    r"(\w+\.)?(set_\w+|autocast_\w+|use_\w+|\w*seed|get_rng_state|save|load|from_file|compile|vmap|_\w+|new_empty\w*"
    r"|empty\w*|backward|register_\w+|share_memory_|data_ptr|module_load|apply_|map2?_|untyped_storage|storage|to_dense"
    r"|native_batch_norm)"  # wrong statistics end PyTorch's process
)
#: The rest of the differences, of which docs/differences-appendix.md tells the kinds: some refusals of these forms
#: differ in class or words. Nothing raw comes from them either.
DIFFER = frozenset((
    "Tensor.addbmm_", "Tensor.addcmul_", "Tensor.addmm_", "Tensor.addr_", "Tensor.baddbmm_", "Tensor.clamp_",
    "Tensor.cuda", "Tensor.histogram", "Tensor.index_add_", "Tensor.index_put", "Tensor.is_pinned", "Tensor.istft",
    "Tensor.new", "Tensor.norm", "Tensor.pin_memory", "Tensor.stft", "Tensor.subtract", "Tensor.subtract_",
    "Tensor.take_along_dim", "Tensor.to", "Tensor.unique", "as_tensor", "baddbmm", "can_cast", "cdist", "clamp_",
    "einsum", "eye", "fft.ifft", "get_autocast_dtype", "get_device_module", "gradient", "grid_sampler_2d",
    "histogram", "index_add", "index_put", "index_put_", "is_autocast_enabled", "isin", "istft", "kl_div", "kron",
    "linalg.matrix_rank", "linalg.qr", "linalg.solve_triangular", "lu", "lu_unpack", "matrix_exp", "max_pool1d",
    "max_pool3d", "meshgrid", "qr", "rand", "range", "rrelu", "tensordot", "unique", "unravel_index",
))  # fmt: skip
#: Refusals that are as good: Python's words for numbers and names of arguments, and what PyTorch says of its inside.
_ALIKE = [
    (r"takes |unexpected keyword|missing \d", r"takes |unexpected keyword|missing \d"),
    (r"must be|invalid combination|Number", r"isIntegral|INTERNAL ASSERT|Boolean value of Tensor|truth value of"),
    (r"", r"Overflow when unpacking|int too big|setStorage|only one element tensors|accelerator device"),
]


def _public() -> list[str]:
    names = []
    for home in HOMES:
        ours, theirs = (attrgetter(home[:-1])(library) if home else library for library in (tensorglass, torch))
        shared = [
            f"{home}{name}"
            for name in dir(theirs)
            if callable(getattr(theirs, name)) and not is_left_out(getattr(ours, name, LeftOut))
        ]
        names += [name for name in shared if not (_APART.fullmatch(name) or isinstance(attrgetter(name)(torch), type))]
    return names


NAMES = _public()


@cache
def _samples() -> dict[str, list[Call]]:
    """Right calls, by name."""
    by_form: dict[str, list[Call]] = {name: [] for name in NAMES}
    for info in op_db:
        dtypes = [dtype for dtype in (torch.float32, torch.int64, torch.complex64) if dtype in info.dtypes]
        if info.name.startswith("nn.") or not dtypes:
            continue
        aliases = [aliase.name for aliase in info.aliases]
        named = [re.sub(r"^(linalg|fft|special)_", r"\1.", item) for item in (info.name, *aliases)]
        methods = [method for method in (info.method_variant, info.inplace_variant) if method is not None]
        forms = [
            by_form[method]
            for method in (*named, *[f"Tensor.{form.__name__}" for form in methods])
            if method in by_form
        ]
        for sample in islice(info.sample_inputs_func(info, "cpu", dtypes[0], False), 2 if forms else 0):
            arguments = [data(argument) for argument in (sample.input, *sample.args)]
            keywords = {key: data(value) for key, value in sample.kwargs.items()}
            for form in forms:
                form.append((arguments, keywords))
    x = torch.arange(6.0).reshape(2, 3).numpy()
    return {name: calls or [([x], {}), ([x, x], {}), ([x, 1, 1], {})] for name, calls in by_form.items()}


def _calls(name: str, samples: list[Call]) -> Iterator[Call]:
    is_method = name.startswith("Tensor.")
    for arguments, keywords in samples:
        for call in wrong(arguments, keywords):
            if not is_method or (call[0] and call[0][0] is arguments[0]):
                yield call


def _alike(ours: str, theirs: str) -> bool:
    return ours == theirs or any(re.search(one, ours) and re.search(other, theirs) for one, other in _ALIKE)


@pytest.mark.sweep
@pytest.mark.parametrize("start", sorted({name[: name.rfind(".") + 2] for name in NAMES}))
def test_a_wrong_call_is_refused_as_pytorch_refuses_it(start: str) -> None:
    differing = []
    for name in NAMES:
        if name[: name.rfind(".") + 2] != start:
            continue
        calls = list(_calls(name, _samples()[name]))
        random.Random(name).shuffle(calls)
        for call in calls[:MOST]:
            ours, theirs = (outcome(library, name, call) for library in (tensorglass, torch))
            if (RAW.search(ours) and not RAW.search(theirs)) or not (name in DIFFER or _alike(ours, theirs)):
                differing.append(f"{name} {call}\n    {ours}\n    {theirs}")
    assert not differing, "\n".join(differing)
