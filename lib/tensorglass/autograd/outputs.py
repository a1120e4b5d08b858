"""Connecting what a custom function returned to its node, and to its tangents in forward mode.

An output is one of four things, and each is connected in its own way: a new tensor, a view of an input, an input that
was written to (`mark_dirty`), or an input returned as it is. In forward mode, a view of an
input must have a view of the input's tangent as its own, and what was written in place must have such a tangent.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.autograd.context import BackwardCFunction
from tensorglass.autograd.forward_ad import UnpackedDualTensor, moving
from tensorglass.core.dtypes import FLOATING
from tensorglass.core.errors import explained
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
    given = {id(each) for each in inputs}
    dirty = _dirty(ctx)
    fixed = {id(each) for each in _checked_marks(ctx.non_differentiable, _NOT_MARKABLE)}
    saved = {id(each) for each in ctx.to_save or ()} if has_setup else set()
    flows = [
        is_recorded and isinstance(each, Tensor) and id(each) not in fixed and each._dtype.category >= FLOATING
        for each in outputs
    ]
    ctx.finish(outputs, flows)
    is_pure_view = ctx._is_pure_view
    if is_pure_view and (len(inputs) > 1 or len([each for each in outputs if isinstance(each, Tensor)]) > 1):
        raise RuntimeError(
            "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need "
            "to support more."
        )
    made: list[Any] = []
    for nr, output in enumerate(outputs):
        if isinstance(output, Tensor):
            is_input, is_dirty = id(output) in given, id(output) in dirty
            if is_input and not is_dirty and id(output) in saved and (flows[nr] or not requires_grad(output)):
                raise _saved_as_it_is()
            if not flows[nr]:
                output = _without_history(output, is_input, is_dirty)
            elif is_dirty:
                _overwritten(output, ctx, nr, is_input, len(outputs))
            else:
                output = _with_history(_view_of_itself(output) if is_input else output, ctx, nr)
            if output._base is not None and not (is_input and is_dirty):
                output._creation = Creation.PLAIN if is_pure_view else Creation.CUSTOM_FUNCTION
        made.append(output)
    if sum(flows) > 1:
        for output in made:
            if isinstance(output, Tensor) and output._base is not None:
                output._creation = Creation.MULTI_OUTPUT
    if dirty - {id(each) for each in outputs}:
        raise explained(
            RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function."
            ),
            "Return the input that you wrote to: its new values are a result of this function.",
        )
    return tuple(made)


_NOT_MARKABLE = "mark_non_differentiable only accepts variable arguments, but got "


def _dirty(ctx: BackwardCFunction) -> set[int]:
    """The inputs marked as written to; that counts as a write."""
    marked = _checked_marks(ctx.dirty_tensors, "mark_dirty can only accept variables, but argument ")
    for each in marked:
        each._written()
    return {id(each) for each in marked}


def _checked_marks(marked: tuple[Any, ...] | None, message: str) -> tuple[Any, ...]:
    for place, each in enumerate(marked or ()):
        if not isinstance(each, Tensor):
            raise explained(RuntimeError(message), f"Argument {place} is of type {type(each).__name__}.")
    return marked or ()


def _without_history(output: Tensor, is_input: bool, is_dirty: bool) -> Tensor:
    if not output.requires_grad:
        return output if is_dirty or not is_input else _view_of_itself(output)
    if is_input:
        return output.detach()  # another header: the input itself goes on requiring gradients
    return output if output._base is not None else output.detach_()


def _with_history(output: Tensor, ctx: BackwardCFunction, nr: int) -> Tensor:
    set_history(output, ctx, nr)
    if output._base is not None:
        output._seen = output._version  # its history holds from here on
    return output


def _overwritten(output: Tensor, ctx: BackwardCFunction, nr: int, is_input: bool, count: int) -> None:
    if output._base is not None:
        if not is_input:
            raise RuntimeError(_NO_INPUT)
        inplace.check(output)
    elif history(output) is None and requires_grad(output):
        raise explained(
            RuntimeError("a leaf Variable that requires grad has been used in an in-place operation."),
            "A leaf is where gradients are collected: overwriting it would lose what they are the gradients of. Pass "
            "a copy, x.clone().",
            notebook="06 in-place and versions",
        )
    if not is_input:
        warnings.warn(_NO_INPUT, UserWarning, stacklevel=4)
    if output._base is not None and count > 1:
        raise explained(
            RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor. This is not supported by the current autograd engine. You should either "
                "make sure the input is not a view (using .clone() for example) or make your Function only return one "
                "Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single "
                "Tensor and a second one that does the other operations). You can ask on the forum "
                "https://discuss.pytorch.org/ if you need help to do this change."
            )
        )
    inplace.rebase(output, ctx, nr)


_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)


def _view_of_itself(tensor: Tensor) -> Tensor:
    """Another header that sees the same: an input that is returned as it is keeps its own place in the graph."""
    with no_grad():
        view: Tensor = tensor.view_as(tensor)
    return view


def _saved_as_it_is() -> RuntimeError:
    return explained(
        RuntimeError(
            "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
            "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
            "setup ctx inside the forward function itself."
        )
    )


def pushed_by(
    jvp: Callable[..., Any],
    arguments: Sequence[Any],
    moved: Sequence[UnpackedDualTensor],
    outputs: Any,
    ctx: BackwardCFunction,
) -> Any:
    """What the function of `ctx` returned, as dual tensors: its `jvp` says how the outputs move.

    If `ctx` asks for it, arguments without a tangent have one of zeros. `moved` are the arguments taken apart.
    """
    tangents: list[Any] = [
        zeros_like(primal.detach())
        if ctx.materialize_grads and tangent is None and isinstance(primal, Tensor)
        else tangent
        for primal, tangent in moved
    ]
    versions = [0 if each is None else each._version for each in tangents]
    answer = jvp(*tangents)
    is_one = not isinstance(outputs, tuple)
    found: Any = (answer,) if is_one else answer
    every = (outputs,) if is_one else outputs
    if not isinstance(found, tuple) or len(found) != len(every):
        count = len(found) if isinstance(found, tuple) else 1
        raise RuntimeError(
            f"Expected as many jvp outputs as forward outputs: got {count} tangents for {len(every)} outputs"
        )
    dirty = {id(each) for each in ctx.dirty_tensors or ()}
    fixed = {id(each) for each in ctx.non_differentiable or ()}
    for place, (output, tangent) in enumerate(zip(every, found, strict=True)):
        if not isinstance(output, Tensor) or tangent is None:
            continue
        if output._dtype.category < FLOATING or id(output) in fixed:
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {place}, but  the corresponding forward output is not "
                "a differentiable Tensor.You should return None at that position instead."
            )
        if id(output) in dirty:
            own = next((at for at, each in enumerate(arguments) if each is output), None)
            if own is not None and not (tangents[own] is tangent and tangent._version > versions[own]):
                raise RuntimeError(_NOT_IN_PLACE)
        elif output._base is not None:
            _check_view(output, tangent, arguments, tangents)
        moving(output, tangent)
    return outputs


def _check_view(output: Tensor, tangent: Tensor, arguments: Sequence[Any], tangents: Sequence[Any]) -> None:
    if tangent._base is None:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )
    for argument, own in zip(arguments, tangents, strict=True):
        if argument is output._base and tangent._base is not (own if own._base is None else own._base):
            raise RuntimeError(
                "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
            )


_NOT_IN_PLACE = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
