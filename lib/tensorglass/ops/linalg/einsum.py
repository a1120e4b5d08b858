"""einsum: products summed over the dimensions that an equation names.

Every operand is permuted so that all have the same dimensions in the same order: first those of the result, then those
to be summed, with size 1 where an operand lacks one. Then operands are multiplied pair by pair; a dimension that no
later operand has is summed at once, so that each pair is one batched matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any

from tensorglass.core.errors import explained
from tensorglass.ops.arg_parser.checks import all_tensors, type_name
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.pointwise.arithmetic import mul
from tensorglass.ops.reductions.sum_mean_prod import sum as sum_
from tensorglass.ops.views.shape import diagonal, movedim
from tensorglass.tensor.tensor import Tensor


@operator("linear algebra", method=False, signatures=None)
def einsum(*args: Any) -> Tensor:
    """The products of the operands' elements, summed: ``einsum("ij,jk->ik", a, b)`` is the matrix product.

    The equation has a letter for each dimension of each operand. Where letters are the same, elements are multiplied;
    what does not stand behind the arrow is summed. Without an arrow the result has the letters that occur once, in
    alphabetical order. ``...`` stands for further dimensions, which are broadcast. An operand may also be followed by
    a list of numbers in the place of letters: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.
    """
    equation, operands = read_call(args)
    left, arrow, right = equation.replace(" ", "").partition("->")
    sides = [
        _labels(operand_labels, f"operand {place}", equation) for place, operand_labels in enumerate(left.split(","))
    ]
    if len(sides) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(sides) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    width = max(
        ellipsis_width(labels, operand, place)
        for place, (labels, operand) in enumerate(zip(sides, operands, strict=True))
    )
    counts: dict[str, int] = {}
    for letter in [letter for labels in sides for letter in labels if letter != ELLIPSIS]:
        counts[letter] = counts.get(letter, 0) + 1
    alphabet = [letter for letter in ascii_uppercase + ascii_lowercase if letter in counts]
    if arrow:
        output = _output_labels(right, counts, equation)
    else:
        has_ellipsis = any(ELLIPSIS in labels for labels in sides)
        output = [ELLIPSIS] * has_ellipsis + [letter for letter in alphabet if counts[letter] == 1]
    order = [*output, *[letter for letter in alphabet if letter not in output]]
    if ELLIPSIS not in output and width:
        order.insert(len(output), ELLIPSIS)  # its dimensions are summed
    kept = len(output) + (width - 1 if ELLIPSIS in output else 0)
    turned = [
        _turned(operand, labels, order, width, place)
        for place, (operand, labels) in enumerate(zip(operands, sides, strict=True))
    ]
    _check_lengths(sides, operands, width)
    total = len(order) + (width - 1 if ELLIPSIS in order else 0)
    return _contracted(turned, kept, total)


# --- turning the operands --------------------------------------------------------------------------------------------


def _turned(operand: Tensor, labels: Labels, order: Labels, width: int, place: int) -> Tensor:
    """The operand permuted to a dimension for each letter of `order`, and `width` dimensions for the ellipsis."""
    covered = len(operand._size) - (len(labels) - labels.count(ELLIPSIS))
    where: dict[Any, int] = {}  # the dimension of each letter, and of each number that stands for one of the ellipsis
    dim = 0
    for label in labels:
        if label == ELLIPSIS:
            for number in range(width - covered, width):
                where[number] = dim
                dim += 1
        elif label in where:
            first = where[label]
            lengths = operand._size[dim], operand._size[first]
            if lengths[0] != lengths[1]:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {place} but the sizes don't match, "
                    f"{lengths[0]} != {lengths[1]}"
                )
            operand = movedim(diagonal(operand, 0, first, dim), -1, first)
        else:
            where[label] = dim
            dim += 1
    wanted: list[Any] = [place for label in order for place in (range(width) if label == ELLIPSIS else (label,))]
    for label in wanted:
        if label not in where:
            where[label] = len(operand._size)
            operand = operand.unsqueeze(len(operand._size))
    turned: Tensor = operand.permute(tuple([where[label] for label in wanted]))
    return turned


def _check_lengths(sides: Sequence[Labels], operands: Sequence[Tensor], width: int) -> None:
    """Raise unless dimensions of the same name have one length, or 1."""
    seen: dict[Any, int] = {}
    for place, (labels, operand) in enumerate(zip(sides, operands, strict=True)):
        covered = len(operand._size) - (len(labels) - labels.count(ELLIPSIS))
        hidden = range(width - covered, width)
        named: list[Any] = [place for label in labels for place in (hidden if label == ELLIPSIS else (label,))]
        for dim, (label, length) in enumerate(zip(named, operand._size, strict=True)):
            before = seen.get(label, 1)
            if 1 not in (length, before) and length != before:
                if isinstance(label, str):
                    raise explained(
                        RuntimeError(
                            f"einsum(): subscript {label} has size {length} for operand {place} which does not "
                            f"broadcast with previously seen size {before}"
                        ),
                        f"All dimensions named {label} are walked together, so they must have one length, or 1.",
                        notebook=NOTEBOOK,
                    )
                raise RuntimeError(
                    f"einsum(): dimension {dim} covered by ellipsis in operand {place}has size {length} which does "
                    f"not broadcast with previously seen ellipsis with size {before} for the respective dimension"
                )
            seen[label] = length if before == 1 else before


# --- multiplying -----------------------------------------------------------------------------------------------------


def _contracted(operands: list[Tensor], kept: int, total: int) -> Tensor:
    """The product of all, summed over the dimensions from `kept` on."""
    result, *rest = operands
    if not rest:
        return sum_(result, tuple(range(kept, total))) if total > kept else result
    waiting = {dim: sum(operand._size[dim] != 1 for operand in operands) for dim in range(kept, total)}
    for other in rest:
        of_both: list[int] = []
        of_one: list[int] = []
        of_other: list[int] = []
        for dim in range(kept, total):
            lengths = result._size[dim], other._size[dim]
            if 1 not in lengths:
                waiting[dim] -= 1
                if waiting[dim] == 1:
                    of_both.append(dim)
            elif waiting[dim] == 1 and lengths != (1, 1):
                (of_one if lengths[0] != 1 else of_other).append(dim)
        for dim in (*of_both, *of_one, *of_other):
            waiting[dim] = 0
        if of_one:
            result = sum_(result, tuple(of_one), True)
        if of_other:
            other = sum_(other, tuple(of_other), True)
        result = _pair(result, other, of_both)
    return result.view(result._size[:kept]) if total > kept else result


def _pair(one: Tensor, other: Tensor, summed: list[int]) -> Tensor:
    """The product of two, summed over `summed`, which stay as size 1: a product of matrices in a batch."""
    if not summed:
        return mul(one, other)
    in_both: list[int] = []
    in_one: list[int] = []
    in_other: list[int] = []
    for dim, (first, second) in enumerate(zip(one._size, other._size, strict=True)):
        if dim not in summed:
            (in_one if second == 1 and first != 1 else in_both if first != 1 else in_other).append(dim)
    if in_one and in_other and in_other[-1] < in_one[0]:  # swapped, the product already has the result's order
        one, other, in_one, in_other = other, one, in_other, in_one
    batch, rows, columns, length = [
        math.prod(of._size[dim] for dim in dims)
        for of, dims in ((one, in_both), (one, in_one), (other, in_other), (one, summed))
    ]
    order = (*in_both, *in_one, *summed, *in_other)
    lengths = (
        *[one._size[dim] for dim in (*in_both, *in_one)], *[1] * len(summed), *[other._size[dim] for dim in in_other],
    )  # fmt: skip
    one = one.permute(order).reshape((batch, rows, length))
    other = other.permute((*in_both, *summed, *in_other, *in_one)).reshape((batch, length, columns))
    product: Tensor = one.bmm(other).view(lengths).permute(tuple([order.index(dim) for dim in range(len(order))]))
    return product


# --- reading an equation ---------------------------------------------------------------------------------------------

NOTEBOOK = "2/10 Linear algebra and einsum"

ELLIPSIS = "..."
Labels = list[str]  #: letters and, at most once, ELLIPSIS


def read_call(args: Sequence[Any]) -> tuple[str, list[Tensor]]:
    """The equation and the operands, from either form of the call."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, "
            "or at least one operand and its subscripts list"
        )
    if isinstance(args[0], Tensor):
        sides = [_spelled(sublist) for sublist in args[1::2]]
        equation = ",".join(sides)
        operands = list(args[::2])
        if len(args) % 2:  # the last list is the result's
            equation, operands = f"{equation}->{_spelled(args[-1])}", operands[:-1]
        all_tensors(operands, at=1)
        return equation, operands
    equation, *operands = args
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type_name(equation)}")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    all_tensors(operands, at=1)
    return equation, operands


