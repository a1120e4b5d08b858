"""Making a gradient what it has to be: summed over what was broadcast, converted, and on the right device.

The one idea to keep in mind: formulas need not think of broadcasting or promotion, for every gradient is looked at on
its way along an edge.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.core.errors import explained
from tensorglass.graph.node import Edge, Node


def fitted(gradient: Any, edge: Edge, node: Node, nr: int) -> Any:
    """The gradient with the size, dtype and device of what it is the gradient of: summed over what was broadcast.

    `node` found it for its input number `nr`, which came along `edge`.
    """
    following, output_nr = edge
    wanted = None if following is None else following.outputs[output_nr]
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
    if gradient is None or wanted is None or gradient._dtype is wanted.dtype:
        return gradient
    return fitted(gradient, (node, nr), node, nr)
