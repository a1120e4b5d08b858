"""How tensors of different sizes are broadcast: the arithmetic and the words of the broadcast explorer.

Sizes are lined up at the right, and where one of them is 1 (or missing) while the result is longer, the operand is read
again and again through stride 0. No byte is copied. The live explorer computes the same in the browser (`widget.js`); a
test compares the two, and this one with PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from glassroom.drawing.boxes import is_read_first, read_at
from glassroom.drawing.words import LETTERS, counted, element, listed
from glassroom.translations.templates import as_is, word
from tensorglass.geometry import broadcast_shapes, broadcast_strides

Ints = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """A tensor that takes part: its header, and the values of the cells that are shown, as text."""

    name: str
    size: Ints
    stride: Ints
    itemsize: int = 4
    unit: str = "elements"
    values: Mapping[Ints, str] = field(default_factory=dict)

    def nbytes(self, size: Sequence[int]) -> int:
        """The bytes of the operand's elements, at its own size, before it is stretched."""
        return prod(size) * self.itemsize

    @property
    def shares_cells(self) -> bool:
        """Whether several of its elements share one cell, as after `expand`: PyTorch refuses to write to such a
        tensor."""
        return 0 not in self.size and any(n > 1 and step == 0 for n, step in zip(self.size, self.stride, strict=True))

    def value(self, index: Ints) -> str:
        """The content of a cell: its value, or the number of the cell if only a size was given."""
        if self.values:
            return self.values[index]
        return str(sum(i * step for i, step in zip(index, self.stride, strict=True)))


