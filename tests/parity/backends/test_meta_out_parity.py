"""``out=`` and the meta device: every operator with an input, or what it is written to, or both, on 'meta'.

The class and the first line of the error are PyTorch's, or the result's size, dtype and device.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import islice, product
from operator import attrgetter
from typing import Any

import pytest
from parity.agreement import built, torch
from parity.ops.operator_cases import Case, sampled
from parity.steps import disagreement, lines

import tensorglass
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare.registry import Operator
from tensorglass.ops.declare.samples import samples_of

#: Operators whose answer differs, and why.
DIFFERS = {
    "angle": "PyTorch tells of a kernel that its meta device lacks",
    "geqrf": "PyTorch has no meta kernel for it with out=",
    "linalg.lstsq": "there is no out=",
    "linalg.solve_triangular": "PyTorch leaves an out= on the other device as it was, without a word",
}
DEVICES = (("meta", "cpu"), ("cpu", "meta"), ("meta", "meta"))
SIZES = {"its own": lambda size: size, "empty": lambda size: (0,), "another": lambda size: (7,)}


def _on(value: Any, library: Any, device: str) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_on(item, library, device) for item in value)
    return value.to(device) if isinstance(value, library.Tensor) else value


def _outputs(like: Any, library: Any, device: str, sized: str) -> Any:
    if isinstance(like, tuple):
        return tuple(_outputs(item, library, device, sized) for item in like)
    dtype = getattr(library, str(like.dtype)[6:])
    return library.empty(SIZES[sized](tuple(like.shape)), dtype=dtype, device=device)


def _facts(value: Any, library: Any) -> Any:
    if isinstance(value, library.Tensor):
        return tuple(value.shape), str(value.dtype), str(value.device)
    return [_facts(item, library) for item in value]


def _told(library: Any, case: Case, like: Any, devices: tuple[str, str], sized: str) -> Any:
    arguments = _on([built(argument, library) for argument in case.arguments], library, devices[0])
    keywords = {key: _on(built(argument, library), library, devices[0]) for key, argument in case.keywords.items()}
    out = _outputs(like, library, devices[1], sized)
    try:
        return _facts(attrgetter(case.name)(library)(*arguments, **keywords, out=out), library)
    except Exception as error:  # whatever it is, the other library must raise the same
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def _results(row: Operator) -> Iterator[tuple[Case, Any]]:
    """Calls of an operator that can write to ``out=``, each with PyTorch's result."""
    for dtype in ("float32", "int64"):
        for case in islice(sampled(row, dtype), 2):
            arguments = [built(argument, torch) for argument in case.arguments]
            keywords = {key: built(argument, torch) for key, argument in case.keywords.items()}
            function = attrgetter(case.name)(torch)
            try:
                like = function(*arguments, **keywords)
                function(*arguments, **keywords, out=_outputs(like, torch, "cpu", "its own"))
            except (TypeError, RuntimeError, NotImplementedError, AttributeError):  # no such dtype, or no out=
                continue
            yield case, like


@pytest.mark.sweep
@pytest.mark.parametrize("kind", sorted({row.kind for row in OPERATORS.values() if samples_of(row)}))
def test_out_is_written_or_refused_as_by_pytorch(kind: str) -> None:
    differing = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in OPERATORS.values():
            if row.kind != kind or not row.is_function or row.path in DIFFERS or not samples_of(row):
                continue
            for (case, like), devices, sized in product(_results(row), DEVICES, SIZES):
                ours, theirs = (_told(library, case, like, devices, sized) for library in (tensorglass, torch))
                if ours != theirs:
                    differing.append(f"{case.name} {devices} {sized}: {ours} instead of {theirs}")
    assert not differing, "\n".join(differing[:20])


#: M stands for an empty tensor on the meta device, as large as the numbers that follow say.
MADE = r"""
torch.cat([torch.ones(2), torch.ones(3)], out=M(5)) ;; torch.stack([M(2), M(2)], out=torch.ones(2, 2))
torch.arange(3, device="meta", out=torch.ones(3)) ;; torch.arange(3, device="meta", out=M(3))
torch.arange(3, out=M(3)) ;; torch.arange(3, device="cpu", out=M(3))
torch.zeros(2, device="meta", out=torch.ones(2)) ;; torch.zeros(2, out=M(2)) ;; torch.ones(2, device="cpu", out=M(2))
torch.full((2,), 1., device="meta", out=torch.ones(2)) ;; torch.empty(2, device="meta", out=torch.ones(2))
torch.eye(2, device="meta", out=torch.ones(2, 2)) ;; torch.eye(2, out=M(2, 2)) ;; torch.eye(2, device="cpu", out=M(2))
torch.linspace(0, 1, 3, device="meta", out=torch.ones(3)) ;; torch.linspace(0, 1, 3, device="cpu", out=M(3))
torch.logspace(0, 1, 3, device="meta", out=torch.ones(3)) ;; torch.range(0, 3, device="meta", out=torch.ones(4))
torch.rand(2, device="meta", out=torch.ones(2)) ;; torch.rand(2, out=M(2)) ;; torch.randn(2, device="cpu", out=M(2))
torch.randint(5, (2,), device="meta", out=torch.ones(2)) ;; torch.randperm(3, device="meta", out=torch.arange(3))
torch.randperm(3, device="cpu", out=M(3).long())
torch.tril_indices(3, 2, 1, device="meta").shape ;; torch.triu_indices(3, 4, -1, device="meta").shape
torch.complex(M(2), torch.ones(2)) ;; torch.sum(torch.ones(2), 0, out=M())
torch.prod(torch.ones(2), 0, out=M()) ;; torch.all(torch.ones(2), 0, out=M().bool())
torch.amax(torch.ones(2, 3), 0, out=M(3)) ;; torch.normal(M(2), 1., out=torch.ones(2))
torch.normal(torch.ones(2), 1., out=M(2)) ;; torch.bernoulli(torch.ones(2), out=M(2))
torch.bernoulli(M(2), out=torch.ones(2)) ;; torch.multinomial(torch.ones(2), 1, out=M(1).long())
torch.multinomial(M(2), 1, out=torch.ones(1).long())
"""


@pytest.mark.parametrize("program", lines(MADE))
def test_what_is_made_is_written_or_refused_as_by_pytorch(program: str) -> None:
    assert disagreement("def M(*size): return torch.empty(size, device='meta')\n;; " + program) is None
