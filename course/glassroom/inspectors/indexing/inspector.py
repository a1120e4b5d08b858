"""`explore_index(x, "1:, ::2")`: which cells an index picks, whether the result is a view or a copy, and its header."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from math import isfinite, prod
from types import EllipsisType
from typing import Any

from glassroom.drawing.words import ARRAYS, written
from glassroom.inspectors.base import Inspector
from glassroom.inspectors.indexing.arithmetic import MOST_PICKS, Ints, Positions
from glassroom.inspectors.indexing.picture import svg_of_indexing, text_of_indexing
from glassroom.inspectors.indexing.typed_index import Named, index_of_list
from glassroom.inspectors.indexing.words import Indexing
from glassroom.reading.adapters import adapter_for, described
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.snapshot import cells_at, snapshot
from glassroom.reading.storage_names import unnumbered
from glassroom.reading.variables import variables_of
from glassroom.records.plain import plain
from glassroom.records.printable import printable
from glassroom.records.snapshot import visible_window
from glassroom.translations.templates import as_is
from tensorglass.geometry import contiguous_strides

MOST_KNOWN = 1024  # elements of a tensor whose values are all sent to the browser
MOST_DIMS = 6


class IndexExplorer(Inspector):
    """A tensor, an index that can be edited, and its result."""

    kind = as_is("index explorer")

    def __init__(self, indexing: Indexing) -> None:
        self.indexing = indexing
        led, refused = indexing.led, indexing.refused
        result = led and {"size": led.size, "stride": led.stride, "offset": led.offset, "is_view": led.is_view}
        self.data: dict[str, Any] = {
            "name": indexing.name,
            "size": indexing.size,
            "stride": indexing.stride,
            "offset": indexing.offset,
            "itemsize": indexing.itemsize,
            "typed": indexing.typed,
            "values": {_key(index): value for index, value in indexing.values.items()},
            "names": {name: _record(value) for name, value in indexing.names.items()},
            "result": result,
            "refusal": None if refused is None else str(refused),
        }

    @property
    def text(self) -> str:
        return text_of_indexing(self.indexing)

    @property
    def svg(self) -> str:
        return svg_of_indexing(self.indexing, self.label)

    @property
    def label(self) -> str:
        return f"Index explorer: {self.indexing.lines()[0]}"

    def state(self) -> dict[str, Any]:
        numbers = self.indexing.numbers
        tensor = {
            **plain(self.data),
            "numbers": None if numbers is None else [number if isfinite(number) else str(number) for number in numbers],
            "is_numpys": self.indexing.is_numpys,
        }
        return {"tensor": tensor, "label": self.label, "text": self.text}


def explore_index(tensor: object, index: str = "...", **names: object) -> IndexExplorer:
    """See what `tensor[index]` picks: a view or a copy, its size, stride and offset, and each cell's source.

    `index` is what stands between the brackets, as text: `explore_index(x, "1:, rows", rows=torch.tensor([0, 2]))`. It
    is parsed, not run: numbers, slices, None, ..., bools, lists, the names given as keywords, also sliced (`rows[:,
    None]`) or inverted (`~mask`), and comparisons of a small tensor with a number (`x > 2`). In the live form it can be
    typed, or built by pointing at cells. `tensor` is a tensorglass or PyTorch tensor, a NumPy or CuPy array, or a size.
    Raises TypeError for anything else, and for a name that stands for no index. An index that PyTorch refuses is shown
    with its error.
    """
    if sys.is_finalizing():
        return IndexExplorer.of_nothing()
    frame = sys._getframe(1)
    [name] = argument_names(frame, (tensor,))
    name = name if name.isidentifier() and variables_of(frame).get(name) is tensor else "x"
    size = _size(tensor)
    if size is not None:
        stride, itemsize, offset, is_numpys = contiguous_strides(size), 4, 0, False
    elif adapter_for(tensor) is None:
        raise TypeError(f"explore_index takes a tensor, an array or a size, not {type(tensor).__name__}")
    else:
        with unnumbered():  # no storage is shown
            [header] = snapshot({name: tensor}).headers
        if header.unit == "bytes":
            raise TypeError("explore_index counts strides in elements, and this array's are no whole elements")
        size, stride, itemsize, offset = header.size, header.stride, header.itemsize, header.storage_offset
        is_numpys = header.library in ARRAYS
    held = {printable(key): _named(key, value, is_numpys) for key, value in names.items()}
    if len(size) > MOST_DIMS:
        raise ValueError(f"explore_index draws up to {MOST_DIMS} dimensions, not {len(size)}")
    numbers = _numbers_of(tensor, size)
    bare = Indexing(name, size, stride, offset, itemsize, printable(index), {}, numbers, held, is_numpys)
    return IndexExplorer(replace(bare, values=_values(tensor, bare)))


def _size(value: object) -> Ints | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    is_size = isinstance(value, tuple | list) and all(type(n) is int and n >= 0 for n in value)
    return tuple(value) if is_size and isinstance(value, tuple | list) else None


def _named(name: str, value: Any, is_numpys: bool) -> Named:
    """What a keyword stands for in an index."""
    if value is None or isinstance(value, int | EllipsisType):
        return value
    if isinstance(value, slice) and all(
        bound is None or type(bound) is int for bound in (value.start, value.stop, value.step)
    ):
        return value
    if isinstance(value, list):
        return index_of_list(name, value)
    adapter = adapter_for(value)
    if adapter is None:
        raise TypeError(f"{name} is no index: an int, a slice, a list, an index tensor or a mask is")
    description = adapter.describe(value)
    is_mask = description.dtype == "bool" or (description.dtype == "uint8" and not is_numpys)
    is_whole = "int" in description.dtype if is_numpys else description.dtype in ("int64", "int32")
    if not is_mask and not is_whole:
        raise TypeError(as_is(f"{name}: tensors used as indices must be long, int, byte or bool tensors"))
    if prod(description.size) > MOST_PICKS:
        raise ValueError(f"{name} has more than {MOST_PICKS:,} elements: explore a part of it")
    elements = [int(element) for element in value.reshape(-1).tolist()]
    stride = tuple(step // description.itemsize for step in description.strides)
    return Positions(name, description.size, stride, elements, is_mask)


def _numbers_of(tensor: object, size: Ints) -> list[float] | None:
    """All elements as numbers, for comparisons; None for a large tensor, or a complex one."""
    if prod(size) > MOST_KNOWN:
        return None
    if _size(tensor) is not None:
        return [float(at) for at in range(prod(size))]
    values = [cell.value for cell in _cells(tensor, product(*map(range, size)))]
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return numbers if len(numbers) == len(values) else None


def _values(tensor: object, indexing: Indexing) -> dict[Ints, str]:
    """The values of cells as text: of a small tensor all, of a large one those that the picture shows."""
    size, led = indexing.size, indexing.led
    if prod(size) <= MOST_KNOWN:
        wanted = list(product(*map(range, size)))
    else:
        shown = set(product(*visible_window(size)))
        if led is not None:
            shown |= {led.source(index) for index in product(*visible_window(led.size))}
        wanted = sorted(shown)
    if _size(tensor) is not None:
        return {index: str(sum(i * step for i, step in zip(index, indexing.stride, strict=True))) for index in wanted}
    return {cell.index: written(cell.value) for cell in _cells(tensor, wanted)}


def _cells(tensor: object, indices: Iterable[Ints]) -> Iterable[Any]:
    description = described(tensor)
    return cells_at(indices, description, description.memory.start)


def _key(index: Ints) -> str:
    return ",".join(map(str, index))


def _record(value: Named) -> dict[str, Any]:
    match value:
        case Positions():
            kind = "mask" if value.is_mask else "positions"
            return {"kind": kind, "size": value.size, "stride": value.stride, "elements": value.elements}
        case slice():
            return {"kind": "slice", "start": value.start, "stop": value.stop, "step": value.step}
        case EllipsisType():
            return {"kind": "ellipsis"}
        case None:
            return {"kind": "none"}
        case bool():
            return {"kind": "bool", "value": value}
        case _:
            return {"kind": "int", "value": value}
