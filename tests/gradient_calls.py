"""Calls of differentiable operators: the samples of the table, and a list for operators that have none.

A `GradientCall` is a function of a library and of the tensors whose gradients are looked at, so that the same call can
be made with tensorglass and with PyTorch. The points are chosen away from ties and corners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from gradient_calls_of_matrices import OF_MATRICES

import tensorglass
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare.registry import Operator, Sample
from tensorglass.ops.declare.samples import samples_of, values

#: Kinds of operators whose results no gradient flows from.
WITHOUT_GRADIENTS = ("asking", "comparison", "creation", "header", "random")
#: Operators that read one triangle of a matrix, whose vectors have a sign that is not determined, or which have no
#: derivative of some operand.
NOT_AT_SAMPLES = (
    "cholesky", "linalg_cholesky", "linalg_cholesky_ex", "linalg_eigh", "linalg_eigvalsh", "linalg_eig",
    "linalg_eigvals", "cholesky_solve", "cholesky_inverse", "linalg_qr", "qr", "linalg_svd", "svd", "linalg_lstsq",
    "igamma", "igammac", "special_zeta",
)  # fmt: skip


@dataclass(frozen=True)
class GradientCall:
    """``function(library, *leaves)`` at the points `leaves`, tensors of tensorglass in float64."""

    name: str
    leaves: tuple[tensorglass.Tensor, ...]
    function: Callable[..., Any]

    def tensors(self, library: Any, dtype: str, apart: float = 0.0) -> list[Any]:
        """The leaves in `library`, each moved by `apart` from the one before; complex ones lie off the real line."""
        copies = []
        for number, leaf in enumerate(self.leaves):
            elements = [element + number * apart for element in leaf.reshape(-1).tolist()]
            if dtype == "complex128":
                elements = [complex(element, 0.5 * element + 0.25) for element in elements]
            copies.append(library.tensor(elements, dtype=getattr(library, dtype)).reshape(tuple(leaf.shape)))
        return [tensor.requires_grad_() for tensor in copies]


# --- from the table --------------------------------------------------------------------------------------------------


def translated(argument: Any, library: Any, leaves: Iterator[Any]) -> Any:
    """A sample's argument in `library`: floating tensors are the next of the leaves."""
    if isinstance(argument, tensorglass.Tensor):
        if argument.is_floating_point():
            return next(leaves)
        dtype = getattr(library, str(argument.dtype)[6:])
        return library.tensor(argument.reshape(-1).tolist(), dtype=dtype).reshape(tuple(argument.shape))
    if isinstance(argument, tensorglass.dtype):
        return getattr(library, str(argument)[6:])
    if isinstance(argument, (list, tuple)):
        return [translated(item, library, leaves) for item in argument]
    return argument


def floating(argument: Any) -> Iterator[tensorglass.Tensor]:
    """The floating tensors of a sample, in order."""
    if isinstance(argument, tensorglass.Tensor):
        if argument.is_floating_point():
            yield argument
    elif isinstance(argument, (list, tuple)):
        for item in argument:
            yield from floating(item)


def _sampled(row: Operator, number: int, sample: Sample, *, in_place: bool) -> GradientCall:
    given = [*sample.arguments, *sample.keywords.values()]

    def function(library: Any, *tensors: Any) -> Any:
        leaves = iter(tensors)
        arguments = [translated(argument, library, leaves) for argument in sample.arguments]
        keywords = {name: translated(argument, library, leaves) for name, argument in sample.keywords.items()}
        if in_place:
            return getattr(library.Tensor, f"{row.name}_")(arguments[0].clone(), *arguments[1:], **keywords)
        home = library if row.is_function else library.Tensor
        return attrgetter(row.path)(home)(*arguments, **keywords)

    name = f"{row.name}_" if in_place else row.name
    return GradientCall(f"{name}-{number}", tuple(floating(given)), function)


def _keeps_its_size(sample: Sample) -> bool:
    first = sample.arguments[0]
    sizes = [argument.shape for argument in sample.arguments if isinstance(argument, tensorglass.Tensor)]
    return isinstance(first, tensorglass.Tensor) and all(size == first.shape for size in sizes)


