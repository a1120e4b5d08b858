"""Embeddings as layers: each index has a vector, which is learned."""

from __future__ import annotations

from typing import Any, Self

import tensorglass as torch
from tensorglass.nn import functional as F
from tensorglass.nn import init
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parameter import Parameter
from tensorglass.tensor.tensor import Tensor

__all__ = ["Embedding", "EmbeddingBag"]


class _Rows(Module):
    """The base class of both: `weight` (num_embeddings, embedding_dim), drawn from the normal distribution."""

    padding_idx: int | None
    weight: Parameter

    def _make_weight(self, size: tuple[int, int], padding: tuple[str, int | None], given: Any, **options: Any) -> None:
        name, padding_idx = padding
        if padding_idx is not None and not -size[0] <= padding_idx < size[0]:
            raise AssertionError(f"{name} must be within num_embeddings")
        self.padding_idx = padding_idx if padding_idx is None or padding_idx >= 0 else size[0] + padding_idx
        if given is None:
            self.weight = Parameter(torch.empty(size, **options))
            self.reset_parameters()
        else:
            if tuple(given.shape) != size:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(given)

    def reset_parameters(self) -> None:
        """Draw the vectors anew."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        """Let the vector of `padding_idx` be 0."""
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Rows):
    """A vector for each index: integers (…) from 0 to ``num_embeddings - 1`` → (…, `embedding_dim`).

    The vector of `padding_idx` begins as 0 and gets no gradient. Vectors longer than `max_norm` are scaled down to it.
    """

    __constants__ = ("num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "sparse")

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        size = (num_embeddings, embedding_dim)
        self._make_weight(size, ("Padding_idx", padding_idx), _weight, device=device, dtype=dtype)
        self.weight.requires_grad_(not _freeze)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, usual in (("padding_idx", None), ("max_norm", None), ("norm_type", 2), ("scale_grad_by_freq", False)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text + (", sparse=True" if self.sparse else "")

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """A layer with these vectors, (num_embeddings, embedding_dim), which are not learned if `freeze`."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(_Rows):
    """The "sum", "mean" or "max" of the vectors of each bag of indices: (B, n), or (n) and offsets (B) → (B, D)."""

    __constants__ = (
        "num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
        "include_last_offset", "padding_idx",
    )  # fmt: skip

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        size = (num_embeddings, embedding_dim)
        self._make_weight(size, ("padding_idx", padding_idx), _weight, device=device, dtype=dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, usual in (("max_norm", None), ("norm_type", 2), ("scale_grad_by_freq", False)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)!r}"
        text += f", mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """A layer with these vectors, (num_embeddings, embedding_dim), which are not learned if `freeze`."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        result = cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        result.weight.requires_grad_(not freeze)
        return result
