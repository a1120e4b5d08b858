"""Connecting what a custom function returned to its node, and to its tangents in forward mode.

An output is one of four things, and each is connected in its own way: a new tensor, a view of an input, an input that
was written to (`mark_dirty`), or an input returned as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.autograd.context import BackwardCFunction
from tensorglass.autograd.forward_ad import UnpackedDualTensor, moving
from tensorglass.core.dtypes import FLOATING
from tensorglass.core.errors import explained, warn
from tensorglass.graph import inplace
from tensorglass.graph.accumulate_grad import history
from tensorglass.graph.node import set_history
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.tensor.autograd_meta import Creation, requires_grad
from tensorglass.tensor.grad_mode import no_grad
from tensorglass.tensor.tensor import Tensor


def tied(
    outputs: tuple[Any, ...], ctx: BackwardCFunction, inputs: list[Tensor], is_recorded: bool, has_setup: bool
) -> tuple[Any, ...]:
    """The outputs, as outputs of `ctx` if it is recorded."""
    given = {id(input) for input in inputs}
    dirty = _dirty(ctx)
    fixed = {id(tensor) for tensor in _checked_marks(ctx.non_differentiable, _NOT_MARKABLE)}
    saved = {id(tensor) for tensor in ctx.to_save or ()} if has_setup else set()
    flows = [
        is_recorded and isinstance(output, Tensor) and id(output) not in fixed and output._dtype.category >= FLOATING
        for output in outputs
    ]
    ctx.finish(outputs, flows)
    tied_outputs: list[Any] = []
    for nr, output in enumerate(outputs):
        if isinstance(output, Tensor):
            is_input, is_dirty = id(output) in given, id(output) in dirty
            if is_input and not is_dirty and id(output) in saved and (flows[nr] or not requires_grad(output)):
                raise RuntimeError(
                    "An input that has been returned as-is as output is being saved for backward. This is not "
                    "supported if you override setup_context. You should return and save a view of the input instead, "
                    "e.g. with x.view_as(x) or setup ctx inside the forward function itself."
                )
            if not flows[nr]:
                output = _without_history(output, is_input, is_dirty)
            elif is_dirty:
                _overwritten(output, ctx, nr, is_input, len(outputs))
            else:
                output = _with_history(_view_of_itself(output) if is_input else output, ctx, nr)
            if output._base is not None and not (is_input and is_dirty):
                output._creation = Creation.CUSTOM_FUNCTION
        tied_outputs.append(output)
    if sum(flows) > 1:
        for output in tied_outputs:
            if isinstance(output, Tensor) and output._base is not None:
                output._creation = Creation.MULTI_OUTPUT
    if dirty - {id(output) for output in outputs}:
        raise explained(
            RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function."
            ),
            "Return the input that you wrote to: its new values are a result of this function.",
        )
    return tuple(tied_outputs)


_NOT_MARKABLE = "mark_non_differentiable only accepts variable arguments, but got "


def _dirty(ctx: BackwardCFunction) -> set[int]:
    """The inputs marked as dirty; this counts as a write."""
    marked = _checked_marks(ctx.dirty_tensors, "mark_dirty can only accept variables, but argument ")
    for tensor in marked:
        tensor._written()
    return {id(tensor) for tensor in marked}


def _checked_marks(marked: tuple[Any, ...] | None, message: str) -> tuple[Any, ...]:
    for place, mark in enumerate(marked or ()):
        if not isinstance(mark, Tensor):
            raise explained(RuntimeError(message), f"Argument {place} is of type {type(mark).__name__}.")
    return marked or ()


def _without_history(output: Tensor, is_input: bool, is_dirty: bool) -> Tensor:
    if not output.requires_grad:
        return output if is_dirty or not is_input else _view_of_itself(output)
    if is_input:
        return output.detach()  # a new view: the input itself still requires gradients
    return output if output._base is not None else output.detach_()


def _with_history(output: Tensor, ctx: BackwardCFunction, nr: int) -> Tensor:
    set_history(output, ctx, nr)
    if output._base is not None:
        output._seen = output._version  # its history is valid from this version on
    return output


def _overwritten(output: Tensor, ctx: BackwardCFunction, nr: int, is_input: bool, count: int) -> None:
    if output._base is not None:
        inplace.check(output)
    elif history(output) is None and requires_grad(output):
        raise explained(
            RuntimeError("a leaf Variable that requires grad has been used in an in-place operation."),
            "A leaf is where gradients are collected: overwriting it would lose what they are the gradients of. Pass "
            "a copy, x.clone().",
            notebook="3/06 In-place and versions",
        )
    if not is_input:
        warn(
            "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
            "should be passed to ctx.mark_dirty()."
        )
    if output._base is not None and count > 1:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
            "more than one Tensor: clone the input, or make two Functions of it."
        )
    inplace.rebase(output, ctx, nr)


def _view_of_itself(tensor: Tensor) -> Tensor:
    """A view of the same elements: an input that is returned unchanged keeps its own `grad_fn`."""
    with no_grad():
        view: Tensor = tensor.view_as(tensor)
    return view


def pushed_by(
    jvp: Callable[..., Any], moved: Sequence[UnpackedDualTensor], outputs: Any, ctx: BackwardCFunction
) -> Any:
    """The outputs of the function of `ctx` as dual tensors: its `jvp` gives the tangents of the outputs.

    If `ctx` asks for it, arguments without a tangent get one of zeros. `moved` are the unpacked arguments.
    """
    tangents: list[Any] = [
        zeros_like(primal.detach())
        if ctx.materialize_grads and tangent is None and isinstance(primal, Tensor)
        else tangent
        for primal, tangent in moved
    ]
    answer = jvp(*tangents)
    several, all_outputs = (answer, outputs) if isinstance(outputs, tuple) else ((answer,), (outputs,))
    if not isinstance(several, tuple) or len(several) != len(all_outputs):
        raise RuntimeError("Expected as many jvp outputs as forward outputs")
    for place, (output, tangent) in enumerate(zip(all_outputs, several, strict=True)):
        if not isinstance(output, Tensor) or tangent is None:
            continue
        if output._dtype.category < FLOATING or any(output is marked for marked in ctx.non_differentiable or ()):
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {place}, but the corresponding forward output is not "
                "a differentiable Tensor. You should return None at that position instead."
            )
        moving(output, tangent)
    return outputs
