"""Sequences of different lengths in one batch: padded to one length, or packed.

Packed elements are stored step by step: first step 0 of all sequences, the longest first, then step 1 of the sequences
that are long enough, and so on. `batch_sizes` is the number of elements in each step.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import tensorglass as torch
from tensorglass.core.errors import type_name

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class PackedSequence_(NamedTuple):
    """The fields of a `PackedSequence`."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(PackedSequence_):
    """Packed sequences; `pack_sequence` and `pack_padded_sequence` create them.

    `sorted_indices` sorts sequences by length, the longest first, and `unsorted_indices` restores their order; both are
    None if they were sorted already.
    """

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
                "They should be instantiated by functions like pack_sequence and pack_padded_sequences in "
                "nn.utils.rnn. "
                "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _each(self, change: Any) -> PackedSequence:
        indices = [None if index is None else change(index) for index in (self.sorted_indices, self.unsorted_indices)]
        return type(self)(change(self.data), self.batch_sizes, *indices)

    def pin_memory(self) -> PackedSequence:
        """The same in memory that an accelerator copies from faster."""
        return self._each(lambda tensor: tensor.pin_memory())

    def is_pinned(self) -> bool:
        """Whether the data is in such memory."""
        return self.data.is_pinned()

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same on another device or with another dtype; itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = [
            None if index is None else index.to(data.device) for index in (self.sorted_indices, self.unsorted_indices)
        ]
        return type(self)(data, self.batch_sizes, *indices)

    def cuda(self, device: Any = "cuda", **kwargs: Any) -> PackedSequence:
        """The same on a GPU."""
        return self.to(device, **kwargs)

    def cpu(self) -> PackedSequence:
        """The same on the CPU."""
        return self.to("cpu")

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a GPU."""
        return self.data.is_cuda

    def double(self) -> PackedSequence:
        """The same in float64."""
        return self.to(dtype=torch.double)

    def float(self) -> PackedSequence:
        """The same in float32."""
        return self.to(dtype=torch.float)

    def half(self) -> PackedSequence:
        """The same in float16."""
        return self.to(dtype=torch.half)

    def long(self) -> PackedSequence:
        """The same in int64."""
        return self.to(dtype=torch.long)

    def int(self) -> PackedSequence:
        """The same in int32."""
        return self.to(dtype=torch.int)

    def short(self) -> PackedSequence:
        """The same in int16."""
        return self.to(dtype=torch.short)

    def char(self) -> PackedSequence:
        """The same in int8."""
        return self.to(dtype=torch.int8)

    def byte(self) -> PackedSequence:
        """The same in uint8."""
        return self.to(dtype=torch.uint8)


def invert_permutation(permutation: Any) -> Any:
    """The inverse of a permutation; None for None."""
    if permutation is None:
        return None
    places = torch.arange(0, permutation.numel(), device=permutation.device)
    return torch.empty_like(permutation).scatter_(0, permutation, places)


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack (steps, batch, …), or (batch, steps, …) with `batch_first`, where sequence i has `lengths[i]` steps.

    The longest sequence must come first, unless `enforce_sorted` is False: then they are sorted here.
    """
    if isinstance(lengths, torch.Tensor):
        lengths = lengths.to(dtype=torch.int64)
    else:
        lengths = torch.as_tensor(lengths, dtype=torch.int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = torch.sort(lengths, descending=True)
        sorted_indices = sorted_indices.to(input.device)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    data, batch_sizes = _packed(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, sorted_indices, None)


def _packed(input: Any, lengths: Any, batch_first: bool) -> tuple[Any, Any]:
    if lengths.device.type != "cpu":
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but got "
            f"{lengths.dim()}D {lengths.device} {_name(lengths)} tensor"
        )
    if lengths.dim() != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D {lengths.device} "
            f"{_name(lengths)} tensor"
        )
    steps = input.transpose(0, 1) if batch_first else input
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    counts = lengths.tolist()
    if len(counts) != steps.size(1):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={steps.size(1)})"
        )
    if counts[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    for one, next_one in pairwise(counts):
        if next_one > one:
            raise RuntimeError(
                "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
                "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if "
                "you do not need ONNX exportability."
            )
    batch_sizes = [sum(count > step for count in counts) for step in range(counts[0])]
    data = torch.cat([steps[step, :size] for step, size in enumerate(batch_sizes)])
    return data, torch.as_tensor(batch_sizes, dtype=torch.int64)


def _name(tensor: Any) -> str:
    return {"torch.int64": "Long", "torch.float32": "Float", "torch.int32": "Int"}.get(str(tensor.dtype), "")


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Any, Any]:
    """The padded sequences, (steps, batch, …), in their original order, and their lengths.

    There are as many steps as the longest sequence has, or `total_length`.
    """
    sizes = sequence.batch_sizes.tolist()
    longest = len(sizes)
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}"
        )
    steps = list(sequence.data.split(sizes))
    batch = sizes[0]
    rest = (*sequence.data.shape[1:],)
    for number, size in enumerate(sizes):
        if size < batch:
            filler = sequence.data.new_full((batch - size, *rest), padding_value)
            steps[number] = torch.cat([steps[number], filler])
    steps += [sequence.data.new_full((batch, *rest), padding_value)] * ((total_length or longest) - longest)
    padded = torch.stack(steps, 1 if batch_first else 0)
    lengths = torch.as_tensor([sum(size > place for size in sizes) for place in range(batch)], dtype=torch.int64)
    if sequence.unsorted_indices is None:
        return padded, lengths
    order = sequence.unsorted_indices
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """One tensor of sequences (steps, …), with `padding_value` after the shorter ones, or before them ("left")."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    for place, item in enumerate(sequences):
        if not isinstance(item, torch.Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type_name(item)}")
        if not item.dim():
            raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    if not isinstance(padding_value, int | float | torch.Tensor):
        raise TypeError(
            f"pad_sequence(): argument 'padding_value' (position 3) must be float, not {type_name(padding_value)}"
        )
    longest = max(sequence.size(0) for sequence in sequences)
    rest = sequences[0].shape[1:]
    count = len(sequences)
    size = (count, longest, *rest) if batch_first else (longest, count, *rest)
    padded = sequences[0].new_full(size, padding_value)
    for number, sequence in enumerate(sequences):
        length = sequence.size(0)
        steps = slice(longest - length, longest) if padding_side == "left" else slice(0, length)
        padded[(number, steps) if batch_first else (steps, number)].copy_(sequence)
    return padded


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences, each with its own length."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    places = torch.arange(padded_sequences.shape[1], device=lengths.device)
    return [sequence[places < length] for sequence, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences (steps, …)."""
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The list of sequences that was packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
