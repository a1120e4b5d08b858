"""A parser for what somebody typed between the brackets, which runs none of it: numbers, slices, None, ..., bools,
lists, and the names of index tensors, also sliced (`rows[:, None]`), inverted (`~mask`) or made by comparing the tensor
with a number (`x > 2`). The browser parses the same (`typed_index.js`); a test compares the two.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import EllipsisType

from glassroom.inspectors.indexing.arithmetic import Ints, Item, Positions, RefusedIndex, follow
from glassroom.translations.templates import as_is
from tensorglass.geometry import contiguous_strides

_COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip

Named = int | slice | Positions | EllipsisType | None


@dataclass(frozen=True)
class Reader:
    """What the names in an index stand for; for the tensor itself its size, and all of its values if they are known."""

    tensor: str
    size: Ints
    numbers: Sequence[float] | None
    names: Mapping[str, Named]
    is_numpys: bool = False

    def items(self, typed: str) -> tuple[list[Item], bool]:
        """The items of an index, and whether it is a tuple. Raises RefusedIndex for text that cannot be parsed."""
        try:
            index = ast.parse(f"_[{typed}\n]", mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            index = None
        if not isinstance(index, ast.Subscript) or not isinstance(index.value, ast.Name):
            raise unreadable(typed)
        inner = index.slice
        if isinstance(inner, ast.Tuple):
            return [self._item(item) for item in inner.elts], True
        is_nested = isinstance(inner, ast.List) and any(isinstance(item, ast.List) for item in inner.elts)
        if isinstance(inner, ast.List) and is_nested and not self.is_numpys:
            return [self._item(item) for item in inner.elts], True  # older programs write lists for tuples
        is_tensor = isinstance(inner, ast.Name) and isinstance(self.names.get(inner.id), Positions)
        return [self._item(inner)], is_tensor or isinstance(inner, ast.Subscript)

    def _item(self, node: ast.expr) -> Item:
        text = ast.unparse(node)
        if isinstance(node, ast.Slice):
            bounds = [None if bound is None else self._whole(bound) for bound in (node.lower, node.upper, node.step)]
            return Item(text, slice(*bounds))
        value = self._value(node, text)
        is_number = isinstance(value, Positions) and not value.size and (value.is_mask or not self.is_numpys)
        if isinstance(value, Positions) and is_number:  # PyTorch reads a tensor of one number as that number
            return Item(text, bool(value.elements[0]) if value.is_mask else value.elements[0])
        return Item(text, value)

    def _whole(self, node: ast.expr) -> int | None:
        is_other = isinstance(node, ast.Constant) and not isinstance(node.value, int | None)
        value = Ellipsis if is_other else self._value(node, ast.unparse(node))
        if value is None or isinstance(value, int):
            return None if value is None else int(value)
        words = as_is("slice indices must be integers or None or have an __index__ method")
        raise RefusedIndex("TypeError", words)

    def _value(self, node: ast.expr, text: str) -> Named:
        match node:
            case ast.Constant(value=bool() | int() | None | EllipsisType() as value):
                return value
            case ast.Constant(value=value):
                words = as_is(
                    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices"
                )
                raise RefusedIndex("IndexError", as_is(f"{words} (got {type(value).__name__})"))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)) if type(value) is int:
                return -value
            case ast.List():
                return index_of_list(text, _nested(node))
            case ast.Name(id=name) if name in self.names:
                held = self.names[name]
                return replace(held, name=text) if isinstance(held, Positions) else held
            case ast.UnaryOp(op=ast.Invert(), operand=inner):
                mask = self._value(inner, text)
                if isinstance(mask, Positions) and mask.is_mask:
                    return replace(mask, name=f"({text})", elements=[1 - on for on in mask.elements])
            case ast.Compare(left=ast.Name(id=self.tensor), ops=[op], comparators=[number]) if type(op) in _COMPARISONS:
                return self._compared(text, _COMPARISONS[type(op)], number)
            case ast.Subscript(value=ast.Name(id=name)):
                named = self.names.get(name)
                if isinstance(named, Positions):
                    return self._inner(text, named, text[len(name) + 1 : -1])
        raise unreadable(text)

    def _compared(self, text: str, compare: Callable[[float, float], bool], number: ast.expr) -> Positions:
        if self.numbers is None:
            raise RefusedIndex("too much to draw", f"{text} needs all values of {self.tensor}: give the mask by a name")
        try:
            limit = ast.literal_eval(number)
        except ValueError:
            raise unreadable(text) from None
        if isinstance(limit, bool) or not isinstance(limit, int | float):
            raise unreadable(text)
        elements = [int(compare(value, limit)) for value in self.numbers]
        return Positions(f"({text})", self.size, contiguous_strides(self.size), elements, is_mask=True)

    def _inner(self, text: str, held: Positions, typed: str) -> Positions | int:
        """An index tensor that is itself indexed, by slices and None only."""
        items, is_tuple = self.items(typed)
        if any(isinstance(item.value, Positions | bool) for item in items):
            raise unreadable(text)
        led = follow(held.size, held.stride, 0, items, is_tuple, self.is_numpys)
        elements = [held.at(led.source(index)) for index in product(*map(range, led.size))]
        if led.is_number:
            return elements[0]
        return replace(held, name=text, size=led.size, stride=led.stride or (), elements=elements)


def unreadable(text: str) -> RefusedIndex:
    """The refusal of an index that this parser does not know."""
    can = "numbers, slices, None, ..., True, False, lists, names given as keywords, sliced names, ~mask and x > 2"
    written = text.strip()
    return RefusedIndex("not read here", f"{written} is not read here: {can} are" if written else f"write {can}")


def index_of_list(text: str, nested: object) -> Positions:
    """A list of ints or bools, or of lists of them, as an index tensor or a mask."""
    size: list[int] = []
    level = [nested]
    while level and isinstance(level[0], list):
        size.append(len(level[0]))
        for item in level:
            if not isinstance(item, list) or len(item) != size[-1]:
                length = len(item) if isinstance(item, list) else 0
                words = as_is(f"expected sequence of length {size[-1]} at dim {len(size) - 1} (got {length})")
                raise RefusedIndex("ValueError", words)
        level = [inner for item in level if isinstance(item, list) for inner in item]
    elements = [item for item in level if isinstance(item, int)]
    if len(elements) != len(level):
        raise unreadable(text)
    is_mask = bool(elements) and all(isinstance(element, bool) for element in elements)
    return Positions(
        text, tuple(size), contiguous_strides(tuple(size)), [int(element) for element in elements], is_mask
    )


def _nested(node: ast.expr) -> object:
    if isinstance(node, ast.List):
        return [_nested(element) for element in node.elts]
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None
