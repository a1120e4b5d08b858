"""Exercises of notebook 05 of part 5: what a graph saves, what fits, accumulation, checkpoints, and levers."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, every_slot, expect, expect_equal, expect_tensor, expect_value, expect_word
from glassroom.exercises.facts import is_tensor, same_value, text, told_apart, values

READER = """
nn = torch.nn
checkpoint = torch.utils.checkpoint.checkpoint


def block(inputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())


reader = nn.Sequential(block(64), block(32), block(32), nn.Linear(32, 10))
pictures = torch.rand(256, 64)
labels = torch.arange(256) % 10
"""


@exercise(
    "n05-saved",
    setup=READER,
    hints=[
        "What is saved comes to pack as a tensor. Two may lie on one storage, and some storages are parameters.",
        "Key storages by their data_ptr(), unless it is that of a parameter, and sum their nbytes().",
        """
        def saved_bytes(forward, model):
            own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
            saved = {}

            def pack(tensor):
                storage = tensor.untyped_storage()
                if … not in own:
                    saved[…] = storage
                return tensor

            with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
                result = forward()
            return sum(…)
        """,
        """
        def saved_bytes(forward, model):
            own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
            saved = {}

            def pack(tensor):
                storage = tensor.untyped_storage()
                if storage.data_ptr() not in own:
                    saved[storage.data_ptr()] = storage
                return tensor

            with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
                result = forward()
            return sum(storage.nbytes() for storage in saved.values())
        """,
    ],
)
def saved(saved_bytes: Callable[..., Any], *, reader: Any, pictures: Any) -> str:
    rows, calls = pictures[:16].clone(), list[int]()

    def forward() -> Any:
        calls.append(1)
        return reader(rows)

    right = 16 * (64 + 6 * 32) * 4
    _, *later = [parameter for parameter in reader.parameters() if len(parameter.shape) == 2]
    weights = sum(
        tensor.nbytes for tensor in later
    )  # the first one's input wants no gradient, so that weight is not saved
    returned = call(saved_bytes, "saved_bytes", forward, reader)
    expect(calls, "`forward` was not called: saved_bytes(forward, model) should call it, without arguments.")
    name = "saved_bytes(…) for 16 pictures"
    expect_equal(
        returned,
        name,
        right,
        mistakes={
            right + weights: "That has the weights in it, which are there anyway. Leave them out.",
            right + 6 * 16 * 32 * 4: "That counts some storages twice: a ReLU's result is the next layer's input.",
            right + 6 * 16 * 32 * 4 + weights: "That counts some storages twice, and the weights too.",
            right // 4: "These are elements; a float32 has four bytes.",
            0: "Nothing was counted. Is `forward()` called within the block of saved_tensors_hooks?",
        },
    )
    both = (pictures[:10] * 1.0).requires_grad_()
    halves = call(saved_bytes, "saved_bytes", lambda: (both[:5] * both[5:]).sum(), reader)
    expect_equal(
        halves,
        "saved_bytes(lambda: (x[:5] * x[5:]).sum(), model) for 10 pictures",
        10 * 64 * 4,
        mistakes={
            right: "That is the figure of the forward before: begin anew in each call.",
            2 * 10 * 64 * 4: "Two views are saved, and their storage counts once: tell storages apart, not tensors.",
            5 * 64 * 4: "That is one view; what it keeps alive is its whole storage.",
        },
    )
    return "What the graph keeps for the way back, each storage once, and nothing that is there anyway."


@exercise(
    "n05-fits",
    hints=[
        "First subtract what does not depend on the batch. The pictures share what is left.",
        "The floor is 4 * 30,760 bytes. A picture needs 1,024 + 256. Half a picture does not fit.",
        "fits = (262_144 - 4 * …) // (… + …)",
        "fits = (262_144 - 4 * 30_760) // (1024 + 256)",
    ],
)
def fits(fits: Any) -> str:
    room = 262_144 - 4 * 30_760
    expect_equal(
        fits,
        "fits",
        room // 1280,
        mistakes={
            room // 1024: "That leaves out what the backward needs at the turning point.",
            262_144 // 1024: "That leaves nothing for the model, its gradients and Adam's state, nor for the backward.",
            262_144 // 1280: "The model, its gradients and Adam's state are in the same memory.",
            (262_144 - 30_760) // 1280: "That has the parameters alone: gradients and state are three times that.",
            (262_144 - 3 * 30_760) // 1280: "Parameters, gradients and Adam's state are 1 + 1 + 2 = 4 times the model.",
            room / 1280: "Half a picture does not fit: use //.",
            room // 1280 + 1: "Rounded up, the last picture does not fit.",
        },
    )
    return "The floor first, then as many as there is room for. There is not enough for 256 at once."


@exercise(
    "n05-accumulate",
    setup=READER,
    hints=[
        "Gradients add up by themselves. What has to be weighted is each part's mean: by its share of all pictures.",
        "zero_grad once, before the first part; backward once for each part, of its loss times len(labels) / count.",
        """
        def accumulate(model, loss_of, parts):
            count = sum(len(labels) for _, labels in parts)
            model.zero_grad()
            total = 0.0
            for pictures, labels in parts:
                loss = loss_of(model(pictures), labels) * …
                …
                total += loss.item()
            return total
        """,
        """
        def accumulate(model, loss_of, parts):
            count = sum(len(labels) for _, labels in parts)
            model.zero_grad()
            total = 0.0
            for pictures, labels in parts:
                loss = loss_of(model(pictures), labels) * (len(labels) / count)
                loss.backward()
                total += loss.item()
            return total
        """,
    ],
)
def accumulate(accumulate: Callable[..., Any], *, reader: Any, pictures: Any, labels: Any) -> str:
    model, reference = without_gradients(reader), without_gradients(reader)
    sizes = [20, 8, 4]
    parts = list(zip(pictures[:32].split(sizes), labels[:32].split(sizes), strict=True))
    forwards, backwards, waiting, losses = list[int](), list[int](), list[int](), list[Any]()

    def loss_of(logits: Any, targets: Any) -> Any:
        forwards.append(len(targets))
        waiting.append(len(forwards) - len(backwards))
        if logits.requires_grad:
            logits.register_hook(lambda gradient: backwards.append(len(gradient)))
        picked = logits[range(len(targets)), targets.tolist()]
        losses.append((logits.logsumexp(1) - picked).mean())
        return losses[-1]

    whole = loss_of(reference(pictures[:32]), labels[:32])
    whole.backward()
    for counted in (forwards, backwards, waiting, losses):
        counted.clear()
    before = [values(parameter.detach()) for parameter in model.parameters()]
    model(pictures[:2]).sum().backward()  # gradients of before, which do not belong to this step
    result = call(accumulate, "accumulate", model, loss_of, parts)
    all_at_once = "The parts were joined. Then all pictures are in one graph, which is what parts are to avoid."
    expect_equal(len(forwards), "the number of losses for three parts", 3, mistakes={1: all_at_once})
    expect(
        all(
            same_value(values(parameter.detach()), old)
            for parameter, old in zip(model.parameters(), before, strict=True)
        ),
        "the parameters have changed. Leave the step to the caller.",
    )
    gradient = next(iter(model.parameters())).grad
    expect(
        gradient is not None, "there is no gradient in the parameters. Is there a backward, and no zero_grad after it?"
    )
    right = next(iter(reference.parameters())).grad

    def of_parts(weights: list[float], stale: bool = False) -> Any:
        other = without_gradients(reader)
        if stale:
            other(pictures[:2]).sum().backward()
        for weight, (x, y) in zip(weights, parts, strict=True):
            if weight:
                (loss_of(other(x), y) * weight).backward()
        return next(iter(other.parameters())).grad

    def is_near(mine: Any, other: Any) -> bool:
        return float((mine - other).abs().max()) < 1e-5 * max(1.0, float(other.abs().max()))

    shares = [size / 32 for size in sizes]
    shows: list[tuple[list[float], bool, str]] = [
        ([1.0, 1.0, 1.0], False, "the means of the parts were added up as they are. Weight each by its share."),
        (
            [1 / 3] * 3,
            False,
            "each part counts a third, though they are of different lengths. Weight them by pictures.",
        ),
        ([0.0, 0.0, shares[2]], False, "the last part alone is in the gradient: zero_grad goes before the first part."),
        ([0.0, 0.0, 1.0], False, "the last part alone is in the gradient: zero_grad goes before the first part."),
        (shares, True, "gradients from before the call are in it: call zero_grad first."),
        (
            [float(size) for size in sizes],
            False,
            "each part was weighted by its pictures, but the sum was not divided by the number of all pictures.",
        ),
    ]
    for weights, stale, told in shows:
        expect(is_near(gradient, right) or not is_near(gradient, of_parts(weights, stale)), told)
    told = "the gradient is not that of the mean loss over all pictures."
    mine, truth = told_apart(float(gradient.norm()), float(right.norm()), 4)
    expect(is_near(gradient, right), f"{told} Its norm is {mine}; that of the mean loss is {truth}.")
    expect(
        max(waiting) <= 1,
        f"the gradient is right, but {max(waiting)} graphs were alive together: call backward before the next part.",
    )
    expect(
        not any(map(is_kept, losses)),
        "the gradient is right, but the graphs are kept: retain_graph=True saves everything for a second backward, "
        "which nobody calls.",
    )
    expect(not is_tensor(result), "`accumulate` returns a tensor; it should return a Python number. Take .item().")
    expect(isinstance(result, float), f"`accumulate` returns {text(result)}; it should return a Python number.")
    mine, truth = told_apart(result, float(whole.detach()), 6)
    expect(
        same_value(result, float(whole.detach())),
        f"`accumulate` returns {mine}; the mean loss over all pictures is {truth}.",
    )
    return "The mountain of one part, the gradient of all."


def is_kept(loss: Any) -> bool:
    """Whether what a graph saved is there still after its backward."""
    try:
        loss.backward()
    except RuntimeError:
        return False
    return True


def without_gradients(reader: Any) -> Any:
    """A copy of a reader; that of a tensor has a copy of its gradient, unless the tensor is a Parameter."""
    copied = deepcopy(reader)
    for parameter in copied.parameters():
        parameter.grad = None
    return copied


@exercise(
    "n05-blocks",
    setup=READER,
    hints=[
        "Going through an nn.Sequential gives its children in their order.",
        "For a child that is an nn.Sequential, checkpoint(child, x, use_reentrant=False) takes the place of child(x).",
        """
        def in_blocks(model, x):
            for child in model:
                if isinstance(child, nn.Sequential):
                    x = …
                else:
                    x = child(x)
            return x
        """,
        """
        def in_blocks(model, x):
            for child in model:
                if isinstance(child, nn.Sequential):
                    x = checkpoint(child, x, use_reentrant=False)
                else:
                    x = child(x)
            return x
        """,
    ],
)
def blocks(in_blocks: Callable[..., Any], *, reader: Any, pictures: Any) -> str:
    model, x = deepcopy(reader), pictures[:12]
    right = reader(x)
    runs = [0] * len(model)
    handles = [  # in a block, its first layer tells: nobody need call the block itself
        next(iter(child.children()), child).register_forward_pre_hook(
            lambda *_, place=place: runs.__setitem__(place, runs[place] + 1)
        )
        for place, child in enumerate(model)
    ]
    result = call(in_blocks, "in_blocks", model, x)
    name = "in_blocks(model, x)"
    expect_tensor(result, name, shape=(12, 10))
    expect_value(result, name, right.detach())
    expect(result.requires_grad, f"`{name}` does not require grad: something cut the graph.")
    expect_equal(runs, "how often the children ran in the forward", [1] * len(runs))
    result.sum().backward()
    last = len(runs) - 1
    expect(sum(runs) > len(runs), "nothing was run again in the backward: there is no checkpoint in it.")
    expect(runs[last] == 1, "the last layer was run again too. A checkpoint belongs around the blocks alone.")
    expect(
        runs[:last] == [2] * last,
        f"in forward and backward together, the blocks ran {', '.join(map(str, runs[:last]))} times; twice each was "
        "asked for: a checkpoint around each.",
    )
    for handle in handles:
        handle.remove()
    reference = deepcopy(reader)
    reference(x).sum().backward()
    for (parameter_name, mine), wanted in zip(model.named_parameters(), reference.parameters(), strict=True):
        expect(
            mine.grad is not None and float((mine.grad - wanted.grad).abs().max()) < 1e-4,
            f"the result is right, but the gradient of `{parameter_name}` is not.",
        )
    return "Each block keeps its input, and is run once more when backward comes to it."


LEVERS = {
    "accumulate": "Smaller parts help where one picture fits and the batch does not.",
    "checkpoint": "That saves activations of a training step; it is bought with a second forward.",
    "no_grad": "Training needs its graph; reading does not.",
    "optimizer": "That changes the state, which comes into being at the first step.",
}


@exercise(
    "n05-lever",
    hints=[
        "Which role is too large: activations of one picture, of a batch, of a graph that nobody needs, or the state?",
        "State is made in the first step. A batch of one cannot be split. Accuracy needs no backward.",
        "Each of the four words is used once.",
        """
        deep = "checkpoint"
        first_step = "optimizer"
        noisy = "accumulate"
        report = "no_grad"
        """,
    ],
)
def lever(deep: Any, first_step: Any, noisy: Any, report: Any) -> str:
    with every_slot():
        for answer, name, right, because in (
            (deep, "deep", "checkpoint", "One picture cannot be split: less has to be saved for it."),
            (first_step, "first_step", "optimizer", "What is new in the first step is the optimizer's state."),
            (noisy, "noisy", "accumulate", "Small parts fit; let their gradients add up to that of 64."),
            (report, "report", "no_grad", "Nobody will call backward, so nothing has to be saved."),
        ):
            others = {word: f"{shows} {because}" for word, shows in LEVERS.items() if word != right}
            expect_word(answer, name, right, others)
    return "First find the role that is too large, then pull its lever."
