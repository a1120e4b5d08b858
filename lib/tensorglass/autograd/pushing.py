"""What functions of one's own do to tangents: their `jvp` is run, and what it returns is checked.

Tangents are to each other as tensors are. What is a view of an input moves by a view of the input's tangent, and what
was written in place by a tangent that was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.autograd.context import BackwardCFunction
from tensorglass.autograd.forward_ad import UnpackedDualTensor, moving
from tensorglass.core.dtypes import FLOATING
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.tensor.tensor import Tensor


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
