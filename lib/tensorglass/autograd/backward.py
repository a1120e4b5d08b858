"""`backward` and `grad`: from tensors to the engine's edges, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.autograd import engine
from tensorglass.autograd.graph import GradientEdge
from tensorglass.backends import get as get_backend
from tensorglass.core.errors import explained, warn
from tensorglass.core.size import Size
from tensorglass.graph.accumulate_grad import gradient_edge
from tensorglass.graph.node import Edge
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.autograd_meta import OutputLike, like, requires_grad
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import not_dispatching

Place = Tensor | GradientEdge
Tensors = Place | Sequence[Place]
Named = Tensors | dict[Any, Tensor]


def backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` with respect to the leaves to the leaves' `grad`.

    `grad_tensors` are the initial gradients, 1 for scalars. With `inputs`, only these leaves collect gradients. With
    `create_graph` the gradients are recorded themselves, and have gradients. Unless `retain_graph`, the graph frees
    what it saved.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.backward(x * x)
    >>> x.grad
    tensor(6.)
    """
    wanted = None if inputs is None else _inputs(inputs, "backward")
    given = _tuple(tensors)
    gradients = _first_gradients(given, _optional(grad_tensors, len(given)))
    roots = _roots(given)
    if wanted is not None:
        for place in wanted:
            _check_place(place)
            if isinstance(place, Tensor):
                place.retain_grad()
    if create_graph:
        warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid "
            "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
            "after use to break the cycle and avoid the leak."
        )
    engine.run(
        roots,
        gradients,
        keep_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        wanted=None if wanted is None else [_edge(place) for place in wanted],
    )


