"""Operators given tensors of two dtypes refuse them as PyTorch does, or compute in the dtype that PyTorch does.

PyTorch's words depend on the kernel that it chooses: of a batch of matrices, for example, on their size and layout.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

KINDS = ("float32", "float64", "float16", "int64", "complex64", "bool")
Call = Callable[..., Any]  # the library, and a function for each dtype that makes a tensor of ones → a result

#: Sizes (batch, rows, inner, columns) of products.
PRODUCTS = ((2, 2, 3, 2), (3, 8, 8, 11), (1, 20, 20, 20), (3, 1, 50, 50), (3, 50, 50, 1), (3, 50, 1, 50), (3, 8, 5, 10),
            (3, 0, 8, 8), (3, 8, 0, 8), (0, 8, 8, 8))  # fmt: skip


def _turned(tensor: Any, is_turned: int) -> Any:
    return tensor.mT.contiguous().mT if is_turned and tensor.dim() > 1 else tensor


MULTIPLIED: dict[str, Callable[[Any, Any, Any, tuple[int, ...], int], Any]] = {
    "mm": lambda t, a, b, s, n: t.mm(_turned(a(s[1], s[2]), n & 1), _turned(b(s[2], s[3]), n & 2)),
    "mv": lambda t, a, b, s, n: t.mv(_turned(a(s[1], s[2]), n & 1), b(s[2])),
    "dot": lambda t, a, b, s, n: t.dot(a(s[2]), b(s[2])),
    "bmm": lambda t, a, b, s, n: t.bmm(_turned(a(*s[:3]), n & 1), _turned(b(s[0], *s[2:]), n & 2)),
    "3 @ 3": lambda t, a, b, s, n: _turned(a(*s[:3]), n & 1) @ _turned(b(s[0], *s[2:]), n & 2),
    "3 @ 2": lambda t, a, b, s, n: _turned(a(*s[:3]), n & 1) @ _turned(b(*s[2:]), n & 2),
    "2 @ 3": lambda t, a, b, s, n: _turned(a(*s[1:3]), n & 1) @ _turned(b(s[0], *s[2:]), n & 2),
    "3 @ 1": lambda t, a, b, s, n: _turned(a(*s[:3]), n & 1) @ b(s[2]),
    "1 @ 3": lambda t, a, b, s, n: a(s[2]) @ _turned(b(s[0], *s[2:]), n & 2),
    "4 @ 3": lambda t, a, b, s, n: _turned(a(2, *s[:3]), n & 1) @ _turned(b(s[0], *s[2:]), n & 2),
    "gaps": lambda t, a, b, s, n: t.bmm(a(s[0], s[1], 2 * s[2])[..., ::2], b(s[0], *s[2:])),
    "linear": lambda t, a, b, s, n: t.nn.functional.linear(_turned(a(*s[:3]), n & 1), b(s[3], s[2])),
    "addmm": lambda t, a, b, s, n: t.addmm(a(s[1], s[3]), a(*s[1:3]), b(*s[2:])),
    "addmm of another": lambda t, a, b, s, n: t.addmm(b(s[1], s[3]), a(*s[1:3]), a(*s[2:])),
    "addmv": lambda t, a, b, s, n: t.addmv(a(s[1]), a(*s[1:3]), b(s[2])),
    "baddbmm": lambda t, a, b, s, n: t.baddbmm(
        a(s[0], s[1], s[3]), _turned(a(*s[:3]), n & 1), _turned(b(s[0], *s[2:]), n & 2)
    ),
    "einsum": lambda t, a, b, s, n: t.einsum("bij,bjk->bik", a(*s[:3]), b(s[0], *s[2:])),
}

OTHERS: dict[str, Call] = {
    "conv1d": lambda t, a, b, c: t.nn.functional.conv1d(a(1, 2, 4), b(2, 2, 2), c(2)),
    "conv2d": lambda t, a, b, c: t.nn.functional.conv2d(a(1, 2, 4, 4), b(2, 2, 2, 2), c(2)),
    "conv_transpose1d": lambda t, a, b, c: t.nn.functional.conv_transpose1d(a(1, 2, 4), b(2, 2, 2), c(2)),
    "conv_transpose2d": lambda t, a, b, c: t.nn.functional.conv_transpose2d(a(1, 2, 4, 4), b(2, 2, 2, 2), c(2)),
    "conv_transpose3d": lambda t, a, b, c: t.nn.functional.conv_transpose3d(a(1, 2, 3, 3, 3), b(2, 2, 2, 2, 2), c(2)),
    "embedding_bag": lambda t, a, b, c: t.nn.functional.embedding_bag(
        t.tensor([[0, 1]]), a(2, 2), per_sample_weights=b(1, 2), mode="sum"
    ),
    "bilinear": lambda t, a, b, c: t.nn.functional.bilinear(a(2, 2), b(2, 2), c(2, 2, 2)),
    "layer_norm": lambda t, a, b, c: t.nn.functional.layer_norm(a(2, 2), (2,), b(2), c(2)),
    "group_norm": lambda t, a, b, c: t.nn.functional.group_norm(a(2, 2, 2), 2, b(2), c(2)),
    "batch_norm": lambda t, a, b, c: t.nn.functional.batch_norm(a(2, 2), b(2), b(2), c(2), c(2), training=True),
    "batch_norm, evaluated": lambda t, a, b, c: t.nn.functional.batch_norm(a(2, 2), b(2), b(2), c(2), c(2)),
    "instance_norm": lambda t, a, b, c: t.nn.functional.instance_norm(a(2, 2, 2), b(2), b(2), c(2), c(2)),
    "attention": lambda t, a, b, c: t.nn.functional.scaled_dot_product_attention(a(1, 2, 2), b(1, 2, 2), c(1, 2, 2)),
    "attention's mask": lambda t, a, b, c: t.nn.functional.scaled_dot_product_attention(
        a(1, 2, 2), a(1, 2, 2), a(1, 2, 2), attn_mask=b(2, 2)
    ),
    "binary_cross_entropy": lambda t, a, b, c: t.nn.functional.binary_cross_entropy(a(2), b(2), c(2)),
    "binary_cross_entropy_with_logits": lambda t, a, b, c: t.nn.functional.binary_cross_entropy_with_logits(
        a(2), b(2), pos_weight=c(2)
    ),
    "huber_loss": lambda t, a, b, c: t.nn.functional.huber_loss(a(2), b(2)),
    "mse_loss": lambda t, a, b, c: t.nn.functional.mse_loss(a(2), b(2)),
    "scatter": lambda t, a, b, c: a(2).scatter(0, t.tensor([0, 1]), b(2)),
    "scatter_add": lambda t, a, b, c: a(2).scatter_add(0, t.tensor([0, 1]), b(2)),
    "index_add": lambda t, a, b, c: a(2).index_add(0, t.tensor([0, 1]), b(2)),
    "index_copy": lambda t, a, b, c: a(2).index_copy(0, t.tensor([0, 1]), b(2)),
    "index_put": lambda t, a, b, c: a(2).index_put((t.tensor([0, 1]),), b(2)),
    "where": lambda t, a, b, c: t.where(t.tensor([True, False]), a(2), b(2)),
    "lerp": lambda t, a, b, c: t.lerp(a(2), b(2), c(2)),
    "addcmul": lambda t, a, b, c: t.addcmul(a(2), b(2), c(2)),
    "vdot": lambda t, a, b, c: t.vdot(a(2), b(2)),
    "tensordot": lambda t, a, b, c: t.tensordot(a(2, 2), b(2, 2), 1),
    "cross": lambda t, a, b, c: t.linalg.cross(a(3), b(3)),
    "cdist": lambda t, a, b, c: t.cdist(a(2, 2), b(2, 2)),
}


def _told(library: Any, kinds: tuple[str, ...], call: Callable[..., Any]) -> str:
    """The dtype and size of the result, or class and first line of the error."""

    def ones(kind: str) -> Callable[..., Any]:
        return lambda *size: library.ones(size, dtype=getattr(library, kind))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call(library, *map(ones, kinds))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return f"{str(result.dtype).removeprefix('torch.')} {tuple(result.shape)}"


@pytest.mark.sweep
@pytest.mark.parametrize("name", MULTIPLIED)
def test_products_of_two_dtypes(name: str) -> None:
    product = MULTIPLIED[name]
    for size, layout, kinds in itertools.product(PRODUCTS, range(4), itertools.permutations(KINDS, 2)):
        told = [
            _told(library, kinds, lambda t, a, b, s=size, n=layout: product(t, a, b, s, n))
            for library in (torch, tensorglass)
        ]
        assert told[1] == told[0], (kinds, size, layout)


@pytest.mark.parametrize("name", OTHERS)
def test_operators_given_two_dtypes(name: str) -> None:
    for kinds in itertools.product(KINDS[:3], repeat=3):
        if len(set(kinds)) > 1:
            told = [_told(library, kinds, OTHERS[name]) for library in (torch, tensorglass)]
            assert told[1] == told[0], kinds