def sampled_calls(row: Operator) -> Iterator[GradientCall]:
    """The samples of an operator that gradients could flow through, and its in-place form once."""
    if not samples_of(row) or (row.kind in WITHOUT_GRADIENTS and row.name not in ("complex", "polar")):
        return
    if row.name in NOT_AT_SAMPLES:
        return
    samples = [sample for sample in samples_of(row) if any(True for _ in floating(list(sample.arguments)))]
    for number, sample in enumerate(samples):
        yield _sampled(row, number, sample, in_place=False)
    if row.inplace is not None:
        fitting = [sample for sample in samples if _keeps_its_size(sample)]
        yield from [_sampled(row, 0, sample, in_place=True) for sample in fitting[-1:]]


# --- by hand ---------------------------------------------------------------------------------------------------------


#: Operators without samples, and ways of calling one that its samples leave out. `x` is 2×3 unless sizes are given.
BY_HAND: dict[str, list[Any]] = {
    **OF_MATRICES,
    "polygamma_": [lambda t, x: (x.exp() + 1).polygamma_(1), lambda t, x: (x.exp() + 1).polygamma_(2)],
    "threshold_": [lambda t, x: t.threshold_(x * 2, 2.5, 9.0)],
    "view": [lambda t, x: x.view(3, -1), lambda t, x: x.t().unsqueeze(1).view(3, 1, 2, 1)],
    "view_as": [lambda t, x: x.view_as(t.ones(6))],
    "reshape": [lambda t, x: t.reshape(x, (3, 2)), lambda t, x: x.t().reshape(6)],
    "reshape_as": [lambda t, x: x.t().reshape_as(t.ones(1, 6))],
    "flatten": [(lambda t, x: t.flatten(x, 1), (2, 1, 3)), lambda t, x: x.t().flatten()],
    "unflatten": [lambda t, x: x.unflatten(1, (3, 1))],
    "ravel": [lambda t, x: x.ravel(), lambda t, x: x.t().ravel()],
    "transpose": [lambda t, x: t.transpose(x, 0, -1), lambda t, x: x.swapaxes(0, 1)],
    "t": [lambda t, x: x.t(), (lambda t, x: x.t(), (3,))],
    "permute": [(lambda t, x: x.permute(2, 0, 1), (2, 3, 2)), (lambda t, x: x.permute(-1, 0, 1), (2, 1, 3))],
    "movedim": [(lambda t, x: x.movedim(0, -1), (2, 3, 2)), (lambda t, x: x.movedim((0, 1), (2, 0)), (2, 1, 3))],
    "T": [lambda t, x: x.T],
    "mT": [(lambda t, x: x.mT, (2, 1, 3))],
    "mH": [(lambda t, x: x.mH, (2, 1, 3))],
    "H": [lambda t, x: x.H],
    "adjoint": [(lambda t, x: x.adjoint(), (2, 1, 3))],
    "squeeze": [
        (lambda t, x: x.squeeze(), (1, 3, 1)),
        (lambda t, x: x.squeeze(0), (1, 3, 1)),
        (lambda t, x: x.squeeze((0, 1)), (1, 3, 1)),
        (lambda t, x: x.squeeze(1), (1, 3, 1)),
    ],
    "unsqueeze": [lambda t, x: x.unsqueeze(1), lambda t, x: x.unsqueeze(-1), (lambda t, x: x.unsqueeze(0), ())],
    "expand": [
        (lambda t, x: x.expand(4, 2, 3), (2, 3)),
        (lambda t, x: x.expand(2, -1, 3), (2, 2, 1)),
        (lambda t, x: x.expand(2, 3), ()),
    ],
    "expand_as": [(lambda t, x: x.expand_as(t.ones(2, 3)), (2, 1))],
    "broadcast_to": [(lambda t, x: t.broadcast_to(x, (2, 3)), (3,))],
    "broadcast_tensors": [(lambda t, x, y: t.broadcast_tensors(x, y), (2, 1), (1, 3))],
    "atleast_1d": [(lambda t, x: t.atleast_1d(x), ())],
    "atleast_2d": [(lambda t, x: t.atleast_2d(x), (3,))],
    "atleast_3d": [lambda t, x: t.atleast_3d(x)],
    "narrow": [lambda t, x: x.narrow(1, 1, 2), lambda t, x: x.narrow(0, -1, 1)],
    "select": [lambda t, x: x.select(1, -1), lambda t, x: t.select(x, 0, 1)],
    "diagonal": [
        (lambda t, x: x.diagonal(), (3, 3)),
        (lambda t, x: x.diagonal(-1), (3, 2)),
        (lambda t, x: x.diagonal(1, 0, 2), (2, 2, 3)),
    ],
    "unfold": [
        (lambda t, x: x.unfold(0, 3, 1), (5,)),
        lambda t, x: x.unfold(1, 2, 1),
        (lambda t, x: x.unfold(0, 2, 3), (5,)),
    ],
    "as_strided": [
        lambda t, x: x.as_strided((2, 2), (1, 2)),
        lambda t, x: x.as_strided((2, 2, 2), (1, 1, 0), 1),
        lambda t, x: x.t().as_strided((3,), (2,), 1),
        (lambda t, x: x.expand(3, 2).as_strided((2,), (1,)), (2,)),
    ],
    "view_as_complex": [(lambda t, x: t.view_as_complex(x), (3, 2))],
    "view_as_real": [lambda t, x: t.view_as_real(x.to(t.complex128))],
    "real": [lambda t, x: x.real],
    "imag": [lambda t, x: x.to(t.complex128).imag],
    "conj": [lambda t, x: x.conj() * x, lambda t, x: x.conj().clone()],
    "split": [lambda t, x: x.split(2, 1), lambda t, x: x.split([1, 2], 1)[1]],
    "split_with_sizes": [lambda t, x: x.split_with_sizes([1, 1, 1], 1)],
    "chunk": [lambda t, x: x.chunk(2, 1)],
    "tensor_split": [lambda t, x: x.tensor_split(2, 1), lambda t, x: x.tensor_split((1,), 1)],
    "hsplit": [lambda t, x: x.hsplit(3)],
    "vsplit": [lambda t, x: x.vsplit(2)],
    "dsplit": [(lambda t, x: x.dsplit(2), (1, 2, 2))],
    "binomial": [lambda t, x: t.binomial(x.real * 0 + 3, x.real * 0)],
    "unbind": [lambda t, x: x.unbind(), lambda t, x: x.unbind(1)[1]],
    "__iter__": [lambda t, x: tuple(x)],
    # copies and conversions
    "clone": [lambda t, x: x.clone(), lambda t, x: x.t().clone()],
    "contiguous": [lambda t, x: x.t().contiguous()],
    "resolve_conj": [lambda t, x: x.conj().resolve_conj()],
    "to": [lambda t, x: x.to(t.complex128) * 2j, lambda t, x: x.to(t.float64, copy=True)],
    "type_as": [lambda t, x: x.type_as(t.ones(1, dtype=t.complex128))],
    "double": [lambda t, x: x.double()],
    "cdouble": [lambda t, x: x.cdouble()],
    "copy_": [
        lambda t, x: t.zeros_like(x).copy_(x),
        (lambda t, x, y: x.clone().copy_(y), (2, 3), (3,)),
        (lambda t, x, y: x.clone()[0].copy_(y), (2, 3), (3,)),
    ],
    "fill_": [(lambda t, x, y: x.clone().fill_(y), (2, 3), ()), lambda t, x: x.clone().fill_(2.0) + x],
    "zero_": [lambda t, x: x.clone().zero_() + x],
    # choosing and writing
    "getitem": [
        lambda t, x: x[1],
        lambda t, x: x[:, 1:],
        lambda t, x: x[..., ::2],
        lambda t, x: x[None, :, -1],
        lambda t, x: x[t.tensor([0, 1, 0, 0])],
        lambda t, x: x[:, t.tensor([2, 2])],
        lambda t, x: x[t.tensor([[True, False, True], [False, True, True]])],
        lambda t, x: x[t.tensor([0, 1]), t.tensor([2, 2])],
        lambda t, x: x[1, t.tensor([0, 2])],
    ],
    "setitem": [
        (lambda t, x, y: written(x, (slice(None), 1), y), (2, 3), (2,)),
        (lambda t, x, y: written(x, 1, y), (2, 3), ()),
        (lambda t, x, y: written(x, (slice(None), t.tensor([2, 0])), y), (2, 3), (2, 2)),
        (lambda t, x, y: written(x, t.tensor([[True, False, True], [False] * 3]), y), (2, 3), (2,)),
        lambda t, x: written(x, (slice(None), 1), 2.5),
        (lambda t, x, y: written(t.zeros(2, 3, dtype=y.dtype), 0, x) * y, (3,), (2, 3)),
    ],
    "select_scatter": [(lambda t, x, y: t.select_scatter(x, y, 1, 2), (2, 3), (2,))],
    "slice_scatter": [(lambda t, x, y: t.slice_scatter(x, y, 1, 0, 3, 2), (2, 3), (2, 2))],
    "diagonal_scatter": [(lambda t, x, y: t.diagonal_scatter(x, y, 1), (3, 3), (2,))],
    "fill_diagonal_": [(lambda t, x: x.clone().fill_diagonal_(1.5), (3, 3))],
    "index_put": [
        (lambda t, x, y: t.index_put(x, (t.tensor([0, 1]),), y), (2, 3), (2, 3)),
        (lambda t, x, y: t.index_put(x, (t.tensor([0, 0]), t.tensor([1, 1])), y, accumulate=True), (2, 3), (2,)),
    ],
    "scatter_reduce": [
        (lambda t, x, y, how=how: x.scatter_reduce(1, t.tensor([[0, 0], [2, 1]]), y, how), (2, 3), (2, 2))
        for how in ("sum", "mean", "amax", "amin", "prod")
    ]
    + [
        (lambda t, x, y, how=how: x.scatter_reduce(0, t.tensor([0, 0, 2]), y, how, include_self=False), (3,), (3,))
        for how in ("sum", "mean", "amax", "prod")
    ],
    "scatter": [
        (lambda t, x, y: x.scatter(1, t.tensor([[0, 2], [2, 1]]), y), (2, 3), (2, 2)),
        lambda t, x: x.scatter(1, t.tensor([[0, 2], [2, 1]]), 1.5),
    ],
    "scatter_add": [(lambda t, x, y: x.scatter_add(1, t.tensor([[0, 0], [2, 1]]), y), (2, 3), (2, 2))],
    "index_fill": [(lambda t, x, y: x.index_fill(1, t.tensor([0, 2]), y), (2, 3), ())],
    "put": [
        (lambda t, x, y: x.put(t.tensor([0, 4]), y), (2, 3), (2,)),
        (lambda t, x, y: x.put(t.tensor([4, 4]), y, accumulate=True), (2, 3), (2,)),
    ],
    "where": [(lambda t, x, y: t.where(x.real > y.real, x, y), (2, 3), (3,)), lambda t, x: t.where(x.real > 0, x, 1.5)],
    # products and reductions
    "mv": [(lambda t, x, y: x.mv(y), (2, 3), (3,))],
    "bmm": [(lambda t, x, y: x.bmm(y), (2, 2, 3), (2, 3, 1))],
    "dot": [(lambda t, x, y: x.dot(y), (3,), (3,))],
    "outer": [(lambda t, x, y: t.outer(x, y), (3,), (2,))],
    "__matmul__": [
        (lambda t, x, y: x @ y, (2, 3), (3, 2)),
        (lambda t, x, y: x @ y, (3,), (2, 3, 2)),
        (lambda t, x, y: x @ y, (2, 1, 2, 3), (3, 3, 2)),
        (lambda t, x, y: x @ y, (2, 3), (2, 3, 2)),
        (lambda t, x: t.ones(2, 3, dtype=x.dtype) @ x, (2, 3, 2)),
        (lambda t, x: t.ones(3, dtype=x.dtype) @ x, (2, 3, 2)),
        (lambda t, x, y: x @ y, (3,), (3, 2)),
        (lambda t, x, y: x @ y, (2, 2, 3), (3,)),
        (lambda t, x, y: x @ y, (2, 2, 3), (1, 3, 2)),
        (lambda t, x, y: x @ y, (1, 2, 3), (2, 3, 2)),
        (lambda t, x: t.ones(1, 2, 3, dtype=x.dtype) @ x, (2, 3, 2)),
        (lambda t, x: x @ t.ones(1, 3, 2, dtype=x.dtype), (2, 2, 3)),
    ],
    "tensordot": [
        (lambda t, x, y: t.tensordot(x, y, 1), (1, 3), (3, 1)),
        (lambda t, x, y: t.tensordot(x, y, ([0, 1], [1, 0])), (2, 3), (3, 2)),
        (lambda t, x, y: t.tensordot(x, y[:, ::2], ([1], [1])), (1, 2), (1, 4)),
        (lambda t, x, y: t.tensordot(x, y, 0), (1,), (1,)),
    ],
    "nan_to_num_": [lambda t, x: x.clone().nan_to_num_()],
    # these have no derivative with respect to their first argument
    "igamma": [lambda t, x: t.igamma(t.tensor([0.5, 2.0, 3.5]), x * x + 0.5)],
    "igammac": [lambda t, x: t.igammac(t.tensor([0.5, 2.0, 3.5]), x * x + 0.5)],
    "special_zeta": [lambda t, x: t.special.zeta(t.tensor([1.5, 2.0, 3.5]), x * x + 0.5)],
    "prod": [
        lambda t, x: x.prod(),
        lambda t, x: x.prod(1),
        lambda t, x: x.prod(0, keepdim=True),
        lambda t, x: (x * t.tensor([1.0, 0.0, 2.0], dtype=t.float64)).prod(1),
        lambda t, x: (x * t.tensor([1.0, 0.0, 0.0], dtype=t.float64)).prod(),
    ],
    "norm": [
        lambda t, x: x.norm(),
        lambda t, x: x.norm(1),
        lambda t, x: x.norm(3, 1),
        lambda t, x: x.norm(float("inf")),
        lambda t, x: x.norm(float("-inf"), 0),
        lambda t, x: x.norm(2, (0, 1), True),
        lambda t, x: x.norm(0.5, 1),
    ],
    "sum_to_size": [lambda t, x: x.sum_to_size(1, 3), lambda t, x: x.sum_to_size(2, 1)],
    "__rsub__": [lambda t, x: 2 - x],
    "__rtruediv__": [lambda t, x: 2 / x],
    "rsub": [(lambda t, x, y: t.rsub(x, y, alpha=2), (2, 3), (3,))],
    "add": [(lambda t, x, y: t.add(x, y, alpha=2), (2, 3), (3,))],
    "pow": [lambda t, x: 2**x, lambda t, x: x**3, lambda t, x: x**0, lambda t, x: x**-1],
    "addcmul": [(lambda t, x, y, z: t.addcmul(x, y, z, value=0.5), (2, 3), (3,), (2, 1))],
    "addcdiv": [(lambda t, x, y, z: t.addcdiv(x, y, z, value=0.5), (2, 3), (3,), (2, 1))],
    "fliplr": [lambda t, x: x.fliplr()],
    "flipud": [lambda t, x: x.flipud()],
    "complex": [(lambda t, x, y: t.complex(x, y), (2, 3), (2, 3))],
    "polar": [(lambda t, x, y: t.polar(x, y), (2, 3), (2, 3))],
    # of networks
    "convolution": [
        (lambda t, x, w, b: t.convolution(x, w, b, [2], [1], [1], False, [0], 2), (1, 4, 5), (2, 2, 3), (2,)),
        (lambda t, x, w, b: t.convolution(x, w, b, [2], [0], [1], True, [1], 1), (1, 2, 3), (2, 1, 2), (1,)),
    ],
    "pixel_shuffle": [(lambda t, x: t.pixel_shuffle(x, 2), (4, 1, 2))],
    "pixel_unshuffle": [(lambda t, x: t.pixel_unshuffle(x, 2), (1, 2, 4))],
    "channel_shuffle": [(lambda t, x: t.channel_shuffle(x, 2), (1, 4, 2))],
    "native_channel_shuffle": [(lambda t, x: t.native_channel_shuffle(x, 2), (1, 4, 2))],
    "affine_grid_generator": [
        (lambda t, x: t.affine_grid_generator(x, (1, 1, 2, 3), False), (1, 2, 3)),
        (lambda t, x: t.affine_grid_generator(x, (1, 1, 2, 1, 2), True), (1, 3, 4)),
    ],
    # in-place writes to parts
    "mul_": [
        (lambda t, x, y: part_scaled(x, y), (2, 3), (3,)),
        (lambda t, x, y: part_scaled(x.clone().t(), y), (3, 2), (3,)),
    ],
}


def written(x: Any, index: Any, value: Any) -> Any:
    """A copy of `x` with `value` written to the part `index`."""
    copy = x.clone()
    copy[index] = value
    return copy


def part_scaled(x: Any, factor: Any) -> Any:
    """A copy of `x` whose first row was multiplied in place."""
    copy = x.clone()
    copy[0].mul_(factor)
    return copy


def calls_by_hand(name: str) -> Iterator[GradientCall]:
    """The calls of `BY_HAND` for one operator."""
    for number, entry in enumerate(BY_HAND.get(name, ())):
        function, *sizes = entry if isinstance(entry, tuple) else (entry, (2, 3))
        leaves = [values(*size, low=0.3, high=2.4, seed=seed) for seed, size in enumerate(sizes)]
        yield GradientCall(f"{name}-by-hand-{number}", tuple(leaves), function)


@cache
def calls(name: str) -> tuple[GradientCall, ...]:
    """Every call of one operator. Each copies what it is given, so they are made once."""
    sampled = sampled_calls(OPERATORS[name]) if name in OPERATORS else ()
    return (*sampled, *calls_by_hand(name))


#: The operators that are called.
NAMES = [name for name in dict.fromkeys([*OPERATORS, *BY_HAND]) if calls(name)]
