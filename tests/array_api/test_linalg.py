"""The standard's linear algebra: the main namespace's products, and the extension."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.oracle import DTYPES, Unspecified, disagreement, function

import tensorglass as torch
from tensorglass import array_api as xp

FLOATING = ["float32", "float64", "complex64", "complex128"]
PROMOTING = [
    ("float32", "float64"),
    ("int8", "int64"),
    ("uint8", "int16"),
    ("uint32", "int8"),
    ("uint8", "uint64"),
    ("float32", "complex128"),
]


def matrices(dtype: str, *size: int, seed: int = 0) -> np.ndarray:
    draw = np.random.default_rng(seed)
    drawn = draw.integers(-4, 5, size).astype(dtype)
    return drawn + (1j * draw.integers(-4, 5, size)).astype(dtype) if dtype.startswith("complex") else drawn


def hermitian(dtype: str, *size: int) -> np.ndarray:
    """Positive definite matrices."""
    drawn = matrices(dtype, *size)
    return (drawn @ drawn.conj().swapaxes(-1, -2) + 5 * np.eye(size[-1])).astype(dtype)


def check(name: str, *arguments: Any, **keywords: Any) -> None:
    differs = disagreement(function(name), *arguments, tolerance=1e-3 if _is_single(arguments) else 1e-9, **keywords)
    assert differs is None, (name, [argument.dtype for argument in arguments if isinstance(argument, np.ndarray)])


def _is_single(arguments: tuple[Any, ...]) -> bool:
    return any(
        isinstance(argument, np.ndarray) and argument.dtype.name in ("float32", "complex64") for argument in arguments
    )


PRODUCTS = [
    ("matmul", (2, 3), (3, 4), {}), ("matmul", (3,), (3,), {}), ("matmul", (3,), (3, 2), {}),
    ("matmul", (5, 2, 3), (3, 4), {}), ("matmul", (5, 1, 2, 3), (4, 3, 2), {}), ("matmul", (0, 3), (3, 2), {}),
    ("tensordot", (2, 3, 4), (3, 4, 5), {}), ("tensordot", (2, 3), (4,), {"axes": 0}),
    ("tensordot", (2, 3, 4), (4, 2), {"axes": ((0, 2), (1, 0))}), ("tensordot", (2, 3), (3, 4), {"axes": 1}),
    ("vecdot", (3,), (3,), {}), ("vecdot", (2, 3), (3,), {}), ("vecdot", (3, 2), (3, 2), {"axis": -2}),
    ("linalg.outer", (3,), (4,), {}), ("linalg.cross", (3,), (3,), {}), ("linalg.cross", (2, 3), (2, 3), {}),
    ("linalg.cross", (3, 2), (3, 2), {"axis": -2}), ("linalg.matmul", (2, 3), (3, 4), {}),
    ("linalg.cross", (3,), (2, 3), {}), ("linalg.cross", (4, 3, 1), (3, 2), {"axis": -2}),
    ("linalg.vecdot", (2, 3), (2, 3), {}), ("linalg.tensordot", (2, 3), (3, 4), {"axes": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "first", "second", "keywords"), PRODUCTS, ids=str)
def test_products(name: str, first: Any, second: Any, keywords: dict[str, Any]) -> None:
    specified = 0
    for one, other in [*((dtype, dtype) for dtype in DTYPES[1:]), *PROMOTING, *(pair[::-1] for pair in PROMOTING)]:
        try:
            check(name, matrices(one, *first), matrices(other, *second, seed=1), **keywords)
            specified += 1
        except Unspecified:
            continue
    assert specified


@pytest.mark.parametrize("name", ["vecdot", "linalg.vecdot", "linalg.cross"])
@pytest.mark.parametrize("sizes", [((1,), (3,)), ((2, 3), (2, 1)), ((3, 1), (3, 3))], ids=str)
def test_vectors_of_two_lengths_are_refused_and_none_is_stretched(name: str, sizes: Any) -> None:
    first, second = (xp.ones(size) for size in sizes)
    with pytest.raises(ValueError, match="elements along dimension -1"):
        function(name)(xp, first, second)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("upper", [False, True])
def test_the_factor_of_a_complex_unit_matrix_has_no_negative_zeros(dtype: str, upper: bool) -> None:
    factor = xp.linalg.cholesky(xp.eye(3, dtype=getattr(torch, dtype)), upper=upper)
    assert xp.all(factor == xp.eye(3))
    assert not xp.any(xp.signbit(xp.real(factor)))
    assert not xp.any(xp.signbit(xp.imag(factor)))


@pytest.mark.parametrize("dtype", FLOATING)
def test_the_extension(dtype: str) -> None:
    definite = hermitian(dtype, 2, 3, 3)
    wide = matrices(dtype, 2, 3, 4)
    for name in ("cholesky", "det", "eigvalsh", "inv", "slogdet", "matrix_rank", "pinv", "svdvals", "matrix_norm"):
        check(f"linalg.{name}", definite)
    check("linalg.cholesky", definite, upper=True)
    for name in ("matrix_rank", "pinv", "svdvals", "matrix_norm", "matrix_transpose"):
        check(f"linalg.{name}", wide)
    for rtol in (1e-2, 0.5):
        check("linalg.matrix_rank", wide, rtol=rtol)
        check("linalg.pinv", wide, rtol=rtol)
    check("linalg.pinv", wide, rtol=np.full(2, 1e-2))
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        check("linalg.matrix_norm", wide, ord=order, keepdims=order in (1, "fro"))
    for power in (0, 1, 2, 5, -1):
        check("linalg.matrix_power", definite, power)
    for order in (2, 1, 0, 3, np.inf, -np.inf, 0.5):
        check("linalg.vector_norm", wide, ord=order)
        check("linalg.vector_norm", wide, ord=order, axis=1, keepdims=True)
        check("linalg.vector_norm", wide, ord=order, axis=(0, 2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_diagonals_and_traces(dtype: str) -> None:
    stack = matrices(dtype, 2, 3, 4)
    for offset in (0, 1, -2):
        check("linalg.diagonal", stack, offset=offset)
        if dtype != "bool":
            check("linalg.trace", stack, offset=offset)
    if dtype.startswith("float"):
        check("linalg.trace", stack, dtype=np.dtype("float64"))


@pytest.mark.parametrize(
    "sizes",
    [
        ((3, 3), (3,)),
        ((3, 3), (3, 2)),
        ((2, 3, 3), (3,)),
        ((2, 3, 3), (3, 2)),
        ((3, 3, 3), (3, 3)),
        ((3, 3), (2, 3, 1)),
        ((1, 1, 1), (1,)),
        ((3, 3, 3), (3,)),
    ],
    ids=str,
)
def test_only_one_dimension_makes_a_vector_of_the_right_side(sizes: Any) -> None:
    for dtype in FLOATING:
        check("linalg.solve", hermitian(dtype, *sizes[0]), matrices(dtype, *sizes[1]))


@pytest.mark.parametrize("dtype", FLOATING)
def test_factors_multiply_to_the_matrix(dtype: str) -> None:
    kind = getattr(torch, dtype)
    definite, tall = torch.from_numpy(hermitian(dtype, 2, 3, 3)), torch.from_numpy(matrices(dtype, 2, 4, 3))
    values, vectors = xp.linalg.eigh(definite)
    close(xp.matmul(vectors * values[..., None, :], xp.matrix_transpose(xp.conj(vectors))), definite)
    for mode in ("reduced", "complete"):
        q, r = xp.linalg.qr(tall, mode=mode)
        close(xp.matmul(q, r), tall)
        assert disagreement(function("linalg.qr"), tall.numpy(), mode=mode, values=False) is None
    for full in (True, False):
        u, s, vh = xp.linalg.svd(tall, full_matrices=full)
        close(xp.matmul(u[..., :3] * s[..., None, :], vh), tall)
        assert u.dtype is kind
        assert disagreement(function("linalg.svd"), tall.numpy(), full_matrices=full, values=False) is None


def close(one: Any, other: Any) -> None:
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
