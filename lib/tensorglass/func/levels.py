"""What every transform does with inputs and outputs: inputs become new leaves, and results are detached from them.

Each level of ``grad(grad(f))`` has leaves of its own, made from those of the level around it. A result stays connected
to the outer levels if it was computed from their tensors. Otherwise it is a plain tensor: the leaves of an inner level
that has returned do not count. Below are the checks of arguments and results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.autograd.backward import grad
from tensorglass.core.contexts import Context
from tensorglass.core.dtypes import FLOATING
from tensorglass.func.pytree import TreeSpec, tree_flatten, tree_map
from tensorglass.graph.accumulate_grad import AccumulateGrad, history
from tensorglass.graph.node import Node
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.tensor.autograd_meta import meta_of, requires_grad
from tensorglass.tensor.grad_mode import inference_mode, is_grad_enabled, recording, state
from tensorglass.tensor.tensor import Tensor


def outside_inference(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run `function` outside inference mode, in which nothing would be recorded."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not state.inference:
            return function(*args, **kwargs)
        is_recorded = is_grad_enabled()
        with inference_mode(False), recording(is_recorded):
            return function(*args, **kwargs)

    return run


class Level(Context):
    """One running call of a transform. Create it outside of the transform's `enable_grad`."""

    def __init__(self) -> None:
        self._is_recorded_around = state.grad
        self._is_open = False

    def begin(self, _: None) -> Level:
        self._is_open = True
        return self

    def end(self, _: None) -> None:
        self._is_open = False

    def wrap(self, tensor: Any) -> Tensor:
        """`tensor` as a leaf of this level."""
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(tensor)}")
        if requires_grad(tensor) and self._is_recorded_around:
            return tensor.view_as(tensor)
        return self._own(_ordinary(tensor).detach())

    def zero_cotangent(self, output: Tensor) -> Tensor:
        """A zero gradient for `output`, with respect to which the inputs' gradients are differentiated."""
        return self._own(zeros_like(output.detach()))

    def _own(self, leaf: Tensor) -> Tensor:
        set_requires_grad(leaf, True, "floating point dtype")
        meta_of(leaf).level = self
        return leaf

    def unwrap(self, value: Any) -> Any:
        """Nested results as the outer levels see them."""
        return tree_map(lambda leaf: self._unwrap(leaf) if isinstance(leaf, Tensor) else leaf, value)

    def _unwrap(self, tensor: Tensor) -> Tensor:
        if tensor._dtype.category < FLOATING or not requires_grad(tensor):
            return tensor
        return tensor if self._is_recorded_around and self._comes_from_around(tensor) else tensor.detach()

    def _comes_from_around(self, tensor: Tensor) -> bool:
        """Whether a tensor's graph ends at some leaf of the user, or of another open level.

        Leaves of closed levels may still be in the graph, if a tensor was also computed from other leaves.
        """
        node = history(tensor)
        if node is None:
            return self._is_around(tensor)
        waiting: list[Node] = [node]
        seen: set[Node] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            behind = [next_node for next_node, _ in node.edges if next_node is not None]
            if not behind and not (isinstance(node, AccumulateGrad) and not self._is_around(node.variable)):
                return True
            waiting += behind
        return False

    def _is_around(self, leaf: Tensor) -> bool:
        level = meta_of(leaf).level
        return level is None or (level is not self and level._is_open)


def _ordinary(tensor: Any) -> Any:
    """A normal copy of an inference tensor, which nodes could not save."""
    return tensor.clone() if isinstance(tensor, Tensor) and tensor.is_inference() else tensor


def gradients(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    cotangents: Sequence[Tensor] | None = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = True,
) -> list[Tensor]:
    """`autograd.grad` of the outputs that gradients flow from; zeros where none arrive."""
    places = [place for place, output in enumerate(outputs) if requires_grad(output)]
    if not places:
        return [zeros_like(input.detach()) for input in inputs]
    result = grad(
        [outputs[place] for place in places],
        list(inputs),
        None if cotangents is None else [_ordinary(cotangents[place]) for place in places],
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=True,
    )
    return [
        zeros_like(input.detach()) if gradient is None else gradient
        for gradient, input in zip(result, inputs, strict=True)
    ]


Argnums = int | tuple[int, ...]
ALL: Any = object()  #: in place of argnums: all arguments


def refuse_integers(outputs: list[Tensor]) -> None:
    for output in outputs:
        if output._dtype.category < FLOATING:
            raise RuntimeError(f"All outputs of f must be floating-point or complex Tensors, got {output.dtype}")


def refuse_complex(name: str, side: str, value: Any) -> None:
    """Raise RuntimeError for complex tensors among a function's inputs or outputs."""
    for number, leaf in enumerate(tree_flatten(value)[0]):
        if isinstance(leaf, Tensor) and leaf.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {side}s to be real but received complex tensor at flattened input idx: {number}"
            )


def with_leaves(level: Level, args: tuple[Any, ...], argnums: Argnums) -> tuple[list[Any], list[Tensor], TreeSpec]:
    """The arguments, with leaves of `level` in place of the differentiated ones; these leaves, and their structure."""
    counted = list(range(len(args))) if argnums is ALL else places(argnums, len(args))
    single = isinstance(argnums, int)
    leaves, structure = tree_flatten(args[counted[0]] if single else tuple([args[place] for place in counted]))
    entered = [level.wrap(leaf) for leaf in leaves]
    arguments = list(args)
    built = structure.unflatten(entered)
    for place, value in zip(counted, (built,) if single else built, strict=True):
        arguments[place] = value
    return arguments, entered, structure


def places(argnums: Any, count: int) -> list[int]:
    """The positions in `argnums`, counted from the front."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    given = argnums if isinstance(argnums, tuple) else (argnums,)
    for argnum in given:
        if not isinstance(argnum, int):
            raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
        if not -count <= argnum < count:
            raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    if not given:
        raise RuntimeError("argnums must be non-empty")
    positions = [argnum % count for argnum in given]
    if len(set(positions)) != len(positions):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(positions)}")
    return positions


def split_aux(output: Any, name: str) -> tuple[Any, Any]:
    """The output and the auxiliary data."""
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def check_can_move(given: Any) -> None:
    if isinstance(given, Tensor) and given._dtype.category < FLOATING:
        raise ValueError(f"Expected primals and tangents to be floating point or complex, but got: {given.dtype}")


def check_tensors(outputs: list[Any], name: str) -> None:
    if not outputs:
        raise RuntimeError(f"{name}: expected f(*primals) to return at least one tensor")
    for output in outputs:
        if not isinstance(output, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(output)}"
            )
