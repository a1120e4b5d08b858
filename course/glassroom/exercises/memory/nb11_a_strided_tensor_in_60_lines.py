"""Exercises of notebook 11: the arithmetic of a strided tensor, written by the learner and held against a library's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from math import prod
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_equal, run


@exercise(
    "11-cell",
    setup="samples = [torch.arange(24).view(2, 3, 4), torch.arange(12).view(3, 4).t()[1:]]",
    hints=[
        "One step along a dimension is its stride in cells, and the walk begins at the offset.",
        "Multiply each index by the stride of the same dimension, and add all of it to the offset.",
        """
        def cell(index, stride, offset):
            return offset + sum(… for i, step in zip(index, stride))
        """,
        """
        def cell(index, stride, offset):
            return offset + sum(i * step for i, step in zip(index, stride))
        """,
    ],
)
def cell(cell: Callable[..., Any], *, samples: Sequence[Any]) -> str:
    for tensor in samples:
        stride, offset = tuple(tensor.stride()), tensor.storage_offset()
        for index in product(*map(range, tensor.shape)):
            wanted = tensor[index].storage_offset()
            mistakes = {
                offset + sum(index): "That counts every step as one cell. A step along a dimension is its stride.",
                wanted - offset: "That leaves out the offset, where the walk begins.",
            }
            returned = call(cell, "cell", index, stride, offset)
            expect_equal(returned, f"cell({index}, {stride}, {offset})", wanted, mistakes)
    expect_equal(call(cell, "cell", (), (), 5), "cell((), (), 5)", 5)
    return "The cell is the offset plus each index times its stride: that finds every element of every tensor."


@exercise(
    "11-stride",
    setup="samples = [torch.zeros(size) for size in [(5,), (3, 4), (2, 3, 4), (2, 1, 4), (2, 0, 3), ()]]",
    hints=[
        "The last dimension has stride 1. Each other one steps over all elements of the dimensions to its right.",
        "Go through the sizes from the last to the first, and multiply as you go; collect the product before each.",
        """
        def contiguous_stride(size):
            stride, step = [], 1
            for length in reversed(size):
                stride.append(step)
                step *= …
            return tuple(reversed(stride))
        """,
        """
        def contiguous_stride(size):
            stride, step = [], 1
            for length in reversed(size):
                stride.append(step)
                step *= max(length, 1)
            return tuple(reversed(stride))
        """,
    ],
)
def contiguous_stride(contiguous_stride: Callable[..., Any], *, samples: Sequence[Any]) -> str:
    for tensor in samples:
        size, wanted = tuple(tensor.shape), tuple(tensor.stride())
        returned = call(contiguous_stride, "contiguous_stride", size)
        by_zero = tuple(prod(size[dim + 1 :]) for dim in range(len(size)))
        first_fastest = tuple(prod(size[:dim]) for dim in range(len(size)))
        mistakes = {
            first_fastest: "There the first dimension is the closest-packed: that is how Fortran lays it out. Here the "
            "last one has stride 1.",
            by_zero: "A dimension of size 0 counts as if it had size 1.",
            wanted[::-1]: "These are the right numbers in reverse order: the last dimension has stride 1.",
            size: "These are the sizes. A stride is the product of the sizes to its right.",
        }
        expect(isinstance(returned, tuple), "`contiguous_stride` should return a tuple, as `tensor.stride()` does.")
        expect_equal(returned, f"contiguous_stride({size})", wanted, mistakes)
    return "Each stride is the product of the sizes to its right, and an empty dimension counts as 1."


@exercise(
    "11-index",
    setup="sample = torch.arange(60).view(3, 4, 5)",
    hints=[
        "An integer leaves the dimension out; a slice keeps it with another size and a longer stride. Both move the "
        "offset.",
        "chosen = range(size[dim])[part] is an integer or a range: chosen.start, chosen.step and len(chosen) are all "
        "that a slice needs.",
        """
        def indexed(size, stride, offset, dim, part):
            chosen = range(size[dim])[part]
            if isinstance(part, int):
                others = size[:dim] + size[dim + 1:], stride[:dim] + stride[dim + 1:]
                return *others, …
            new_size = size[:dim] + (len(chosen),) + size[dim + 1:]
            new_stride = stride[:dim] + (…,) + stride[dim + 1:]
            return new_size, new_stride, …
        """,
        """
        def indexed(size, stride, offset, dim, part):
            chosen = range(size[dim])[part]
            if isinstance(part, int):
                others = size[:dim] + size[dim + 1:], stride[:dim] + stride[dim + 1:]
                return *others, offset + chosen * stride[dim]
            new_size = size[:dim] + (len(chosen),) + size[dim + 1:]
            new_stride = stride[:dim] + (stride[dim] * chosen.step,) + stride[dim + 1:]
            return new_size, new_stride, offset + chosen.start * stride[dim]
        """,
    ],
)
def indexed(indexed: Callable[..., Any], *, sample: Any) -> str:
    whole = slice(None)
    parts: list[int | slice] = [
        0,
        2,
        -1,
        whole,
        slice(1, None),
        slice(None, 2),
        slice(None, None, 2),
        slice(1, 3),
        slice(-2, None),
    ]
    for tensor in (sample, sample.permute(2, 0, 1), sample[1:, 1:]):
        size, stride, offset = tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()
        for dim, part in product(range(3), parts):
            if isinstance(part, int) and part >= size[dim]:
                continue
            view = tensor[(whole,) * dim + (part,)]
            returned = call(indexed, "indexed", size, stride, offset, dim, part)
            expect(
                isinstance(returned, tuple) and len(returned) == 3,
                "`indexed` should return three things: the size, the stride and the offset.",
            )
            asked = f"{_told(part)} in dimension {dim} of size {size}, stride {stride}, offset {offset}"
            facts = (("size", tuple(view.shape)), ("stride", tuple(view.stride())), ("offset", view.storage_offset()))
            for (name, wanted), mine in zip(facts, returned, strict=True):
                expect_equal(mine, f"the {name} for {asked}", wanted, _slips(name, wanted, part, offset, stride, dim))
    expect(
        _raises_index_error(indexed, sample),
        "There is no element 3 in a dimension of size 3: an `IndexError` should say so. `range(3)[3]` raises it.",
    )
    return "An integer moves the offset and drops the dimension; a slice moves the offset and stretches the stride."


def _slips(name: str, wanted: Any, part: int | slice, offset: int, stride: tuple[int, ...], dim: int) -> dict[Any, str]:
    if name == "offset":
        slips = {offset + (wanted - offset) // stride[dim]: "That moves by elements. One step is a stride, in cells."}
        slips[wanted - offset] = "That forgets the offset that the tensor already had."
        slips[offset] = "The offset has to move to the first element that is wanted."
        slips.pop(wanted, None)
        return slips
    if name == "stride" and isinstance(part, slice) and part.step is not None:
        return {stride: "With a step of 2, neighbors in the slice are two strides apart."}
    return {}


def _told(part: int | slice) -> str:
    if isinstance(part, int):
        return str(part)
    first, last = ("" if bound is None else bound for bound in (part.start, part.stop))
    return f"{first}:{last}" + ("" if part.step is None else f":{part.step}")


def _raises_index_error(function: Callable[..., Any], sample: Any) -> bool:
    try:
        function(tuple(sample.shape), tuple(sample.stride()), 0, 0, 3)
    except IndexError:
        return True
    except Exception:
        return False
    return False


@exercise(
    "11-runs",
    setup="""
    x = torch.arange(24).view(2, 3, 4)
    samples = [x, x[:, :, :2], x.transpose(0, 1), x.permute(2, 0, 1), x[:, :1], x[0, 0, :1]]
    """,
    hints=[
        "Walk through the dimensions from the first to the last, and ask of each whether it merges with the run before "
        "it.",
        "It merges if the step of the run so far is this dimension's step times its length. Then the run grows longer, "
        "and takes over this dimension's step.",
        """
        def runs(size, stride):
            found = []
            for length, step in zip(size, stride):
                if length == 1:
                    continue
                if found and found[-1][1] == …:
                    found[-1] = (found[-1][0] * length, step)
                else:
                    found.append((length, step))
            return found
        """,
        """
        def runs(size, stride):
            found = []
            for length, step in zip(size, stride):
                if length == 1:
                    continue
                if found and found[-1][1] == step * length:
                    found[-1] = (found[-1][0] * length, step)
                else:
                    found.append((length, step))
            return found
        """,
    ],
)
def runs(runs: Callable[..., Any], *, samples: Sequence[Any]) -> str:
    for tensor in samples:
        size, stride = tuple(tensor.shape), tuple(tensor.stride())
        returned = call(runs, "runs", size, stride)
        asked = f"runs({size}, {stride})"
        expect(
            isinstance(returned, (list, tuple))
            and all(isinstance(run, (list, tuple)) and len(run) == 2 for run in returned),
            f"`{asked}` should be a list of pairs `(length, step)`.",
        )
        returned = [tuple(run) for run in returned]
        expect(
            all(length != 1 for length, _ in returned),
            f"In `{asked}` there is a run of length 1. Leave out dimensions of size 1: nobody ever steps along them.",
        )
        expect(
            all(outer[1] != inner[1] * inner[0] for outer, inner in pairwise(returned)),
            f"`{asked}` gives {returned}: two neighbors there still merge, because one step along the first "
            "takes you as "
            "far as a walk along the whole of the second.",
        )
        expect(
            prod(length for length, _ in returned) == tensor.numel(),
            f"`{asked}` gives {returned}. The lengths should multiply to the number of elements, {tensor.numel()}.",
        )
        reached = {sum(i * step for i, (_, step) in zip(index, returned, strict=True)) for index in _indices(returned)}
        expect(
            reached == {tensor[index].storage_offset() - tensor.storage_offset() for index in _indices_of(tensor)},
            f"`{asked}` gives {returned}, which leads to other cells than the tensor. A run keeps the step of its last "
            "dimension.",
        )
    expect_equal(len(call(runs, "runs", (), ())), "the number of runs of a tensor without dimensions", 0)
    return "Dimensions that merge are one run, however many they are: a contiguous tensor is a single run."


def _indices(runs: Sequence[tuple[Any, ...]]) -> Any:
    return product(*(range(length) for length, _ in runs))


def _indices_of(tensor: Any) -> Any:
    return product(*map(range, tensor.shape))


@exercise(
    "11-expand",
    setup="samples = [torch.arange(3), torch.arange(3).view(3, 1), torch.ones(1, 4)]",
    hints=[
        "A stride of 0 stays where it is, however many steps are taken.",
        "New dimensions in front have stride 0. Of the others, those that keep their size keep their stride, and those "
        "of size 1 that grow get 0.",
        """
        def expanded_stride(size, stride, new_size):
            front = len(new_size) - len(size)
            found = [0] * front
            for length, step, new in zip(size, stride, new_size[front:]):
                …
            return tuple(found)
        """,
        """
        def expanded_stride(size, stride, new_size):
            front = len(new_size) - len(size)
            found = [0] * front
            for length, step, new in zip(size, stride, new_size[front:]):
                if length == new:
                    found.append(step)
                elif length == 1:
                    found.append(0)
                else:
                    raise RuntimeError(f"size {length} cannot become {new}")
            return tuple(found)
        """,
    ],
)
def expanded_stride(expanded_stride: Callable[..., Any], *, samples: Sequence[Any]) -> str:
    for tensor in samples:
        size, stride = tuple(tensor.shape), tuple(tensor.stride())
        grown = tuple(5 if length == 1 else length for length in size)
        for new_size in (size, grown, (2, *size), (2, 2, *grown)):
            wanted = tuple(tensor.expand(new_size).stride())
            returned = call(expanded_stride, "expanded_stride", size, stride, new_size)
            asked = f"expanded_stride({size}, {stride}, {new_size})"
            expect(isinstance(returned, tuple), f"`{asked}` should be a tuple, as `tensor.stride()` is.")
            expect(
                len(returned) == len(new_size),
                f"`{asked}` is {returned}, of length {len(returned)}. "
                f"There is a stride for each of {len(new_size)} sizes.",
            )
            for dim, (mine, right) in enumerate(zip(returned, wanted, strict=True)):
                expect(
                    mine == right or right != 0,
                    f"`{asked}` is {returned}. Dimension {dim} is new or has grown: with a stride of {mine} its steps "
                    "lead somewhere else. A stride of 0 stays.",
                )
            expect_equal(returned, asked, wanted)
    try:
        run(expanded_stride, "expanded_stride", (3,), (1,), (4,))
    except Exception as error:
        is_refused = "RuntimeError" in str(error)
    else:
        is_refused = False
    expect(is_refused, "A size of 3 cannot become 4: only a dimension of size 1 can grow. Raise a `RuntimeError`.")
    return "A stride of 0 makes one element serve a whole dimension, and no number is copied."
