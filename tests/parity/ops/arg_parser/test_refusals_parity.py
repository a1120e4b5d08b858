"""What operators refuse, and in which words: PyTorch's signatures, and numbers that a dtype cannot hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import torch
from parity.expressions import outcome

import tensorglass
from tensorglass.ops import OPERATORS
from tensorglass.ops.arg_parser.signature import refusal

_FILE = Path(tensorglass.__file__).parent / "ops" / "arg_parser" / "signatures.txt"
# PyTorch names zero_ after Tensor in this refusal, and all others after TensorBase.
NAMES = [line for line in _FILE.read_text().splitlines() if line[0] != " " and line != "Tensor.zero_"]
X = "torch.arange(6.).reshape(2, 3)"


def _refuse(name: str, arguments: tuple[Any, ...]) -> None:
    """The operators behind `nn.functional` have no public name: their signatures are called directly."""
    refused = refusal(name, arguments, {}, is_method=False)
    assert refused is not None
    raise refused


def _form(library: Any, name: str) -> Callable[..., Any]:
    """The operator that the file has under this name: "add", "linalg_norm", "Tensor.add_"."""
    if name.startswith("Tensor."):
        form: Callable[..., Any] = getattr(library.zeros(2), name.removeprefix("Tensor."))
        return form
    if library is tensorglass and not name.startswith("Tensor.") and name not in OPERATORS:
        return lambda *arguments: _refuse(name, arguments)
    if hasattr(torch._C._nn, name):
        return getattr(torch._C._nn, name)
    for namespace in ("linalg", "fft", "special"):
        if name.startswith(f"{namespace}_"):
            name = name.replace("_", ".", 1)
    return reduce(getattr, name.split("."), library)


def _listed(library: Any, name: str) -> tuple[str, set[str]]:
    """The message for a call with far too many arguments: its first line, and the signatures that it lists."""
    with pytest.raises(TypeError) as caught:
        _form(library, name)(*[object()] * 40)
    first, *rest = str(caught.value).splitlines()
    return first, {line for line in rest if line.startswith(" * ")}


def test_the_signatures_are_those_that_pytorch_lists() -> None:
    differing = [name for name in NAMES if _listed(tensorglass, name) != _listed(torch, name)]
    assert not differing


REFUSED = [
    f"{X}.sum(foo=1)", f"{X}.sum('a')", f"{X}.sum(0, 1)", f"{X}.sum(0, keepdim=None)", f"{X}.mean(foo=1)",
    f"{X}.add()", f"{X}.add(1, beta=2)", f"{X}.neg(1)", f"{X}.neg(out=1)", f"{X}.std(correction='a')",
    f"{X}.bernoulli('a')", f"{X}.requires_grad_('a')", f"{X}.norm('a')", f"torch.normal({X}, 'a')",
    f"torch.bucketize('a', {X})", f"torch.logsumexp({X}, 'a')", f"torch.mv({X}, {X})",
    f"torch.gradient({X}, spacing='a')", f"torch.take_along_dim({X}, {X})", f"{X}.nan_to_num('a')", f"{X}.logit('a')",
    "torch.einsum('ij->j', 'a')", f"{X}.sort(descending=1)", f"{X}.all('a')",
    f"torch.tril({X}, 1.0)", f"{X}.triu_(True)", f"torch.rot90({X}, 1.5)", f"{X}.kthvalue(True)", f"{X}.diff(1.0)",
    "torch.matrix_power(torch.eye(2), 2.0)", "torch.hann_window(3.5)", "torch.linalg.matrix_power(torch.eye(2), True)",
    f"torch.addmm({X}, {X}, 'a')", f"{X}.quantile(0.5, keepdim='a')", "torch.linalg.cholesky(torch.eye(2), upper=1)",
]  # fmt: skip


REFUSED += [
    f"torch.tensor(1.).{name}()"
    for name in (
        "permute",
        "reshape",
        "view",
        "expand",
        "repeat",
        "tile",
        "flip",
        "resize_",
        "broadcast_to",
        "sum_to_size",
    )
]


@pytest.mark.parametrize("expression", REFUSED)
def test_a_wrong_argument_is_refused_in_pytorchs_words(expression: str) -> None:
    ours, theirs = (outcome(library, expression)[0] for library in (tensorglass, torch))
    assert "Error: " in theirs
    assert ours == theirs


NUMBERS = ("1e60", "-1e60", "2**40", "-2**40", "300", "2**65", "1.5", "float('inf')", "float('nan')")
TAKERS = [
    "{x}.clamp({n})", "{x}.clamp(max={n})", "{x}.clamp_min({n})", "{x}.clamp_({n})", "torch.clip({x}, {n}, {n})",
    "torch.where({x} > 0, {x}, {n})", "torch.where({x} > 0, {n}, {x})", "{x}.add({x}, alpha={n})",
    "{x}.sub({x}, alpha={n})", "{x}.masked_fill({x} > 0, {n})", "{x}.fill_({n})", "torch.full_like({x}, {n})",
    "torch.linspace(0, {n}, 3, dtype={x}.dtype)", "{x} + {n}", "{x} ** {n}", "{x} == {n}",
]  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int32", "int64", "uint8"])
@pytest.mark.parametrize("taker", TAKERS)
def test_a_number_that_a_dtype_cannot_hold_is_refused_where_pytorch_refuses_it(taker: str, dtype: str) -> None:
    x = f"torch.ones(2, dtype=torch.{dtype})"
    calls = [taker.format(x=x, n=number) for number in NUMBERS]
    differing = [call for call in calls if outcome(tensorglass, call)[0] != outcome(torch, call)[0]]
    assert not differing


@pytest.mark.parametrize("call", ["lerp({x}, {n})", "addcmul({x}, {x}, value={n})", "addcdiv({x}, {x}, value={n})"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights_and_factors_are_numbers_that_the_dtype_can_hold(call: str, dtype: str) -> None:
    x = f"torch.ones(2, dtype=torch.{dtype})"
    for number in ("1e60", "-1e60", "2**40", "1.5"):
        expression = f"{x}.{call.format(x=x, n=number)}"
        assert outcome(tensorglass, expression)[0] == outcome(torch, expression)[0]
