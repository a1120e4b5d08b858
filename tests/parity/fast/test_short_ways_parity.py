"""Small calls with keywords, indices and equations take shortcuts: result, layout and error are PyTorch's."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

MATRIX = [[4, 0, -3], [2, 7, 1], [-5, 6, 8]]
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "packed": lambda m: m + 0,
    "transposed": lambda m: (m + 0).t(),
    "every second": lambda m: (m + 0)[::2],
    "column": lambda m: (m + 0)[:, 1:2].t(),
    "empty": lambda m: (m + 0)[:0],
    "0-dim": lambda m: (m + 0)[1, 1],
}
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "alpha": lambda lib, a, b: lib.add(a, b, alpha=2),
    "alpha of a number": lambda lib, a, b: a.sub(3, alpha=2),
    "in place": lambda lib, a, b: a.add_(b, alpha=-1),
    "out": lambda lib, a, b: lib.mul(a, b, out=lib.empty_like(a)),
    "out of another dtype": lambda lib, a, b: lib.mul(a, b, out=lib.empty_like(a, dtype=lib.float64)),
    "out of another size": lambda lib, a, b: lib.add(a, b, out=lib.empty(0, dtype=a.dtype)),
    "out that is an operand": lambda lib, a, b: lib.sub(a, a, out=a),
    "out over an operand": lambda lib, a, b: lib.sub(a, b, out=a.t() if a.shape == (3, 3) else a),
    "rounding_mode": lambda lib, a, b: lib.div(a, 2, rounding_mode="floor"),
    "true division": lambda lib, a, b: a.div(4),
    "value": lambda lib, a, b: lib.addcmul(a, a, b, value=2),
    "min": lambda lib, a, b: a.clamp(min=0),
    "max": lambda lib, a, b: a.clamp_(max=3),
    "both": lambda lib, a, b: lib.clamp(a, -1, 2),
    "decimals": lambda lib, a, b: lib.round(a, decimals=1),
    "weight": lambda lib, a, b: lib.lerp(a, b, 0.5),
    "power in place": lambda lib, a, b: a.pow_(2),
    "var": lambda lib, a, b: a.var(0),
    "std, keepdim": lambda lib, a, b: a.std(dim=-1, keepdim=True),
    "norm": lambda lib, a, b: a.norm(dim=0),
    "vector_norm": lambda lib, a, b: lib.linalg.vector_norm(a),
    "to": lambda lib, a, b: a.to(dtype=lib.float64),
    "type_as": lambda lib, a, b: a.type_as(lib.zeros(1, dtype=lib.int32)),
    "tril": lambda lib, a, b: a.tril(),
    "triu": lambda lib, a, b: a.triu(1),
    "ones_like": lambda lib, a, b: lib.ones_like(a),
    "gather": lambda lib, a, b: a.gather(0, _index(lib, a)),
    "gather fewer": lambda lib, a, b: a.gather(-1, _index(lib, a)[:1]),
    "scatter": lambda lib, a, b: a.scatter(0, _index(lib, a), b.contiguous()),
    "scatter_add": lambda lib, a, b: a.scatter_add(1, _index(lib, a), b.contiguous()),
    "outside": lambda lib, a, b: a.gather(0, _index(lib, a) + 3),
    "below": lambda lib, a, b: a.scatter(0, _index(lib, a) - 1, b.contiguous()),
    "largest": lambda lib, a, b: a.topk(1, 0)[0],
    "smallest": lambda lib, a, b: a.topk(2, largest=False)[0],
    "median": lambda lib, a, b: a.median(0)[0],
    "descending": lambda lib, a, b: a.sort(0, True)[1],
    "cummax": lambda lib, a, b: a.cummax(0)[1],
    "nan_to_num": lambda lib, a, b: a.nan_to_num(),
    "rows": lambda lib, a, b: _written(a, lib.tensor([1, -1]), b[:2] if b.dim() else b),
    "rows that are not there": lambda lib, a, b: _written(a, lib.tensor([1, 5]), b[:2] if b.dim() else b),
    "an element": lambda lib, a, b: a[1, -1],
    "a row": lambda lib, a, b: a[-1],
    "every other row": lambda lib, a, b: a[1::2],
    "an element that is not there": lambda lib, a, b: a[0, 3],
    "a number at an element": lambda lib, a, b: _written(a, (1, -1), 2.5),
    "a number at an element of a view": lambda lib, a, b: _written(a.expand(2, *a.shape), (1, 0, -1), 2.5),
    "a number at an element that is not there": lambda lib, a, b: _written(a, (0, -4), 2.5),
    "a number at an element, too large": lambda lib, a, b: _written(a, (0, 1), 1e39),
    "no number at an element": lambda lib, a, b: _written(a, (0, 1), float("nan")),
    "a number at a truth value": lambda lib, a, b: _written(a, (True, 0), 2.5),
    "a number at a mask": lambda lib, a, b: _written(a, a > 1, 9),
    "a number at a mask of another size": lambda lib, a, b: _written(a, lib.tensor([True, False]), 9),
}


def _index(lib: Any, a: Any) -> Any:
    return (lib.arange(a.numel()) % 2).reshape(a.shape)


def _written(a: Any, index: Any, value: Any) -> Any:
    a[index] = value
    return a


def _seen(call: Callable[..., Any], lib: Any, dtype: str, layout: str) -> Any:
    matrix = lib.tensor(MATRIX, dtype=getattr(lib, dtype))
    a, b = LAYOUTS[layout](matrix), LAYOUTS[layout](matrix * 2)
    try:
        result = call(lib, a, b)
    except (RuntimeError, IndexError, TypeError, NotImplementedError) as error:
        return type(error), str(error).splitlines()[0]
    elements = [[round(float(number), 4) + 0.0 for number in result.reshape(-1).tolist()], a.tolist()]
    return str(result.dtype), tuple(result.shape), result.stride(), str(elements), a._version, result._version


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized", "ignore:.*degrees of freedom")
@pytest.mark.parametrize("name", CALLS)
def test_a_short_way_comes_to_what_pytorch_comes_to(name: str) -> None:
    for dtype, layout in itertools.product(("float32", "float64", "int64", "float16", "uint8", "bool"), LAYOUTS):
        ours, theirs = (_seen(CALLS[name], lib, dtype, layout) for lib in (tensorglass, torch))
        assert ours == theirs, (name, dtype, layout)


EQUATIONS = (
    "ij,jk->ik",
    "ij,jk->ki",
    "ij,ij->",
    "ij,ij",
    "ij,kj->ik",
    "ij,ij->i",
    "ii,ij->j",
    "i j, jk -> ik",
    "ij,kl->il",
)


@pytest.mark.parametrize("equation", EQUATIONS)
def test_the_second_time_an_equation_comes_to_the_same_layout(equation: str) -> None:
    seen = []
    for lib in (tensorglass, torch):
        matrix = lib.tensor(MATRIX, dtype=lib.float32)
        for _ in range(3):
            product = lib.einsum(equation, matrix, matrix + 1)
            base = None if product._base is None else tuple(product._base.shape)
            seen.append((product.tolist(), product.stride(), product._is_view(), base))
    assert all(told == seen[-1] for told in seen)


def test_the_garbage_collector_is_as_it_was_after_the_import() -> None:
    for state in ("enable", "disable"):
        program = f"import gc; gc.{state}(); import tensorglass; print(gc.isenabled())"
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == str(state == "enable")
