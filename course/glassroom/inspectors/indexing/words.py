"""What an index makes of a tensor, in words: the text of the index explorer. The live explorer writes the same in the
browser (`words.js`); a test compares the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from glassroom.drawing.words import LETTERS, counted, element, listed
from glassroom.inspectors.indexing.arithmetic import Axis, Ints, Item, Led, Positions, RefusedIndex, follow
from glassroom.inspectors.indexing.typed_index import Named, Reader
from glassroom.translations.templates import word


@dataclass(frozen=True)
class Indexing:
    """A tensor's header, those values of its cells that are known, and what was typed between the brackets."""

    name: str
    size: Ints
    stride: Ints
    offset: int
    itemsize: int
    typed: str
    values: Mapping[Ints, str] = field(default_factory=dict)
    numbers: Sequence[float] | None = None
    names: Mapping[str, Named] = field(default_factory=dict)
    is_numpys: bool = False

    @cached_property
    def _followed(self) -> tuple[tuple[Item, ...], Led | None, RefusedIndex | None]:
        try:
            reader = Reader(self.name, self.size, self.numbers, self.names, self.is_numpys)
            items, is_tuple = reader.items(self.typed)
            led = follow(self.size, self.stride, self.offset, items, is_tuple, self.is_numpys)
            return tuple(items), led, None
        except RefusedIndex as refused:
            return (), None, refused

    @property
    def items(self) -> tuple[Item, ...]:
        """What was typed, item by item; none if it was refused."""
        return self._followed[0]

    @property
    def led(self) -> Led | None:
        """The result of the index; None if it was refused."""
        return self._followed[1]

    @property
    def refused(self) -> RefusedIndex | None:
        """The error if the index was refused."""
        return self._followed[2]

    @cached_property
    def picks(self) -> Counter[Ints]:
        """How often positions are picked by index tensors."""
        return Counter() if self.led is None else self.led.picks()

    def times(self, index: Ints) -> int:
        """How often a cell of the tensor is in the result."""
        return 0 if self.led is None else self.led.times(index, self.picks)

    def value(self, index: Ints) -> str:
        """The value of a cell of the tensor, or a dot if it is not known."""
        return self.values.get(index, "·")

    @property
    def code(self) -> str:
        """The expression."""
        return f"{self.name}[{self.typed.strip()}]"

    def lines(self) -> list[str]:
        """What is said above the table."""
        led, refused = self.led, self.refused
        if led is None or refused is not None:
            error = refused.error if refused else ""
            is_pytorchs = error.endswith("Error")
            return [f"{self.code}: no result", f"{error}: {refused}" if is_pytorchs else str(refused)]
        header = "" if led.stride is None or led.is_number else f", stride {led.stride}, offset {led.offset}"
        lines = [f"{self.code}: size {led.size}{header}", self.rule(led)]
        if led.is_view:
            lines.append(
                f"A view of {self.name}: 0 bytes are copied, and what is written to it is written to {self.name}."
            )
        else:
            number, nbytes = prod(led.size), prod(led.size) * self.itemsize
            copied = f"A copy: {counted(number, 'element')} picked into new memory, {counted(nbytes, 'byte')}."
            lines.append(f"{copied} Assigning, {self.code} = …, writes to {self.name} itself.")
            lines += self._meeting(led)
        if led.is_number:
            lines[2] = f"A number: NumPy copies a single element. {self.name}[{self.typed.strip(' ,')}, ...] is a view."
        return lines

    def rule(self, led: Led) -> str:
        """Which cell of the tensor a cell of the result is, in letters."""
        letters = list(LETTERS[: len(led.size)])
        block = letters[led.first : led.first + len(led.shape)]
        indices: dict[int, str] = {source: str(at) for source, at in led.fixed.items()}
        for dim, axis in enumerate(led.axes):
            if axis.source is None:
                continue
            if dim in led.chosen:
                indices[axis.source] = _element(led.chosen[dim], block)
            else:
                indices[axis.source] = _walked(axis, letters[led.place_of(dim)])
        return f"{element('result', letters)} is {element(self.name, [indices[source] for source in sorted(indices)])}"

    def _meeting(self, led: Led) -> list[str]:
        """How index tensors are broadcast, where their size stands in the result's, and which positions they pick more
        than once."""
        lines = []
        picked = list(led.chosen.values())
        if sum(isinstance(item.value, bool | Positions) for item in self.items) > 1:
            names = listed([f"{positions.name} {positions.size}" for positions in picked])
            where = (
                "goes to the front, as other dimensions lie between theirs"
                if led.at_front
                else "stands in the place of their dimensions"
            )
            lines.append(f"{names} are read together, as {led.shape}, which {where}.")
        again = sum(times > 1 for times in self.picks.values())
        if again and 0 not in led.size:
            are = "position is" if again == 1 else "positions are"
            lines.append(f"{again} {are} picked more than once: of several values assigned there, one would stay.")
        return lines

    def table(self) -> list[list[str]]:
        """What each item does, and to which dimension; none if the index was refused."""
        rows = [[word("item"), word("dim"), ""]]
        dim = 0
        about = sum(item.dims for item in self.items)
        for item in self.items if self.led else ():
            dims = len(self.size) - about if item.value is Ellipsis else item.dims
            rows.append([item.text, _dims(dim, dims), self._does(item, dim)])
            dim += dims
        if self.led and dim < len(self.size):
            rows.append(["", _dims(dim, len(self.size) - dim), "as it is"])
        return rows

    def _does(self, item: Item, dim: int) -> str:
        match item.value:
            case None:
                return "a new dimension of length 1"
            case bool():
                return f"a new dimension, picked {word('once') if item.value else word('never')}"
            case int():
                at = item.value % self.size[dim]
                if self.led and self.led.chosen and self.is_numpys:
                    return f"position {at} of {self.size[dim]}, read together with the index arrays"
                return f"one position of {self.size[dim]}: the dimension goes, offset + {at}·{self.stride[dim]}"
            case slice():
                start, end, step = item.value.indices(self.size[dim])
                new = max(-(-(end - start) // step), 0)
                if self.is_numpys and not new:
                    start, step = 0, 1
                moved = f", offset + {start}·{self.stride[dim]}" if start else ""
                wider = f", stride {self.stride[dim]} → {self.stride[dim] * step}" if step != 1 else ""
                return f"length {self.size[dim]} → {new}{moved}{wider}"
            case Positions(is_mask=True):
                return f"mask {item.value.size}: {sum(item.value.elements)} of {len(item.value.elements)} True"
            case Positions():
                return f"index tensor {item.value.size}: picks positions of {self.size[dim]}"
            case _:
                return "as it is"


def _dims(first: int, number: int) -> str:
    return "" if not number else str(first) if number == 1 else f"{first}–{first + number - 1}"


def _walked(axis: Axis, letter: str) -> str:
    steps = letter if abs(axis.step) == 1 else f"{abs(axis.step)}·{letter}"
    if axis.step < 0:
        return f"{axis.start} - {steps}"
    return f"{axis.start} + {steps}" if axis.start else steps


def _element(positions: Positions, block: Sequence[str]) -> str:
    own = block[len(block) - len(positions.size) :]
    index = ["0" if n == 1 else letter for letter, n in zip(own, positions.size, strict=True)]
    return element(positions.name, index)
