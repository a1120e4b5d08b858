"""Functions into functions: `grad`, `vjp`, `jvp`, `jacrev`, `jacfwd`, `hessian`.

Inputs and outputs may be nested tuples, lists and dictionaries: they are flattened on the way in, and results are put
together the same way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorglass.core.dtypes import FLOATING
from tensorglass.func.levels import (
    ALL,
    Argnums,
    Level,
    check_can_move,
    check_tensors,
    gradients,
    outside_inference,
    places,
    refuse_complex,
    refuse_integers,
    split_aux,
    with_leaves,
)
from tensorglass.func.pytree import tree_flatten, tree_map
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.ops.random.vmap import SliceDraws
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.grad_mode import enable_grad, is_grad_enabled
from tensorglass.tensor.tensor import Tensor

Function = Callable[..., Any]

_JVP = "jvp(f, primals, tangents)"


# --- gradients -------------------------------------------------------------------------------------------------------


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """A function that computes the gradient of `func`, which returns a scalar, for its arguments `argnums`.

    With `has_aux`, `func` returns ``(output, aux)``, and the new function ``(gradient, aux)``. ``grad(grad(f))`` is the
    second derivative.

    >>> torch.func.grad(torch.sin)(torch.tensor(0.0))
    tensor(1.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        result, value = both(*args, **kwargs)
        return (result, value[1]) if has_aux else result

    return gradient


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """As `grad`, and the new function returns ``(gradient, output)``, or ``(gradient, (output, aux))``.

    >>> torch.func.grad_and_value(torch.cos)(torch.tensor(0.0))
    (tensor(-0.), tensor(1.))
    """

    @outside_inference
    @functools.wraps(func)
    def both(*args: Any, **kwargs: Any) -> Any:
        with Level() as level, enable_grad():
            arguments, wanted, structure = with_leaves(level, args, argnums)
            output = func(*arguments, **kwargs)
            aux = None
            if has_aux:
                output, aux = split_aux(output, "grad_and_value(f)(*args)")
            _check_scalar(output)
            result = structure.unflatten(gradients([output], wanted))
            if has_aux:
                return level.unwrap(result), (level.unwrap(output), level.unwrap(aux))
            return level.unwrap(result), level.unwrap(output)

    return both


def _check_scalar(output: Any) -> None:
    if not isinstance(output, Tensor):
        raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
    if output._size:
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
            f"{len(output._size)} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )


# --- products with the Jacobian --------------------------------------------------------------------------------------


class _Vjp:
    """A function that has run on new leaves, ready for backward passes from its outputs."""

    def __init__(
        self, level: Level, func: Function, args: tuple[Any, ...], argnums: Argnums, has_aux: bool, name: str
    ) -> None:
        self.level = level
        self.aux: Any = None
        with enable_grad():
            arguments, self.leaves, self.input_structure = with_leaves(self.level, args, argnums)
            output = func(*arguments)
            if has_aux:
                output, self.aux = split_aux(output, name)
            self.outputs, self.output_structure = tree_flatten(output)
            check_tensors(self.outputs, name)

    def output(self) -> Any:
        return self.level.unwrap(self.output_structure.unflatten(self.outputs))

    def pulled_back(self, cotangents: list[Any], create_graph: bool) -> list[Tensor]:
        """``vᵀ·J`` for each leaf."""
        result = gradients(self.outputs, self.leaves, cotangents, retain_graph=True, create_graph=create_graph)
        return [self.level.unwrap(gradient) for gradient in result]


@outside_inference
def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """``(output, vjp_fn)``: `vjp_fn` takes what has the form of the output to ``vᵀ·J``, a tuple like the primals.

    >>> value, pull = torch.func.vjp(torch.square, torch.tensor(3.0))
    >>> pull(torch.tensor(1.0))
    (tensor(6.),)
    """
    with Level() as level:
        pulled = _Vjp(level, func, primals, ALL, has_aux, "vjp(f, *primals)")
        refuse_integers(pulled.outputs)

    @outside_inference
    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        flat, structure = tree_flatten(cotangents)
        if structure != pulled.output_structure:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {structure}, primal output: {pulled.output_structure}"
            )
        wants_graph = is_grad_enabled() if create_graph is None else create_graph
        return pulled.input_structure.unflatten(pulled.pulled_back(flat, wants_graph))

    if has_aux:
        return pulled.output(), vjp_fn, pulled.level.unwrap(pulled.aux)
    return pulled.output(), vjp_fn


class _Jvp(_Vjp):
    """A function whose backward pass was recorded: the backward pass of that pass pushes tangents forward."""

    def __init__(
        self, level: Level, func: Function, args: tuple[Any, ...], argnums: Argnums, has_aux: bool, name: str
    ) -> None:
        super().__init__(level, func, args, argnums, has_aux, name)
        #: the differentiable outputs: not integers
        self.moving = [output for output in self.outputs if output._dtype.category >= FLOATING]
        with enable_grad():
            self.cotangents = [self.level.zero_cotangent(output) for output in self.moving]
            self.gradients = gradients(self.moving, self.leaves, self.cotangents)

    def pushed_forward(self, tangents: list[Tensor]) -> list[Tensor]:
        """``J·v`` for each output."""
        with enable_grad():
            result = iter(gradients(self.gradients, self.cotangents, tangents, retain_graph=True))
        return [
            self.level.unwrap(next(result)) if output._dtype.category >= FLOATING else zeros_like(output)
            for output in self.outputs
        ]


