"""Exercises of notebook 10: what is held, and a budget to keep to.

Two of them measure: they run the learner's function under an account of what it allocates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    call_writing,
    expect,
    expect_equal,
    expect_near,
    expect_tensor,
    expect_value,
)
from glassroom.exercises.facts import is_tensor, nbytes, shape, share_memory, values

BUDGET = 200_000


@exercise(
    "10-held",
    setup="""
    row = torch.zeros(1000)
    table = row.expand(1000, 1000)
    piece = row[:3]
    """,
    hints=[
        "What takes memory is storages, not tensors, and several tensors may share one.",
        "untyped_storage() has nbytes(), and data_ptr() tells two storages apart. A dict forgets duplicates.",
        """
        def bytes_held(tensors):
            storages = [tensor.untyped_storage() for tensor in tensors]
            return sum({storage.data_ptr(): … for storage in storages}.values())
        """,
        """
        def bytes_held(tensors):
            storages = [tensor.untyped_storage() for tensor in tensors]
            return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())
        """,
    ],
)
def held(bytes_held: Callable[[Any], Any], *, row: Any, piece: Any, table: Any) -> str:
    spoken_of = "That is what the header describes. Ask the storage what is held."
    twice = "That counts a storage twice: they are all on the same one."
    other = row.clone()
    apart = f"{twice} They begin at different cells of it."
    cases = [
        ("bytes_held([piece])", [piece], 4000, {12: spoken_of}),
        ("bytes_held([table])", [table], 4000, {4_000_000: spoken_of}),
        ("bytes_held([row, piece, table])", [row, piece, table], 4000, {12_000: twice, 4_004_012: spoken_of}),
        ("bytes_held([row, a clone of it])", [row, other], 8000, {4000: "A clone has a storage of its own."}),
        ("bytes_held([row[:3], row[5:]])", [row[:3], row[5:]], 4000, {8000: apart}),
        ("bytes_held([])", [], 0, {}),
    ]
    for name, tensors, expected, mistakes in cases:
        expect_equal(call(bytes_held, "bytes_held", tensors), name, expected, mistakes=mistakes)
    return "Each storage counts once, and with all its bytes."


@exercise(
    "10-lean",
    setup="""
    frames = torch.randint(0, 256, (16, 64, 64, 3), dtype=torch.uint8)

    def prepare(frames):
        x = frames.to(torch.float64)
        x = x / 255
        x = x - 0.5
        x = x.permute(0, 3, 1, 2).contiguous()
        x = x[:, :, 16:48, 16:48].clone()
        return x.reshape(16, -1)
    """,
    hints=[
        "Views first, because they are free; then one copy that converts and puts in order; then arithmetic in place.",
        "Crop and permute the bytes, make an empty float32 tensor of that shape, and copy_ into it.",
        """
        def lean(frames):
            crop = frames[:, 16:48, 16:48].permute(…)
            x = torch.empty(crop.shape)
            x.copy_(…)
            x.div_(255).…
            return x.view(len(frames), -1)
        """,
        """
        def lean(frames):
            crop = frames[:, 16:48, 16:48].permute(0, 3, 1, 2)
            x = torch.empty(crop.shape)
            x.copy_(crop)
            x.div_(255).sub_(0.5)
            return x.view(len(frames), -1)
        """,
    ],
)
def lean(lean: Callable[[Any], Any], *, frames: Any, prepare: Callable[[Any], Any]) -> str:
    expected = prepare(frames)
    camera = frames.clone()
    with account() as kept:
        told = "the call changed the frames: an in-place step reached them through a view."
        result = call(lean, "lean", camera, written=told)
    expect_tensor(result, "the result", shape=(16, 3072), dtype="float32")
    told = "the values are not those of `prepare`. Crop height and width, channels first, / 255, - 0.5."
    expect_near(result, "result", expected, 1e-5, told)
    other = frames.flip(0) // 2
    returned = call(lean, "lean", other)
    expect_tensor(returned, "lean(other frames)", shape=shape(expected))
    expect_value(returned[:, ::500], "lean(other frames)[:, ::500]", values(prepare(other)[:, ::500]))
    expect(
        sum(kept.allocations) <= BUDGET,
        f"the values are right, but {sum(kept.allocations):,} bytes were allocated in {len(kept.allocations)} "
        f"storages; the budget is {BUDGET:,}. Which step makes a tensor that is used only once?",
    )
    return f"{sum(kept.allocations):,} bytes were allocated: hardly more than the result itself needs."


@exercise(
    "10-into",
    setup="""
    signal = torch.ones(1000)
    place = torch.empty(1000)
    """,
    hints=[
        "An operator with out= writes its result into a tensor that exists.",
        "First the product into out, with torch.mul; then add 1 to out in place.",
        """
        def scaled_into(x, out):
            torch.mul(x, 2, out=…)
            return out.…
        """,
        """
        def scaled_into(x, out):
            torch.mul(x, 2, out=out)
            return out.add_(1)
        """,
    ],
)
def into(scaled_into: Callable[[Any, Any], Any], *, signal: Any, place: Any) -> str:
    before = values(signal)
    with account() as kept:
        result = call_writing(scaled_into, "scaled_into", signal, place)
    expect(values(signal) == before, "the call changed `x`; only `out` should be written to.")
    expect_tensor(result, "the result", shape=(1000,))
    expect(share_memory(result, place), "the result is not `out`, but a tensor with a storage of its own.")
    expect_value(result, "the result", signal * 2 + 1)
    expect(
        not sum(kept.allocations),
        f"the values arrived in `out`, but {sum(kept.allocations):,} bytes were allocated on the way. "
        "Each operator without out= and without an underscore makes a tensor.",
    )
    return "Everything was written into `out`, and nothing was allocated."


@exercise(
    "10-corners",
    setup="""
    def frame(number):
        return torch.full((64, 64, 3), number, dtype=torch.uint8)
    """,
    hints=[
        "A slice is on the storage of its whole frame. What you keep needs a storage of its own.",
        "The line above needs only one more call, after the slice.",
        "small_corners = [frame(number)[:2, :2].… for number in range(100)]",
        "small_corners = [frame(number)[:2, :2].clone() for number in range(100)]",
    ],
)
def corners(small_corners: Any) -> str:
    expect(
        is_tensor(small_corners) or isinstance(small_corners, (list, tuple)),
        "`small_corners` should be a list of tensors.",
    )
    expect(len(small_corners) == 100, f"`small_corners` has {len(small_corners)} corners; it should have 100.")
    for number, corner in enumerate(small_corners):
        name = f"small_corners[{number}]"
        expect_tensor(corner, name, dtype="uint8")
        expect_value(corner, name, [[[number] * 3] * 2] * 2)
        held_bytes = nbytes(corner.untyped_storage())
        expect(
            held_bytes < 64 * 64 * 3,
            f"`{name}` has 12 bytes and holds {held_bytes:,}: it is on the storage of its whole frame.",
        )
    storages = {corner.untyped_storage().data_ptr(): corner.untyped_storage() for corner in small_corners}
    together = sum(map(nbytes, storages.values()))
    expect(together == 1200, f"the corners hold {together:,} bytes together; their own elements take 1,200.")
    return "Twelve bytes for each corner, and the frames are gone."