def grad(
    outputs: Tensors,
    inputs: Named,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`; no `grad` changes. A dict for a dict of inputs.

    None for an input that the outputs do not depend on, if `allow_unused`; zeros, if `materialize_grads`. With
    `is_grads_batched`, the first dimension of `grad_outputs` is a batch of gradients, which run one by one.
    `only_inputs` has no effect any more.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    if materialize_grads:
        if allow_unused is False:
            raise ValueError(
                "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                "allow_unused=False."
            )
        allow_unused = True
    given, wanted = _tuple(outputs), _inputs(inputs, "grad")
    keep_graph = create_graph if retain_graph is None else retain_graph
    firsts = _optional(grad_outputs, len(given))
    gradients: Sequence[Tensor | None]
    if is_grads_batched:
        gradients = _batched(given, wanted, firsts, keep_graph, create_graph)
    else:
        gradients = _found(given, wanted, firsts, keep_graph, create_graph)
    if not allow_unused and any(gradient is None for gradient in gradients):
        unused = gradients.index(None)
        raise explained(
            RuntimeError(
                f"The differentiated Tensor at index {unused} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            ),
            "The outputs were not computed from it; a copy of it, or its detached memory, is another tensor.",
        )
    if materialize_grads:
        gradients = _materialized(gradients, wanted, create_graph)
    return dict(zip(inputs, gradients, strict=True)) if type(inputs) is dict else tuple(gradients)


def _found(
    given: tuple[Any, ...], wanted: tuple[Any, ...], firsts: tuple[Any, ...], keep_graph: bool, create_graph: bool
) -> list[Tensor | None]:
    """The gradients of `given`, starting from `firsts`, at the edges `wanted`; None where none arrive."""
    gradients = _first_gradients(given, firsts)
    roots = _roots(given)
    for place in wanted:
        _check_place(place)
        if isinstance(place, Tensor) and not requires_grad(place):
            raise explained(
                RuntimeError("One of the differentiated Tensors does not require grad"),
                "Ask for it before the computation: x.requires_grad_().",
            )
    edges = [_edge(place) for place in wanted]
    return engine.run(roots, gradients, keep_graph=keep_graph, create_graph=create_graph, wanted=edges, collect=False)


def _materialized(gradients: Sequence[Tensor | None], wanted: Sequence[Any], create_graph: bool) -> tuple[Tensor, ...]:
    """The gradients, with zeros for missing ones."""
    pairs = list(zip(gradients, wanted, strict=True))
    if any(gradient is None and isinstance(place, GradientEdge) for gradient, place in pairs):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return tuple([
        zeros_like(place, requires_grad=create_graph) if gradient is None else gradient
        for gradient, place in pairs
    ])  # fmt: skip


def _check_place(place: Any) -> None:
    if not isinstance(place, (Tensor, GradientEdge)):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(place).__name__}")


def _batched(
    given: tuple[Tensor, ...], wanted: tuple[Tensor, ...], firsts: tuple[Any, ...], keep_graph: bool, create_graph: bool
) -> list[Tensor | None]:
    """`_found` for each row of `firsts`, stacked."""
    counts = {first._size[0] for first in firsts if first is not None and first._size}
    if len(counts) != 1:
        raise ValueError(
            "If `is_grads_batched=True`, all grad_outputs need the same first dimension, that of the batch."
        )
    (count,) = counts
    rows = [
        _found(given, wanted, tuple([None if first is None else first[row] for first in firsts]),
               keep_graph or row + 1 < count, create_graph)
        for row in range(count)
    ]  # fmt: skip
    return [None if first is None else stack([first, *others]) for first, *others in zip(*rows, strict=True)]


def _tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def _optional(value: Any, count: int) -> tuple[Any, ...]:
    return (None,) * count if value is None else _tuple(value)


def _inputs(inputs: Any, caller: str) -> tuple[Any, ...]:
    """The edges that a user asks gradients for, given as a sequence or under names."""
    if type(inputs) is dict:
        given = tuple(inputs.values())
    else:
        given = _tuple(inputs)
    if not given:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    return given


def _edge(place: Place) -> Edge:
    return (place.node, place.output_nr) if isinstance(place, GradientEdge) else gradient_edge(place)


def _like(place: Place) -> OutputLike:
    """What a gradient at that edge must look like."""
    if isinstance(place, Tensor):
        return like(place)
    output = place.node.outputs[place.output_nr]
    assert output is not None, "no gradient flows from this output"
    return output


def _roots(tensors: Sequence[Place]) -> list[Edge]:
    roots = []
    for number, tensor in enumerate(tensors):
        edge = _edge(tensor)
        if edge[0] is None:
            raise explained(
                RuntimeError(f"element {number} of tensors does not require grad and does not have a grad_fn"),
                "It was not computed from a tensor that requires a gradient, or it was computed within no_grad, or "
                "detached.",
                notebook="3/02 The graph and backward",
            )
        roots.append(edge)
    return roots


def _first_gradients(tensors: Sequence[Place], gradients: Sequence[Any]) -> list[Any]:
    """The initial gradients of the walk: those given, or 1 for a scalar; None where none can flow."""
    if len(gradients) < len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(gradients)} gradients")
    if not all(isinstance(tensor, (Tensor, GradientEdge)) for tensor in tensors):
        raise AssertionError("Expected output to be a torch.Tensor")
    begun: list[Any] = []
    for place, tensor in enumerate(tensors):
        gradient = gradients[place] if gradients else None
        if gradient is None:
            can_flow = isinstance(tensor, GradientEdge) or requires_grad(tensor)
            wanted = _like(tensor)
            begun.append(
                engine.one_for(wanted.size, wanted.dtype, wanted.device, get_backend(wanted.device))
                if can_flow
                else None
            )
            continue
        if not isinstance(gradient, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
        wanted = _like(tensor)
        if gradient._size != wanted.size:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{place}] has a shape of {Size(gradient._size)} and output[{place}] "
                f"has a shape of {Size(wanted.size)}."
            )
        if gradient._dtype.is_complex != wanted.dtype.is_complex:
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
                f"dtype: grad_output[{place}] has a dtype of {gradient._dtype} and output[{place}] has a dtype of "
                f"{wanted.dtype}."
            )
        begun.append(gradient)
    return begun


def attach() -> None:
    """Give Tensor its method `backward`."""
    not_dispatching.add("backward")
    Tensor.backward = engine.backward_method(backward)  # type: ignore[method-assign]  # the stub declares it
