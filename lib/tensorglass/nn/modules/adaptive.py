"""A softmax over very many classes, few of which are frequent (Grave et al. 2016)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorglass as torch
from tensorglass.nn import functional as F
from tensorglass.nn.modules.container import ModuleList, Sequential
from tensorglass.nn.modules.linear import Linear
from tensorglass.nn.modules.module import Module
from tensorglass.tensor.tensor import Tensor

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """What the layer returns: the log-probability of each target, and minus their mean."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log-probabilities of classes in clusters: (N, in_features) and classes (N) → (N), ().

    Classes are numbered from the most frequent on, and `cutoffs` say where the clusters begin. The head scores the
    first classes, and each cluster as a whole. A cluster's tail scores its classes, through a hidden layer that is
    `div_value` times narrower from cluster to cluster.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
            or any(int(cutoff) != cutoff for cutoff in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for number, (low, high) in enumerate(itertools.pairwise(self.cutoffs), 1):
            narrow = int(in_features // div_value**number)
            self.tail.append(
                Sequential(
                    Linear(in_features, narrow, bias=False, device=device, dtype=dtype),
                    Linear(narrow, high - low, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        self._check_target(input_, target_)
        is_batch = target_.dim() > 0
        input, target = (input_, target_) if is_batch else (input_.unsqueeze(0), target_.unsqueeze(0))
        output = input.new_zeros(target.size(0))
        in_head = target.new_empty(
            target.size(0)
        )  # the head's output for each target: its class, or the cluster that it is in
        rows_done = 0
        for number, (low, high) in enumerate(itertools.pairwise([0, *self.cutoffs])):
            is_here = (target >= low) & (target < high)
            rows = is_here.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            if number == 0:
                in_head.index_copy_(0, rows, target[is_here])
            else:
                log_probs = F.log_softmax(self.tail[number - 1](input.index_select(0, rows)), dim=1)
                in_head.index_fill_(0, rows, self.shortlist_size + number - 1)
                local = log_probs.gather(1, (target[is_here] - low).unsqueeze(1))
                output.index_copy_(0, rows, local.squeeze(1))
            rows_done += rows.numel()
        if rows_done != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        head = F.log_softmax(self.head(input), dim=1)
        output += head.gather(1, in_head.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if is_batch else output.squeeze(0), loss)

    def _check_target(self, input: Tensor, target: Tensor) -> None:
        rank = target.dim()
        if rank > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if rank == 1 and input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.dim() != rank + 1:
            raise RuntimeError(
                f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with size {input.size()}"
            )

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes: (N, in_features) → (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        result = input.new_empty((head_output.size(0), self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        result[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for number, (low, high) in enumerate(itertools.pairwise(self.cutoffs)):
            log_probs = F.log_softmax(self.tail[number](input), dim=1)
            result[:, low:high] = log_probs + head[:, self.shortlist_size + number].unsqueeze(1)
        return result

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class: (N, in_features) → (N). A cluster's classes are scored only where it wins."""
        head_output = self.head(input)
        output = torch.argmax(head_output, dim=1)
        is_cluster = output >= self.shortlist_size
        if is_cluster.any():
            output[is_cluster] = torch.argmax(
                self._get_full_log_prob(input[is_cluster], head_output[is_cluster]), dim=1
            )
        return output