@outside_inference
def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """``(output, J·v)``, both in the form of the output; `tangents` are ``v``, a tuple like the `primals`.

    >>> torch.func.jvp(torch.square, (torch.tensor(3.0),), (torch.tensor(1.0),))
    (tensor(9.), tensor(6.))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    flat_primals, structure = tree_flatten(primals)
    flat_tangents, other = tree_flatten(tangents)
    if structure != other:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {structure} and tangents with "
            f"structure {other}"
        )
    if not flat_primals:
        raise RuntimeError(f"{_JVP}: Expected primals to contain at least one Tensor.")
    for what, leaves in (("primals", flat_primals), ("tangents", flat_tangents)):
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"{_JVP}: Expected {what} to only contain Tensors, got {type(leaf)}")
    for primal, tangent in zip(flat_primals, flat_tangents, strict=True):
        check_can_move(primal)
        check_can_move(tangent)
        if primal._size != tangent._size:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(primal._size)} while the given forward gradient is of size "
                f"{list(tangent._size)}."
            )
    with Level() as level:
        pushed = _Jvp(level, func, primals, ALL, has_aux, _JVP)
        if strict and not all(output.requires_grad for output in pushed.outputs):
            raise RuntimeError(
                f"{_JVP}: The output of f is independent of the inputs. This is not allowed with strict=True."
            )
        result = pushed.output_structure.unflatten(pushed.pushed_forward(flat_tangents))
        if has_aux:
            return pushed.output(), result, pushed.level.unwrap(pushed.aux)
        return pushed.output(), result


# --- whole Jacobians -------------------------------------------------------------------------------------------------


def jacrev(
    func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Function:  # fmt: skip
    """A function that computes the Jacobian of `func` row by row: for each output, output's size and input's size.

    `chunk_size` and `_preallocate_and_copy` are accepted and change nothing: one row is computed at a time.

    >>> torch.func.jacrev(torch.square)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @outside_inference
    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        refuse_complex("jacrev", "input", args)
        with Level() as level:
            pulled = _Vjp(level, func, args, argnums, has_aux, "vjp(f, *primals)")
            refuse_integers(pulled.outputs)
            refuse_complex("jacrev", "output", pulled.outputs)
            matrices = []
            for place, output in enumerate(pulled.outputs):
                rows = []
                for unit in _basis(output):
                    cotangents = [zeros_like(output.detach()) for output in pulled.outputs]
                    cotangents[place] = unit
                    rows.append(pulled.pulled_back(cotangents, is_grad_enabled()))
                sizes = [(*output._size, *leaf._size) for leaf in pulled.leaves]
                matrices.append(
                    [
                        stack([row[which] for row in rows]).reshape(size) if rows else output.new_zeros(size)
                        for which, size in enumerate(sizes)
                    ]
                )
            return _nested(pulled, matrices, has_aux)

    return jacobian


def jacfwd(func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """As `jacrev`, column by column. The function runs once; with `randomness` "error" it may draw no numbers.

    >>> torch.func.jacfwd(torch.square)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @outside_inference
    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        refuse_complex("jacfwd", "input", args)
        if randomness not in ("error", "different", "same"):
            raise RuntimeError(
                f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
            )
        counting = ALL if argnums is None else argnums
        for place in range(len(args)) if counting is ALL else places(argnums, len(args)):
            tree_map(check_can_move, args[place])
        with Level() as level:
            with SliceDraws(randomness, 1).slice(0):
                pushed = _Jvp(level, func, args, counting, has_aux, _JVP)
            refuse_complex("jacfwd", "output", pushed.outputs)
            matrices: list[list[Tensor]] = [[] for _ in pushed.outputs]
            for which, leaf in enumerate(pushed.leaves):
                columns = []
                for tangent in _basis(leaf):
                    tangents = [zeros_like(leaf.detach()) for leaf in pushed.leaves]
                    tangents[which] = tangent
                    columns.append(pushed.pushed_forward(tangents))
                for place, output in enumerate(pushed.outputs):
                    size = (*output._size, *leaf._size)
                    result = (
                        stack([column[place] for column in columns]).movedim(0, -1)
                        if columns
                        else output.new_zeros(size)
                    )
                    matrices[place].append(result.reshape(size))
            return _nested(pushed, matrices, has_aux)

    return jacobian


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """A function that computes the second derivatives of `func`: ``jacfwd(jacrev(func))``.

    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def _basis(tensor: Tensor) -> list[Tensor]:
    """Tensors like this one with a 1 for one element and zeros for the others, one for each element."""
    matrices_of_outputs = []
    for number in range(tensor.numel()):
        unit = tensor.new_zeros(tensor._size)
        unit.view(-1)[number] = 1
        matrices_of_outputs.append(unit)
    return matrices_of_outputs


def _nested(pulled: _Vjp, matrices: list[list[Tensor]], has_aux: bool) -> Any:
    """The matrices nested as the outputs, and in each place as the inputs."""
    result = pulled.output_structure.unflatten([pulled.input_structure.unflatten(matrix) for matrix in matrices])
    return (result, pulled.level.unwrap(pulled.aux)) if has_aux else result
