"""Embeddings: the rows of a matrix at given indices, one by one, or summed, averaged or maximized over bags of
indices."""

from __future__ import annotations

from typing import Any

from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.indexing.where_masked import where
from tensorglass.tensor.tensor import Tensor


def _rows_backward(grad: Tensor, places: Tensor, rows: int, padding_idx: int, by_frequency: bool) -> Tensor:
    """The gradient for the matrix: each row gets the sum of the gradients (n, D) of its uses."""
    if padding_idx >= 0:
        grad = grad.masked_fill((places == padding_idx).unsqueeze(1), 0)
    if by_frequency:
        counts = places.bincount(minlength=rows).index_select(0, places)
        grad = grad / counts.unsqueeze(1).to(grad._dtype)
    result: Tensor = grad.new_zeros((rows, grad._size[1])).index_add(0, places, grad)
    return result


def _embedding_backward(
    grad: Tensor, weight_size: tuple[int, ...], indices: Tensor, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    flat = grad.reshape(-1, weight_size[1])
    return _rows_backward(flat, indices.reshape(-1).long(), weight_size[0], padding_idx, scale_grad_by_freq)


@derivative(node="EmbeddingBackward0", weight=_embedding_backward)
def _embedding(weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    result: Tensor = weight.index_select(0, indices.reshape(-1)).view(*indices._size, weight._size[1])
    return result


#: The rows of `weight` (V, D) that `indices` (…) name: (…, D).
embedding: Any = recorded(_embedding)


# --- bags ----------------------------------------------------------------------------------------------------------


def _counts(bags: Tensor, is_counted: Tensor, bag_count: int) -> Tensor:
    """How many rows each bag has."""
    result: Tensor = is_counted.long().new_zeros(bag_count).index_add(0, bags, is_counted.long())
    return result


def _shares(
    grad: Tensor, weight: Tensor, bags: Tensor, is_counted: Tensor, per_sample_weights: Tensor | None, mode: str
) -> Tensor:
    """The gradient of each embedded row, for sums and means."""
    share = grad.index_select(0, bags) * is_counted.unsqueeze(1)
    if mode == "mean":
        share = share / _counts(bags, is_counted, grad._size[0]).clamp(min=1).index_select(0, bags).unsqueeze(1)
    return share if per_sample_weights is None else share * per_sample_weights.unsqueeze(1)


def _largest(weight: Tensor, indices: Tensor, bags: Tensor, is_counted: Tensor, bag_count: int) -> Tensor:
    """For every bag and column, which of its rows has the largest element, or -1 without rows: (B, D)."""
    result = indices.new_full((bag_count, weight._size[1]), -1)
    for bag in range(bag_count):
        taken = ((bags == bag) & is_counted).nonzero().reshape(-1)
        if taken.numel():
            rows = weight.index_select(0, indices.index_select(0, taken))
            result[bag] = taken.index_select(0, rows.argmax(0))
    return result


def _bag_weight_backward(
    grad: Tensor,
    weight: Tensor,
    indices: Tensor,
    bags: Tensor,
    is_counted: Tensor,
    per_sample_weights: Tensor | None,
    bag_count: int,
    mode: str,
    scale_grad_by_freq: bool,
) -> Tensor:
    rows = weight._size[0]
    if mode != "max":
        share = _shares(grad, weight, bags, is_counted, per_sample_weights, mode)
        return _rows_backward(share, indices, rows, -1, scale_grad_by_freq)
    places = _largest(weight.detach(), indices, bags, is_counted, bag_count)
    if not indices.numel():
        return weight.new_zeros(weight._size)
    taken = indices.index_select(0, places.clamp(min=0).reshape(-1)).view(places._size)
    return weight.new_zeros(weight._size).scatter_add(0, taken, grad * (places >= 0))


def _bag_sample_backward(grad: Tensor, weight: Tensor, indices: Tensor, bags: Tensor, is_counted: Tensor) -> Tensor:
    result: Tensor = (grad.index_select(0, bags) * weight.index_select(0, indices)).sum(1) * is_counted
    return result


@derivative(node="EmbeddingBagBackward0", weight=_bag_weight_backward, per_sample_weights=_bag_sample_backward)
def _embedding_bag(
    weight: Tensor,
    indices: Tensor,
    bags: Tensor,
    is_counted: Tensor,
    per_sample_weights: Tensor | None,
    bag_count: int,
    mode: str,
    scale_grad_by_freq: bool,
) -> Tensor:
    if mode == "max":
        places = _largest(weight, indices, bags, is_counted, bag_count)
        if not indices.numel():
            return weight.new_zeros((bag_count, weight._size[1]))
        rows = weight.index_select(0, indices)
        return where(places >= 0, rows.gather(0, places.clamp(min=0)), weight.new_zeros(()))
    dtype = weight._dtype
    taken = weight.index_select(0, indices)
    if dtype.itemsize == 2:  # halves are added up as float32
        taken = taken.float()
    taken = taken.masked_fill(~is_counted.unsqueeze(1), 0)
    if per_sample_weights is not None:
        taken = taken * per_sample_weights.to(taken._dtype).unsqueeze(1)
    result: Tensor = taken.new_zeros((bag_count, weight._size[1])).index_add(0, bags, taken)
    if mode == "mean":
        result = result / _counts(bags, is_counted, bag_count).clamp(min=1).unsqueeze(1)
    return result.to(dtype)


#: The sum, mean or maximum of the rows of `weight` (V, D) in every bag, (B, D); `indices` and `bags` are (n).
embedding_bag: Any = recorded(_embedding_bag)
