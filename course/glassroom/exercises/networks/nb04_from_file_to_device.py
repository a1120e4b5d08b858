"""Exercises of notebook 04 of part 5: datasets, orders and batches, what waits in flight, and what travels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    every_slot,
    expect,
    expect_device,
    expect_equal,
    expect_tensor,
    expect_value,
)
from glassroom.exercises.facts import dtype_name, is_tensor, same_value, shape, values

DIGITS = """
from glassroom import course_device
from tensorglass import transfers
device = course_device(torch)
raw = (torch.arange(100 * 64) % 17).to(torch.uint8).view(100, 8, 8)
labels = torch.arange(100) % 10
"""


@exercise(
    "n04-dataset",
    setup=DIGITS,
    hints=[
        "A dataset keeps what it was given, and makes a sample when it is asked for one.",
        "__init__ keeps the tensors, __len__ is the number of pictures, __getitem__ converts one picture.",
        """
        class Digits:
            def __init__(self, raw, labels):
                self.raw, self.labels = raw, labels

            def __len__(self):
                return …

            def __getitem__(self, i):
                return …, self.labels[i].item()
        """,
        """
        class Digits:
            def __init__(self, raw, labels):
                self.raw, self.labels = raw, labels

            def __len__(self):
                return len(self.raw)

            def __getitem__(self, i):
                return self.raw[i].float() / 16, self.labels[i].item()
        """,
    ],
)
def dataset(Digits: Callable[..., Any], *, raw: Any, labels: Any) -> str:
    pictures, targets = raw[10:16].clone(), labels[10:16].clone()
    before = values(pictures)
    dataset = call(Digits, "Digits", pictures, targets)
    expect(hasattr(type(dataset), "__len__"), "`Digits(raw, labels)` has no length: `__len__` is missing.")
    expect_equal(
        call(lambda: len(dataset), "len(Digits(raw, labels))"),
        "len(Digits(raw, labels)) for six pictures",
        6,
        mistakes={384: "Count pictures, not pixels."},
    )
    expect(hasattr(type(dataset), "__getitem__"), "`Digits(raw, labels)[2]` is not there: `__getitem__` is missing.")
    picture, label = _pair(dataset[2], "Digits(raw, labels)[2]", "a picture and a label")
    name = "the picture of Digits(raw, labels)[2]"
    expect_tensor(picture, name, shape=(8, 8))
    expect(
        dtype_name(picture) == "float32",
        f"{name} has dtype torch.{dtype_name(picture)}; it should be float32. Convert it.",
    )
    expect(
        not same_value(values(picture), values(pictures[2].float())),
        f"{name} still goes from 0 to 16; divide it by 16.",
    )
    expect_value(picture, name, pictures[2].float() / 16)
    expect(
        not is_tensor(label),
        "the label is a tensor. A Python integer was asked for: .item() gives it.",
    )
    expect_equal(label, "the label of Digits(raw, labels)[2]", values(targets)[2])
    expect(values(pictures) == before, "making a sample wrote into `raw`. Make a new tensor of it.")
    pictures[2] = 16 - pictures[2]
    again, _ = _pair(dataset[2], "Digits(raw, labels)[2]", "a picture and a label")
    expect(
        same_value(values(again), values(pictures[2].float() / 16)),
        "the samples are right, but the dataset no longer looks at `raw`: it made a copy of all pictures at once, "
        "which as float32 takes four times the bytes. Convert in __getitem__.",
    )
    return "It holds a byte for each pixel, and 64 floats exist when somebody asks for them."


def _pair(sample: Any, name: str, of: str) -> tuple[Any, Any]:
    expect(
        isinstance(sample, (tuple, list)) and len(sample) == 2,
        f"`{name}` should be a pair, {of}.",
    )
    first, second = sample
    return first, second


@exercise(
    "n04-batches",
    hints=[
        "An order is a tensor of all indices. A batch is a piece of it.",
        "torch.randperm(count) or torch.arange(count); a tensor's split(size) gives pieces, the last perhaps shorter.",
        """
        def batches(count, size, shuffle):
            order = … if shuffle else …
            return list(order.split(…))
        """,
        """
        def batches(count, size, shuffle):
            order = torch.randperm(count) if shuffle else torch.arange(count)
            return list(order.split(size))
        """,
    ],
)
def batches(batches: Callable[..., Any]) -> str:
    for shuffle in (False, True):
        name = f"batches(100, 32, shuffle={shuffle})"
        returned = call(batches, "batches", 100, 32, shuffle)
        expect(isinstance(returned, (list, tuple)), f"`{name}` should be a list of tensors.")
        for number, index in enumerate(returned):
            expect_tensor(index, f"{name}[{number}]", dtype="int64")
            expect(
                len(shape(index)) == 1, f"`{name}[{number}]` has shape {shape(index)}; it should be a row of indices."
            )
        sizes = [len(index) for index in returned]
        expect(
            sizes == [32, 32, 32, 4] or sorted(sizes) != [4, 32, 32, 32],
            "the short batch is not the last one: the batches were shuffled. Shuffle the indices, then split them.",
        )
        expect_equal(
            sizes,
            f"the list of sizes of {name}",
            [32, 32, 32, 4],
            mistakes={
                (4,) * 25: "chunk(32) makes up to 32 pieces; pieces of 32 were asked for. split makes those.",
                (32, 32, 32): "The last four pictures are in no batch.",
                (25, 25, 25, 25): "chunk makes equal pieces; 32 in each was asked for. split does that.",
                (32, 32, 32, 32): "The last batch has pictures that are in another one too, or are not there.",
            },
        )
        flat = [i for index in returned for i in values(index)]
        expect(
            sorted(flat) == list(range(100)),
            f"`{name}` has some indices more than once, and others never. In an order, each comes once.",
        )
        expect(
            shuffle or flat == list(range(100)),
            "without `shuffle`, the indices should come in their order.",
        )
        if shuffle:
            expect(flat != list(range(100)), "with `shuffle`, the indices still come in their order.")
            expect(
                not all(max(index) - min(index) < 32 for index in map(values, returned)),
                "each batch has neighbors, only the batches are shuffled. Shuffle the indices.",
            )
            other = [i for index in call(batches, "batches", 100, 32, True) for i in values(index)]
            expect(flat != other, "two epochs have the same order. Draw it anew, and leave the seed to the caller.")
    few = call(batches, "batches", 7, 3, False)
    expect_equal([values(index) for index in few], "batches(7, 3, shuffle=False)", [[0, 1, 2], [3, 4, 5], [6]])
    return "An order of indices is shuffled; the pictures stay where they are."


@exercise(
    "n04-collate",
    setup=DIGITS,
    hints=[
        "Pictures of the same size become one tensor with one more dimension. Integers become a tensor by "
        "torch.tensor.",
        "zip(*samples) turns a list of pairs into a pair of sequences.",
        """
        def collate(samples):
            pictures, labels = zip(*samples)
            return torch.stack(…), …
        """,
        """
        def collate(samples):
            pictures, labels = zip(*samples)
            return torch.stack(pictures), torch.tensor(labels)
        """,
    ],
)
def collate(collate: Callable[..., Any], *, raw: Any) -> str:
    rows = raw[:3].float() / 16
    samples = [(row, label) for row, label in zip(rows, (7, 0, 2), strict=True)]
    pictures, labels = _pair(call(collate, "collate", samples), "collate(samples)", "the pictures and the labels")
    name = "the first of collate(samples)"
    if is_tensor(pictures) and shape(pictures) == (24, 8):
        expect(
            False, f"{name} has shape (24, 8): cat puts the rows of all pictures below one another. stack keeps them."
        )
    expect_tensor(pictures, name, shape=(3, 8, 8), dtype="float32")
    expect_value(pictures, name, rows)
    name = "the second of collate(samples)"
    expect_tensor(labels, name, shape=(3,), dtype="int64")
    expect_value(labels, name, [7, 0, 2])
    one, _ = _pair(call(collate, "collate", samples[:1]), "collate(samples)", "the pictures and the labels")
    expect_tensor(one, "for one sample, the first of collate(samples)", shape=(1, 8, 8))
    return "Many small tensors become one: this is where a batch is copied."


@exercise(
    "n04-flight",
    hints=[
        "A batch is pictures and labels. How many finished ones may wait, in all workers together?",
        "A float32 has 4 bytes, an int64 has 8. Each worker keeps prefetch_factor batches.",
        """
        batch_bytes = 256 * (3 * 224 * 224 * … + …)
        waiting = … * … * batch_bytes
        """,
        """
        batch_bytes = 256 * (3 * 224 * 224 * 4 + 8)
        waiting = 8 * 4 * batch_bytes
        """,
    ],
)
def flight(batch_bytes: Any, waiting: Any) -> str:
    picture = 3 * 224 * 224 * 4
    one = 256 * (picture + 8)
    with every_slot():
        expect_equal(
            batch_bytes,
            "batch_bytes",
            one,
            mistakes={
                256 * picture: "The labels are missing.",
                256 * picture + 8: "There is a label for each picture.",
                256 * (picture // 4 + 8): "A float32 has four bytes.",
                256 * (picture + 4): "An int64 has eight bytes.",
                picture + 8: "That is one picture; a batch has 256.",
            },
        )
        expect_equal(
            waiting,
            "waiting",
            32 * one,
            mistakes={
                8 * one: "That is one batch a worker. Each keeps four ready.",
                4 * one: "That is one worker.",
                12 * one: "Eight workers with four batches each are 32, not 12.",
                32: "That counts batches; how many bytes are they?",
            },
        )
    return "Workers times batches ahead, and no line of the program shows them."


@exercise(
    "n04-ready",
    setup=DIGITS,
    hints=[
        "A byte travels as a byte. What is computed from it there need not travel.",
        "pictures.to(device) first, then float() and / 16; labels as torch.uint8 on the way, long() on the device.",
        """
        def ready(batch, device):
            pictures, labels = batch
            there = pictures.to(device)…
            return there.view(len(pictures), -1), labels.to(torch.uint8)…
        """,
        """
        def ready(batch, device):
            pictures, labels = batch
            there = pictures.to(device).float() / 16
            return there.view(len(pictures), -1), labels.to(torch.uint8).to(device).long()
        """,
    ],
)
def ready(ready: Callable[..., Any], *, raw: Any, labels: Any, device: str, transfers: Any) -> str:
    count = 10
    batch = raw[5 : 5 + count], labels[5 : 5 + count]
    start = transfers.count()
    result = call(ready, "ready", batch, device)
    traveled = sum(transfer.nbytes for transfer in transfers.since(start))
    pictures, targets = _pair(result, "ready(batch, device)", "the pictures and the labels")
    for tensor, name, size, dtype in (
        (pictures, "the first of ready(batch, device)", (count, 64), "float32"),
        (targets, "the second of ready(batch, device)", (count,), "int64"),
    ):
        expect_tensor(tensor, name, shape=size, dtype=dtype)
        expect_device(tensor, name, device)
    expect_value(pictures, "the first of ready(batch, device)", (batch[0].float() / 16).view(count, 64))
    expect_value(targets, "the second of ready(batch, device)", batch[1])
    shows = {
        count * (256 + 8): "Both were converted on the host. Send bytes, and convert on the device.",
        count * (256 + 1): "The pictures were converted on the host. Send bytes, and convert on the device.",
        count * (64 + 8): "The pictures went as bytes, the labels as int64. They fit into a byte too.",
    }
    least = count * (64 + 1)
    told = shows.get(traveled, f"{least} are enough: a byte for each pixel, and one for each label.")
    expect(traveled <= least, f"the batch is right, but {traveled:,} bytes traveled. {told}")
    return "What travels is what the file had; the device makes floats of it."