def _spelled(subscripts: Sequence[Any]) -> str:
    """A list of numbers as letters."""
    text = ""
    for number in subscripts:
        if number is Ellipsis:
            text += ELLIPSIS
        elif 0 <= number < len(ascii_letters):
            text += (ascii_uppercase + ascii_lowercase)[number]
        else:
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return text


def _labels(text: str, what: str, equation: str) -> Labels:
    """The letters of one operand, or of the result."""
    labels: Labels = []
    while text:
        if text[0] == ".":
            if ELLIPSIS in labels:
                raise RuntimeError(f"einsum(): found '.' for {what} for which an ellipsis was already found")
            if not text.startswith(ELLIPSIS):
                raise RuntimeError(f"einsum(): found '.' for {what} that is not part of any ellipsis")
            labels.append(ELLIPSIS)
            text = text.removeprefix(ELLIPSIS)
            continue
        letter, text = text[0], text[1:]
        if letter not in ascii_letters:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {equation.index(letter)} in the equation string, "
                "subscripts must be in [a-zA-Z]"
            )
        labels.append(letter)
    return labels


def _output_labels(text: str, counts: dict[str, int], equation: str) -> Labels:
    """The letters of the result."""
    labels = _labels(text, "output", equation)
    for letter in labels:
        if labels.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter != ELLIPSIS and letter not in counts:
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )
    return labels


def ellipsis_width(labels: Labels, operand: Tensor, place: int) -> int:
    """How many dimensions the ellipsis of an operand stands for."""
    letters, ndim = len(labels) - labels.count(ELLIPSIS), len(operand._size)
    if ELLIPSIS not in labels and letters != ndim:
        raise explained(
            RuntimeError(
                f"einsum(): the number of subscripts in the equation ({letters}) does not match the number of "
                f"dimensions ({ndim}) for operand {place} and no ellipsis was given"
            ),
            "Each dimension has a letter of its own; ... stands for as many as there are.",
            notebook=NOTEBOOK,
        )
    if letters > ndim:
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({letters}) is more than the number of dimensions "
            f"({ndim}) for operand {place}"
        )
    return ndim - letters
