"""Exercises of part 5's capstone: the floor, a batch out of bytes, a step in parts, and an accuracy without a graph."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, every_slot, expect, expect_equal, expect_near, expect_tensor
from glassroom.exercises.facts import is_tensor, text, told_apart

READER = """
nn, F = torch.nn, torch.nn.functional


def new_reader():
    torch.manual_seed(0)
    layers, size = [], 64
    for _ in range(4):
        layers += [nn.Linear(size, 128), nn.ReLU()]
        size = 128
    reader = nn.Sequential(*layers, nn.Linear(128, 10))
    for weight in reader.parameters():
        if weight.dim() == 2:
            nn.init.kaiming_uniform_(weight, nonlinearity="relu")
    return reader


images = (torch.arange(300 * 64) * 7 % 17).to(torch.uint8).view(300, 64)
labels = torch.arange(300) * 3 % 10
"""
_BATCH = """

def batch(images, rows):
    return images[rows].float().div_(8).sub_(1)
"""
PARAMETERS, DATA = 236_584, 129_384
MOST_SAVED = 60_000


@exercise(
    "n12-floor",
    hints=[
        "Parameters, gradients, and what the optimizer keeps; and the data is there all the time.",
        "Adam keeps two numbers for each parameter, momentum one, plain SGD none. And the gradients are one each.",
        """
        adam = 4 * 236_584 + …
        momentum = … * 236_584 + …
        plain = … * 236_584 + …
        """,
        """
        adam = 4 * 236_584 + 129_384
        momentum = 3 * 236_584 + 129_384
        plain = 2 * 236_584 + 129_384
        """,
    ],
)
def floor(adam: Any, momentum: Any, plain: Any) -> str:
    with every_slot():
        for answer, name, times in ((adam, "adam", 4), (momentum, "momentum", 3), (plain, "plain", 2)):
            right = times * PARAMETERS + DATA
            expect_equal(
                answer,
                name,
                right,
                mistakes={
                    right - DATA: "The data is in the same memory.",
                    right - PARAMETERS: "One set of the parameters' size is missing: parameters, gradients, state.",
                    (times - 2) * PARAMETERS: "That is the optimizer's state alone.",
                    (times - 1) * PARAMETERS: "Gradients and data are missing.",
                    right // 4: "These are numbers; a float32 has four bytes.",
                },
            )
    return "With Adam nothing fits, not one image; with momentum there is a little room."


@exercise(
    "n12-batch",
    setup=READER,
    hints=[
        "Choose the rows while they are bytes, and convert what was chosen.",
        "images[rows] copies the rows. float() makes numbers of them; div_ and sub_ need no tensor of their own.",
        """
        def batch(images, rows):
            return images[…].float().…
        """,
        """
        def batch(images, rows):
            return images[rows].float().div_(8).sub_(1)
        """,
    ],
)
def batch(batch: Callable[..., Any], *, images: Any) -> str:
    rows = images.new_tensor([5, 0, 40, 5, 250, *range(100, 127)]).long()
    camera = images.clone()
    with account() as kept:
        result = call(batch, "batch", camera, rows)
    name = "batch(images, rows)"
    expect(bool((camera == images).all()), "`images` has been written to: convert first, then compute in place.")
    expect_tensor(result, name, shape=(32, 64), dtype="float32")
    wanted = images[rows].float() / 8 - 1
    expect(not bool((result == images[rows].float()).all()), f"`{name}` holds 0 to 16: divide by 8, and subtract 1.")
    expect_near(result, name, wanted, 1e-5, f"`{name}` holds other values than images[rows] / 8 - 1.")
    largest, limit = max(kept.allocations, default=0), result.nbytes
    expect(
        largest <= limit,
        f"the values are right, but a tensor of {largest:,} bytes was made on the way: all images, as floats. Choose "
        f"the rows first; the result has {limit:,}.",
    )
    total = limit + limit // 4
    expect(
        sum(kept.allocations) <= total + 512,
        f"the values are right, but {sum(kept.allocations):,} bytes were allocated; the rows as bytes and as floats "
        f"are {total:,}. Compute in place.",
    )
    return "The rows as bytes, then as floats, and nothing else."


@exercise(
    "n12-step",
    setup=READER + _BATCH,
    hints=[
        "Gradients add up by themselves. Run small parts one after the other, and step once at the end.",
        "For each of rows.split(24): the part's batch, its loss times its share of all rows, backward.",
        """
        def step(reader, optimizer, images, labels, rows):
            optimizer.zero_grad()
            total = 0.0
            for part in rows.split(…):
                loss = F.cross_entropy(reader(batch(images, part)), labels[part]) * …
                loss.backward()
                total += loss.item()
            optimizer.step()
            return total
        """,
        """
        def step(reader, optimizer, images, labels, rows):
            optimizer.zero_grad()
            total = 0.0
            for part in rows.split(24):
                loss = F.cross_entropy(reader(batch(images, part)), labels[part]) * (len(part) / len(rows))
                loss.backward()
                total += loss.item()
            optimizer.step()
            return total
        """,
    ],
)
def step(step: Callable[..., Any], *, torch: Any, new_reader: Callable[[], Any], images: Any, labels: Any) -> str:
    reader, reference = new_reader(), new_reader()
    rows = torch.arange(200)
    steps, own = list[int](), {parameter.untyped_storage().data_ptr() for parameter in reader.parameters()}
    optimizer = torch.optim.SGD(reader.parameters(), lr=0.1)
    stepping = optimizer.step

    def counted(*args: Any, **kwargs: Any) -> Any:
        steps.append(1)
        return stepping(*args, **kwargs)

    optimizer.step = counted
    (reader(images[:4].float()) ** 2).mean().backward()  # gradients of before, which do not belong to this step
    stale = [parameter.grad.clone() for parameter in reader.parameters()]
    ledger = _Ledger()

    def pack(tensor: Any) -> _Kept:
        return _Kept(tensor, ledger, tensor.untyped_storage().data_ptr() in own)

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept.tensor):
        result = call(step, "step", reader, optimizer, images, labels, rows)
    expect_equal(
        len(steps),
        "the number of calls of optimizer.step()",
        1,
        mistakes={0: "Nothing has moved."}
        | dict.fromkeys(range(2, 201), "One step for each part is another way of learning: 200 rows, one step."),
    )
    whole = torch.nn.functional.cross_entropy(reference(images[rows].float() / 8 - 1), labels[rows])
    whole.backward()
    moved, wanted = list(reader.parameters()), list(reference.parameters())
    start = list(new_reader().parameters())
    went = [(was - mine).detach() / 0.1 for was, mine in zip(start, moved, strict=True)]
    right = [tensor.grad for tensor in wanted]
    size = max(float(gradient.abs().max()) for gradient in right)

    def is_near(others: list[Any]) -> bool:
        return all(float((a - b).abs().max()) < 1e-3 * max(1.0, size) for a, b in zip(went, others, strict=True))

    expect(
        not is_near([a + b for a, b in zip(right, stale, strict=True)]),
        "the step goes along gradients from before the call, too: zero_grad comes first.",
    )
    times = sum(float((a * b).sum()) for a, b in zip(went, right, strict=True))
    times /= sum(float((gradient * gradient).sum()) for gradient in right)
    expect(
        times < 1.5,
        f"the step is about {times:.1f} times as long as it should be: the means of the parts were added up as they "
        "are. Weight each by its share of the rows.",
    )
    expect(
        is_near(right), "the step is not along the gradient of the mean loss of all rows: weight parts by their rows."
    )
    expect(
        ledger.most <= MOST_SAVED,
        f"the step is right, but graphs held {ledger.most:,} bytes at one time, parameters aside; {MOST_SAVED:,} are "
        "allowed. Smaller parts, each with its own backward.",
    )
    expect(not is_tensor(result), "`step` returns a tensor; it should return a Python number.")
    expect(isinstance(result, float), f"`step` returned {text(result)}; it should return a Python number.")
    mine, truth = told_apart(result, float(whole.detach()), 5)
    expect(
        abs(result - float(whole.detach())) < 1e-3,
        f"`step` returned {mine}; the mean loss of all rows, before the step, is {truth}.",
    )
    return f"One step for 200 rows, and graphs never held more than {MOST_SAVED:,} bytes."


class _Ledger:
    """The bytes of the storages that graphs hold, each once, and the most of them at one time."""

    def __init__(self) -> None:
        self.held: dict[int, list[int]] = {}  # by address: the bytes, and how many hold them
        self.most = 0

    def take(self, address: int, nbytes: int) -> None:
        self.held.setdefault(address, [nbytes, 0])[1] += 1
        self.most = max(self.most, sum(row[0] for row in self.held.values()))

    def give(self, address: int) -> None:
        self.held[address][1] -= 1
        if not self.held[address][1]:
            del self.held[address]


class _Kept:
    """What a graph keeps instead of a tensor: it tells the ledger when it comes, and when it goes."""

    def __init__(self, tensor: Any, ledger: _Ledger, is_own: bool) -> None:
        self.tensor = tensor.detach()
        self.ledger, self.address = ledger, tensor.untyped_storage().data_ptr()
        self.is_own = is_own
        if not is_own:
            ledger.take(self.address, tensor.untyped_storage().nbytes())

    def __del__(self) -> None:
        if not self.is_own:
            self.ledger.give(self.address)


@exercise(
    "n12-accuracy",
    setup=READER + _BATCH,
    hints=[
        "Nobody will call backward: then nothing has to be saved, and hidden results may go at once.",
        "Under torch.no_grad(), part by part: count the right ones, add the counts up, divide once at the end.",
        """
        def accuracy(reader, images, labels, rows):
            right = 0
            with …:
                for part in rows.split(32):
                    right += (reader(batch(images, part)).argmax(1) == labels[part]).sum().item()
            return …
        """,
        """
        def accuracy(reader, images, labels, rows):
            right = 0
            with torch.no_grad():
                for part in rows.split(32):
                    right += (reader(batch(images, part)).argmax(1) == labels[part]).sum().item()
            return right / len(rows)
        """,
    ],
)
def accuracy(
    accuracy: Callable[..., Any], *, torch: Any, new_reader: Callable[[], Any], images: Any, labels: Any
) -> str:
    reader, widest, graphs = deepcopy(new_reader()), [0], list[int]()

    def look(module: Any, given: Any, result: Any) -> None:
        widest[0] = max(widest[0], len(given[0]))
        if result.requires_grad:
            graphs.append(1)

    reader.register_forward_hook(look)
    said = reader(images.float() / 8 - 1).argmax(1)
    graphs.clear()
    widest[0] = 0
    for n in (100, 70):
        rows, own = torch.arange(n), labels.clone()
        own[: n - 7] = said[: n - 7]  # the last, shorter part is wrong
        own[n - 7 : n] = (said[n - 7 : n] + 1) % 10
        returned = call(accuracy, "accuracy", reader, images, own, rows)
        expect(not is_tensor(returned), "`accuracy` returns a tensor; it should return a Python number.")
        expect(not graphs, "the forward makes a graph, which nobody needs: torch.no_grad().")
        expect(reader.training, "afterwards the reader is no longer in training mode.")
        expect_equal(
            returned,
            f"accuracy of {n} rows",
            (n - 7) / n,
            mistakes={
                n - 7: "That is the number of right ones. Divide by the number of rows.",
                (n - 7) / n * 100: "That is in percent; a share between 0 and 1 was asked for.",
            },
        )
        expect(
            widest[0] <= 64,
            f"{widest[0]} rows went through the reader at once. The hidden results of so many are what the budget does "
            "not have: parts of at most 64.",
        )
    return "Counts add up, shares do not; and no graph was made."
