"""What `einsum` is called with: an equation, or numbers in place of its letters, read into labels; and its refusals."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any

from tensorglass.core.errors import explained
from tensorglass.ops.arg_parser.checks import all_tensors, type_name
from tensorglass.tensor.tensor import Tensor

NOTEBOOK = "08 linear algebra and einsum"

ELLIPSIS = "..."
Labels = list[str]  #: letters and, at most once, ELLIPSIS


def read_call(args: Sequence[Any]) -> tuple[str, list[Tensor]]:
    """The equation and the operands, in whichever way they were given."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, "
            "or at least one operand and its subscripts list"
        )
    if isinstance(args[0], Tensor):
        sides = [_spelled(each) for each in args[1::2]]
        equation = ",".join(sides)
        operands = list(args[::2])
        if len(args) % 2:  # the last is the list of the result's
            equation, operands = f"{equation}->{_spelled(args[-1])}", operands[:-1]
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
    found = ""
    for number in subscripts:
        if number is Ellipsis:
            found += ELLIPSIS
        elif 0 <= number < len(ascii_letters):
            found += (ascii_uppercase + ascii_lowercase)[number]
        else:
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return found


def operand_labels(text: str, place: int, equation: str) -> Labels:
    """The letters of one operand."""
    found: Labels = []
    rest = text
    while rest:
        if rest[0] == ".":
            if ELLIPSIS in found:
                raise RuntimeError(f"einsum(): found '.' for operand {place} for which an ellipsis was already found")
            if not rest.startswith(ELLIPSIS):
                raise RuntimeError(f"einsum(): found '.' for operand {place} that is not part of any ellipsis")
            found.append(ELLIPSIS)
            rest = rest.removeprefix(ELLIPSIS)
            continue
        _check_letter(rest[0], equation)
        found.append(rest[0])
        rest = rest[1:]
    return found


def _check_letter(letter: str, equation: str) -> None:
    if letter not in ascii_letters:
        raise RuntimeError(
            f"einsum(): invalid subscript given at index {equation.index(letter)} in the equation string, subscripts "
            "must be in [a-zA-Z]"
        )


def output_labels(text: str, counts: dict[str, int], equation: str) -> Labels:
    """The letters of the result."""
    found: Labels = []
    rest = text
    while rest:
        if rest[0] == ".":
            if ELLIPSIS in found:
                raise RuntimeError("einsum(): found '.' for output but an ellipsis (...) was already found")
            if not rest.startswith(ELLIPSIS):
                raise RuntimeError("einsum(): found '.' for output that is not part of any ellipsis (...)")
            found.append(ELLIPSIS)
            rest = rest.removeprefix(ELLIPSIS)
            continue
        letter, rest = rest[0], rest[1:]
        _check_letter(letter, equation)
        if letter in found:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter not in counts:
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )
        found.append(letter)
    return found


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
