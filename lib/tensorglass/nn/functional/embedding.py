"""Rows of a table looked up by index, and one-hot vectors: `embedding`, `embedding_bag`, `one_hot`."""

from __future__ import annotations

import tensorglass as torch
from tensorglass.core.errors import explained, old_type_name, warn
from tensorglass.ops.arg_parser.checks import check_tensors
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.kernels.positions import first_outside
from tensorglass.ops.nn import embedding as ops
from tensorglass.tensor.tensor import Tensor, array_of


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` (V, D) with the indices in `input` (…): (…, D).

    Row `padding_idx` gets no gradient. Rows whose norm, of order `norm_type`, exceeds `max_norm` are scaled down to it
    in place. `scale_grad_by_freq` divides each row's gradient by how often the row was used.
    """
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.size(0) <= padding_idx < weight.size(0):
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += weight.size(0)
    if max_norm is not None:
        input = input.contiguous()
        _shorten(weight.detach(), input, max_norm, norm_type)
    return _rows(weight, input, padding_idx, scale_grad_by_freq, sparse)


@parsed("embedding")
def _rows(weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> Tensor:
    _refuse_sparse(sparse)
    _check_lookup(indices, weight, "embedding")
    return ops.embedding(weight, indices, padding_idx, scale_grad_by_freq)


def _refuse_sparse(sparse: bool) -> None:
    if sparse:
        raise explained(
            NotImplementedError("sparse gradients are out of scope of tensorglass"),
            "Leave out `sparse=True`: the gradient is the same, as an ordinary tensor.",
        )


def _check_integers(input: Tensor, name: str) -> None:
    if input._dtype not in (torch.int64, torch.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{old_type_name(input)} instead (while checking arguments for {name})"
        )


def _check_lookup(input: Tensor, weight: Tensor, name: str, mode: str = "") -> None:
    check_tensors(name, weight=weight, indices=input)
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    _check_integers(input, name)
    rows = weight.size(0)
    value = input._backend.launch(first_outside, array_of(input), rows)
    if value is None:
        return
    error: Exception = IndexError("index out of range in self")
    if mode == "max":
        words = "Expected idx >= 0 && idx < num_embeddings but found idx to be"
        error = RuntimeError(f"embedding_bag: {words} {value}")
    elif mode:
        place = input.flatten().tolist().index(value)
        words = "which is not in the valid range"
        error = RuntimeError(f"Index {place} of input takes value {value} {words} [0, {rows})")
    raise explained(error, f"There are rows 0 … {rows - 1} in the weight.")


@parsed("embedding_renorm_", "weight", "input", "max_norm", "norm_type")
def _shorten(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale down, in place, those of the rows to be looked up that are too long."""
    if weight.dim() != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {weight.dim()}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for embedding_renorm_)"
        )
    _check_lookup(input, weight, "embedding_renorm_")
    with torch.no_grad():
        places = input.reshape(-1).unique()
        rows = weight[places]
        lengths = rows.norm(norm_type, 1, keepdim=True)
        weight.detach()[places] = torch.where(lengths > max_norm, rows * (max_norm / (lengths + 1e-7)), rows)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The "sum", "mean" or "max" of the rows of `weight` (V, D) in each bag: (B, D).

    `input` is (B, n), with a bag in each row, or (n), where `offsets` (B) says where each bag begins. With
    `include_last_offset` the last offset is the end of the last bag. `per_sample_weights` weights the rows of a sum;
    the index `padding_idx` is skipped.
    """
    if weight.dtype == torch.int64 and input.is_floating_point():
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        per_bag = input.size(1)
        offsets = torch.arange(input.size(0), dtype=input.dtype, device=input.device) * per_bag
        include_last_offset = False
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    elif input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    elif offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    elif offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    _check_mode(mode, scale_grad_by_freq, sparse, per_sample_weights)
    _check_lookup(input, weight, "embedding_bag", mode)
    _check_integers(offsets, "embedding_bag")
    if offsets.numel() == include_last_offset:  # without bags, no index is in one
        input, per_sample_weights = input[:0], None if per_sample_weights is None else per_sample_weights[:0]
        offsets = offsets[:0]
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {weight.type()} does not equal {per_sample_weights.type()} (while "
            "checking arguments for embedding_bag)"
        )
    bags, bag_count = _bags(input, offsets, include_last_offset)
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    if padding_idx is None:
        is_counted = torch.ones_like(input, dtype=torch.bool)
    else:
        is_counted = input != (padding_idx % weight.size(0))
    return ops.embedding_bag(
        weight, input.long(), bags, is_counted, per_sample_weights, bag_count, mode, scale_grad_by_freq
    )


def _check_mode(mode: str, scale_grad_by_freq: bool, sparse: bool, per_sample_weights: Tensor | None) -> None:
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    _refuse_sparse(sparse)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )


def _bags(input: Tensor, offsets: Tensor, include_last_offset: bool) -> tuple[Tensor, int]:
    """The bag that each index belongs to, and the number of bags."""
    if offsets.numel() and int(offsets[0]) != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {int(offsets[0])}"
        )
    if offsets.numel() and int(offsets[-1]) > input.numel():
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {input.numel()} but got offsets[-1] of "
            f"{int(offsets[-1])}"
        )
    begins = offsets[:-1] if include_last_offset else offsets
    places = torch.arange(input.numel(), device=input.device)
    return torch.searchsorted(begins.long().contiguous(), places, right=True) - 1, begins.numel()


@parsed("one_hot")
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """One-hot vectors, int64: 1 at the index in `input`, and 0 elsewhere, (…) → (…, `num_classes`)."""
    if input.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not input.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty input.")
        return torch.empty((*input.shape, num_classes), dtype=torch.int64, device=input.device)
    if input._backend.launch(first_outside, array_of(input), 2**63) is not None:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(input.max()) + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif input._backend.launch(first_outside, array_of(input), num_classes) is not None:
        raise RuntimeError("Class values must be smaller than num_classes.")
    one_hot_rows = torch.empty((*input.shape, num_classes), dtype=torch.int64, device=input.device).zero_()
    return one_hot_rows.scatter_(-1, input.unsqueeze(-1), 1)
