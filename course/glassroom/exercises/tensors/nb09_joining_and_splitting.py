"""Exercises of notebook 09 of part 2: which dimension a join makes longer, and which parts are views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, every_slot, expect, expect_tensor, expect_value, expect_view, names_read
from glassroom.exercises.facts import is_tensor, nbytes, same_value, shape, values

IMAGES = """
images = [torch.tensor([[1, 2], [3, 4]]), torch.tensor([[5, 6], [7, 8]]), torch.tensor([[9, 10], [11, 12]])]
"""


@exercise(
    "t09-images",
    setup=IMAGES,
    hints=[
        "stack makes a new dimension; cat makes an existing one longer.",
        "The batch has one more dimension than a picture. The strip is longer along dimension 1, the columns.",
        """
        batch = torch.stack(…)
        strip = torch.cat(…, dim=…)
        """,
        """
        batch = torch.stack(images)
        strip = torch.cat(images, dim=1)
        """,
    ],
)
def images(batch: Any, strip: Any, *, images: Sequence[Any]) -> str:
    pictures = [values(picture) for picture in images]
    expect(
        not is_tensor(batch) or shape(batch) != (6, 2),
        "`batch` has size (6, 2): cat added rows. A batch has one more dimension than a picture, and stack makes it.",
    )
    expect(
        not is_tensor(batch) or shape(batch) not in ((2, 3, 2), (2, 2, 3)),
        f"`batch` has size {shape(batch) if is_tensor(batch) else ()}: the new dimension, of 3, does not come first, "
        "so `batch[i]` is not a picture.",
    )
    expect_tensor(batch, "batch", shape=(3, 2, 2))
    expect(
        same_value(values(batch[0]), pictures[0]),
        "`batch[0]` is not the first picture. Where does `stack` put the new dimension?",
    )
    expect_value(batch, "batch", pictures)
    expect_tensor(strip, "strip")
    expect(
        shape(strip) != (6, 2),
        "`strip` has size (6, 2): the pictures stand on top of each other. Side by side they are more columns, "
        "dimension 1.",
    )
    expect_tensor(strip, "strip", shape=(2, 6))
    expect(
        same_value(values(strip)[0], [row for picture in pictures for row in picture[0]]),
        f"The first row of `strip` is {values(strip)[0]}: it should be the first rows of all three pictures. A view of "
        "the batch cannot do that, as it keeps the order of the storage.",
    )
    expect_value(strip, "strip", [[n for picture in pictures for n in picture[row]] for row in (0, 1)])
    return "A new dimension for the batch, and more columns for the strip."


@exercise(
    "t09-zip",
    setup="p = torch.tensor([1, 2, 3])\nq = torch.tensor([10, 20, 30])",
    hints=[
        "A pair for each index; then the pairs one after another.",
        "stack with the new dimension *last* has size (3, 2): its rows are the pairs.",
        "zipped = torch.stack([p, q], dim=…).view(…)",
        "zipped = torch.stack([p, q], dim=1).view(-1)",
    ],
)
def zipped(zipped: Any, *, p: Any, q: Any) -> str:
    pairs = [list(pair) for pair in zip(values(p), values(q), strict=True)]
    expect(
        not same_value(values(zipped), values(p) + values(q)),
        "`zipped` has first all of `p`, then all of `q`. Each number of `p` should be followed by its partner from "
        "`q`: make pairs first, along a new dimension that comes last.",
    )
    expect(not same_value(values(zipped), pairs), "The pairs are right. Now view them as one dimension.")
    expect_tensor(zipped, "zipped", shape=(6,), value=[n for pair in pairs for n in pair])
    read = names_read("zipped")
    expect(
        not read or (read["p"] > 1 and read["q"] > 1),  # the check itself reads each once
        "the numbers are right, but typed by hand. Make them of `p` and `q`.",
    )
    return "Each number of `p` is followed by its partner from `q`."


@exercise(
    "t09-three",
    setup="mixed = torch.arange(72).view(2, 4, 9)",
    hints=[
        "Splitting gives views. Which dimension holds the three things?",
        "chunk takes the number of pieces, split their size; the last dimension is number -1.",
        "query, key, value = mixed.chunk(…, dim=…)",
        "query, key, value = mixed.chunk(3, dim=-1)",
    ],
)
def three(query: Any, key: Any, value: Any, *, mixed: Any) -> str:
    pieces = {"query": query, "key": key, "value": value}
    for name, piece in pieces.items():
        expect_tensor(piece, name, shape=(2, 4, 3))
    folded = mixed.reshape(3, 2, 4, 3)
    expect(
        not all(
            same_value(values(piece), values(part))
            for piece, part in zip(pieces.values(), folded.unbind(), strict=True)
        ),
        "The sizes are right, but the numbers are mixed up: `view` keeps the order of the storage, in which the three "
        "lie side by side in *every* row of nine.",
    )
    expect(
        not same_value(values(query), values(mixed[..., ::3])),
        "`query` has every third number. The three lie side by side: its numbers are the first three.",
    )
    because = "A piece of a split is a view; no clone is needed."
    with every_slot() as slot:
        for number, (name, piece) in enumerate(pieces.items()):
            with slot(name):
                expect_value(piece, name, mixed[..., 3 * number : 3 * number + 3])
                expect_view(piece, name, of=mixed, of_name="mixed", because=because)
    return "Three headers over one storage, at the offsets 0, 3 and 6."


@exercise(
    "t09-whole",
    hints=[
        "The pieces of a split are views: what is written into them is written into the whole.",
        "empty(2, 6) makes the memory, split([2, 4], dim=1) the parts, fill_ writes in place.",
        """
        def in_parts():
            whole = torch.empty(2, 6)
            left, right = whole.split([…, …], dim=…)
            left.fill_(1)
            …
            return whole, left, right
        """,
        """
        def in_parts():
            whole = torch.empty(2, 6)
            left, right = whole.split([2, 4], dim=1)
            left.fill_(1)
            right.fill_(2)
            return whole, left, right
        """,
    ],
)
def whole(in_parts: Callable[[], Any]) -> str:
    for turn in ("what stays in the memory that is given back", "the one that is judged"):
        with account() as kept:
            parts = call(in_parts, "in_parts")
        expect(
            isinstance(parts, (tuple, list)) and len(parts) == 3 and all(map(is_tensor, parts)),
            "`in_parts()` should return three tensors: the whole, and its two parts.",
        )
        whole, left, right = parts
        if turn.startswith("what"):  # what empty makes next may hold these numbers
            whole.fill_(-1)
            del parts, whole, left, right
    expect_tensor(whole, "whole", shape=(2, 6), dtype="float32")
    joined = "It was joined: the whole was made after its parts. Make it first, and split it."
    for name, part, width in (("left", left, 2), ("right", right, 4)):
        expect_tensor(part, name, shape=(2, width))
        right_values = same_value(values(whole), [[1.0, 1.0, 2.0, 2.0, 2.0, 2.0]] * 2)
        expect_view(part, name, of=whole, of_name="whole", because=joined if right_values else "Write with fill_.")
    expect_value(left, "left", [[1.0] * 2] * 2)
    expect_value(right, "right", [[2.0] * 4] * 2)
    expect_value(whole, "whole", [[1.0, 1.0, 2.0, 2.0, 2.0, 2.0]] * 2)
    allocated = sum(kept.allocations)
    expect(
        allocated < 2 * nbytes(whole),
        f"everything is there, and {allocated} bytes were allocated for the {nbytes(whole)} of `whole`: the parts were "
        "made on their own, and then copied. Make the whole first, and write into its views.",
    )
    return "`left` and `right` are views of `whole`: what you write into a part is already in the whole."


@exercise(
    "t09-large",
    setup="small = torch.tensor([[1, 2], [3, 4]])",
    hints=[
        "Each element comes twice before the next one, in both directions.",
        "repeat_interleave(2, dim=0) doubles each row. Then the same for the columns.",
        "large = small.repeat_interleave(…, dim=0).repeat_interleave(…, dim=…)",
        "large = small.repeat_interleave(2, dim=0).repeat_interleave(2, dim=1)",
    ],
)
def large(large: Any, *, small: Any) -> str:
    expect_tensor(large, "large")
    expect(
        shape(large) not in ((4, 2), (2, 4)),
        f"`large` has shape {shape(large)}: it grew in one direction. Do the same along the other dimension.",
    )
    expect(
        len(shape(large)) != 1,
        "`large` has lost its rows: without `dim`, repeat_interleave goes through all elements.",
    )
    expect_tensor(large, "large", shape=(4, 4))
    expect(
        not same_value(values(large), values(small.repeat(2, 2))),
        "`large` shows the picture four times, side by side. Here each *pixel* should be repeated.",
    )
    expect(
        not same_value(values(large), values(small.flatten()[:, None].expand(4, 4))),
        "each pixel became a whole row: a pixel that is repeated four times in a row fills 1 by 4. A square of 2 by 2 "
        "takes 2 along each dimension.",
    )
    expect_value(large, "large", small[:, None, :, None].expand(2, 2, 2, 2).reshape(4, 4))
    return "Each pixel is a square of four now: the picture, enlarged."


@exercise(
    "t09-places",
    setup="""
    rows = torch.tensor([0, 1])
    columns = torch.tensor([0, 1, 2])
    row_of, column_of = torch.meshgrid(rows, columns, indexing="ij")
    """,
    hints=[
        "Two tables of size (2, 3) become one of size (2, 3, 2): a new dimension, at the end.",
        "stack, with dim=-1: then the two indices of a cell lie next to each other.",
        "indices = torch.stack([row_of, …], dim=…)",
        "indices = torch.stack([row_of, column_of], dim=-1)",
    ],
)
def indices(indices: Any, *, rows: Any, columns: Any) -> str:
    expect_tensor(indices, "indices")
    expect(
        shape(indices) != (2, 2, 3),
        "`indices` has size (2, 2, 3): the new dimension is not the last one, so `indices[i, j]` is not a pair.",
    )
    expect(
        shape(indices) != (3, 2, 2),
        '`indices` has size (3, 2, 2): the columns come first. With indexing="ij" the first argument of meshgrid goes '
        'down the rows; with "xy" the sizes are swapped.',
    )
    expect(
        shape(indices) != (2, 6),
        "`indices` has size (2, 6): `cat` made the rows longer. A pair for each place needs a new dimension.",
    )
    expect(
        shape(indices) != (6, 2),
        "The pairs are there, in one long list. View it as the grid: (2, 3, 2).",
    )
    wanted = [[[i, j] for j in values(columns)] for i in values(rows)]
    expect_tensor(indices, "indices", shape=(2, 3, 2))
    expect(
        not same_value(values(indices), [[pair[::-1] for pair in row] for row in wanted]),
        "Each pair has the column first. `indices[i, j]` should hold `i`, then `j`.",
    )
    expect_value(indices, "indices", wanted)
    return "Every pair has memory of its own now. What meshgrid gave had memory for the rows and the columns alone."