@dataclass(frozen=True)
class Broadcast:
    """Operands to broadcast; `size` is None if they do not fit."""

    operands: tuple[Operand, ...]

    @cached_property
    def _met(self) -> tuple[Ints | None, str]:
        try:
            return broadcast_shapes(*(operand.size for operand in self.operands)), ""
        except RuntimeError as error:
            return None, str(error)

    @property
    def size(self) -> Ints | None:
        """The size of the result."""
        return self._met[0]

    @property
    def refusal(self) -> str:
        """What PyTorch says if the operands do not fit."""
        return self._met[1]

    @property
    def dims(self) -> int:
        """How many dimensions are lined up."""
        return max(len(operand.size) for operand in self.operands)

    def aligned(self, operand: Operand) -> tuple[int | None, ...]:
        """The operand's size, lined up at the right; None for dimensions that it lacks."""
        return (None,) * (self.dims - len(operand.size)) + operand.size

    def bad_dim(self) -> int | None:
        """The last dimension in which the sizes do not fit."""
        lengths = zip(*map(self.aligned, self.operands), strict=True)
        bad = [dim for dim, column in enumerate(lengths) if len(set(column) - {None, 1}) > 1]
        return bad[-1] if bad else None

    def read_by(self, operand: Operand, index: Ints) -> Ints:
        """The index in the operand of the cell that the result's cell at `index` reads."""
        return read_at(operand.size, index)

    def is_first(self, operand: Operand, index: Ints) -> bool:
        """Whether `index` is where the operand's cell is read for the first time, not again through stride 0."""
        return is_read_first(operand.size, index)

    def stretched_stride(self, operand: Operand) -> Ints:
        """The strides with which the operand is read as if it had the result's size."""
        return broadcast_strides(operand.size, operand.stride, self.size or operand.size)

    def stretched(self) -> list[Operand]:
        """The operands that do not have the result's size."""
        return [operand for operand in self.operands if operand.size != self.size]

    def table(self) -> list[list[str]]:
        """The sizes, lined up: a heading, a row for each operand, and the result's row."""
        rows = [["", *(f"dim {dim}" for dim in range(self.dims)), "", ""]]
        bad = self.bad_dim()
        for operand in self.operands:
            entries = [self._entry(n, dim, bad) for dim, n in enumerate(self.aligned(operand))]
            rows.append([f"{operand.name} {operand.size}", *entries, self._stride_words(operand), self._cost(operand)])
        if self.size is None:
            last = ["✕" if dim == bad else "" for dim in range(self.dims)]
            return [*rows, ["no result", *last, "", ""]]
        return [*rows, [word("result"), *map(str, self.size), "", counted(prod(self.size), "element")]]

    def _entry(self, n: int | None, dim: int, bad: int | None) -> str:
        if self.size is None:
            return "" if n is None else f"{n} ✕" if dim == bad and n != 1 else str(n)
        wanted = self.size[dim]
        if n is None:
            return f"·→{wanted}"
        return str(n) if n == wanted else f"{n}→{wanted}"

    def _stride_words(self, operand: Operand) -> str:
        unit = word(" bytes") if operand.unit == "bytes" else ""
        words = f"stride {operand.stride}"
        if self.size is None or operand.size == self.size:
            return words + unit
        return f"{words} → {self.stretched_stride(operand)}{unit}"

    def _cost(self, operand: Operand) -> str:
        own = counted(operand.nbytes(operand.size), "byte")
        if self.size is None or operand.size == self.size:
            return own
        return f"{own}, copied {operand.nbytes(self.size):,}"

    def head(self) -> str:
        """The operands, and the size of the result or the refusal."""
        met = listed([f"{operand.name} {operand.size}" for operand in self.operands])
        return f"{met}: no common size" if self.size is None else f"{met} → {self.size}"

    def rule(self) -> str:
        """Which cells a cell of the result reads, in letters; or what PyTorch says instead."""
        if self.size is None:
            return self.refusal
        letters = LETTERS[: self.dims] if self.dims <= len(LETTERS) else ""
        reads = []
        for operand in self.operands:
            own = letters[self.dims - len(operand.size) :]
            reads.append(element(operand.name, ["0" if n == 1 else i for i, n in zip(own, operand.size, strict=False)]))
        return f"{element('result', list(letters))} reads {listed(reads)}"

    def lines(self) -> list[str]:
        """What is said above the table."""
        if self.size is None:
            return [self.head(), self.refusal, *self._why()]
        return [self.head(), self.rule(), self._saved(), self._in_place()]

    def _why(self) -> list[str]:
        bad = self.bad_dim()
        said = [f"{operand.name} has {self.aligned(operand)[bad or 0]}" for operand in self.operands]
        has = [words for words in said if not words.endswith("None")]
        lines = [f"Dimension {bad}: {listed(has)}. Lengths fit if they are the same, or 1."]
        return [*lines, *self._suggestions()]

    def _suggestions(self) -> list[str]:
        """The operands that would fit if dimensions of size 1 were appended to their sizes."""
        suggestions = []
        for operand in self.operands:
            others = [other.size for other in self.operands if other is not operand]
            for behind in range(1, self.dims - len(operand.size) + 1):
                size = operand.size + (1,) * behind
                if _fit([*others, size]):
                    index = ", ".join(["..."] + ["None"] * behind)
                    suggestions.append(f"{operand.name}[{index}] has size {size}, and would fit.")
                    break
        return suggestions

    def _saved(self) -> str:
        stretched = self.stretched()
        if not stretched:
            return "Nothing is stretched: all have the result's size."
        if prod(self.size or ()) == 0:
            return "Nothing is read: the result has no elements."
        names = listed([operand.name for operand in stretched])
        again = "is read again" if len(stretched) == 1 else "are read again"
        whole = sum(operand.nbytes(self.size or ()) for operand in stretched)
        copies = word("A copy") if len(stretched) == 1 else word("Copies")
        return f"{names} {again} through stride 0: 0 bytes are copied. {copies} would take {counted(whole, 'byte')}."

    def _in_place(self) -> str:
        full = [operand for operand in self.operands if operand.size == self.size]
        able = [operand.name for operand in full if not operand.shares_cells]
        if len(able) == len(self.operands):
            return "In place: each can take the result."
        said = [f"{listed(able)} can take the result"] if able else []
        shared = [operand.name for operand in full if operand.shares_cells]
        if shared:
            said.append(f"{listed(shared)} cannot (several of the elements share a cell)")
        stretched = self.stretched()
        if stretched:
            why = as_is(
                f"output with shape {list(stretched[0].size)} doesn't match the broadcast shape {list(self.size or ())}"
            )
            said.append(f"{listed([operand.name for operand in stretched])} cannot ({why})")
        return f"In place: {word(', ').join(said)}."


def _fit(sizes: Sequence[Ints]) -> bool:
    try:
        broadcast_shapes(*sizes)
    except RuntimeError:
        return False
    return True
