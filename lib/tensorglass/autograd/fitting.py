"""Making a gradient what it has to be: summed over what was broadcast, converted, and on the right device.

The one idea to keep in mind: formulas need not think of broadcasting or promotion, for every gradient is looked at on
its way along an edge.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.core.errors import explained
from tensorglass.fast.backward_on_arrays import XP, BareArray, tensor_of
from tensorglass.graph.node import AccumulateGrad, Edge, Node
from tensorglass.ops.kernels.sum import total


def fitted(gradient: Any, edge: Edge, node: Node, nr: int) -> Any:
    """The gradient with the size, dtype and device of what it is the gradient of: summed over what was broadcast.

    A bare array that is right stays one, and so does one that is summed, as that of a bias is.

    `node` found it for its input number `nr`, which came along `edge`.
    """
    following, output_nr = edge
    wanted = None if following is None else following.outputs[output_nr]
    if type(gradient) is BareArray:
        dtype = node.outputs[0].dtype  # type: ignore[union-attr]  # which it had a gradient of
        if wanted is not None and dtype is wanted.dtype:
            if gradient.shape == wanted.size:
                return gradient
            axes = geometry.summed_dims(gradient.shape, wanted.size)
            if axes and wanted.size:
                return total(XP, gradient, axes).reshape(wanted.size)
        gradient = tensor_of(gradient, dtype)
    if gradient is None or wanted is None:
        return gradient
    if gradient._size != wanted.size:
        if geometry.summed_dims(gradient._size, wanted.size) is None:
            raise explained(
                RuntimeError(
                    f"Function {node.name()} returned an invalid gradient at index {nr} - got {list(gradient._size)} "
                    f"but expected shape compatible with {list(wanted.size)}"
                )
            )
        gradient = gradient.sum_to_size(wanted.size)
    if gradient._dtype is not wanted.dtype and wanted.dtype is not None:
        if gradient._dtype.is_complex and not wanted.dtype.is_complex:
            gradient = gradient.real
        gradient = gradient.to(wanted.dtype)
    device = gradient._storage.device
    if device is not wanted.device:
        if wanted.size:  # a 0-dim operand may have been on the CPU
            raise explained(
                RuntimeError(
                    f"Function {node.name()} returned an invalid gradient at index {nr} - expected device "
                    f"{wanted.device} but got {device}"
                )
            )
        gradient = gradient.to(wanted.device)
    return gradient


def first_fitted(gradient: Any, node: Node, nr: int) -> Any:
    """A gradient to begin with, converted to the dtype that the output of the node wants: a leaf may have its own."""
    wanted = node.outputs[nr]
    if type(gradient) is BareArray and isinstance(node, AccumulateGrad):
        own = node.variable._dtype
        if wanted is None or wanted.dtype is own:
            return gradient
        gradient = tensor_of(gradient, own)
    if gradient is None or wanted is None or gradient._dtype is wanted.dtype:
        return gradient
    return fitted(gradient, (node, nr), node, nr)
