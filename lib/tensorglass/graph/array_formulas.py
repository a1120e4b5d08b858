"""Derivatives straight on arrays, where nothing is recorded of them.

The one idea to keep in mind: formulas of plain arithmetic mean the same for arrays as for tensors. So a node of such an
operator hands its formulas the arrays of what it kept, and makes one tensor of each answer: half the time of going by
way of tensors. Whatever is not quite usual (other dtypes, conjugated or strided elements, what was written to or let go
of since) is left to `FormulaNode.apply`, which knows what to do or to say.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from tensorglass.devices import CPU
from tensorglass.dtypes import float32, float64
from tensorglass.geometry import contiguous_strides
from tensorglass.graph.saved import SavedNumber, SavedTensor
from tensorglass.making import from_array, result_tensor
from tensorglass.tensor import Tensor, raw_array

if TYPE_CHECKING:
    from tensorglass.graph.formula_node import FormulaNode
    from tensorglass.graph.node import Gradients, Node


def apply_to_arrays(node: FormulaNode, gradient: Tensor, towards: Container[Node | None] | None) -> Gradients | None:
    """The gradients that `node` sends on; None where its formulas must be given tensors."""
    storage, dtype = gradient._storage, gradient._dtype
    if (dtype is not float32 and dtype is not float64) or storage.device is not CPU:
        return None
    array = gradient._array
    if array is None:
        array = raw_array(gradient)
    if not gradient._contiguous and any(gradient._stride):
        return None
    backend = storage.backend
    given = [array, backend.xp]
    for kept in node.kept:
        kind = type(kept)
        if kind is SavedTensor:
            kept = kept.array(dtype)
            if kept is None:
                return None
        elif kind is SavedNumber:
            return None
        given.append(kept)
    run, size = backend.run, gradient._size
    stride = contiguous_strides(size)
    found: list[Tensor | None] = []
    for formula, pick, _ in node.blueprint.on_arrays:
        if formula is None or (towards is not None and node.next_functions[len(found)][0] not in towards):
            found.append(None)
            continue
        try:
            answer = run(formula, *pick(given))
        except MemoryError:  # the way by tensors finds the same, and says it as PyTorch does
            return None
        if answer is array:
            found.append(gradient)
        elif answer is None or answer.dtype is not array.dtype:
            return None
        elif answer.shape != size:
            found.append(from_array(answer, dtype, storage))
        else:
            if not size:  # NumPy answers with a scalar, which has no memory to share
                answer = backend.xp.asarray(answer)
            found.append(result_tensor(answer, dtype, backend, CPU, size, stride))
    return found
