"""Exercises of notebook 02 of part 5: modules as trees of names, states, dropout, and parameters in one storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_copy, expect_equal, expect_tensor, expect_value
from glassroom.exercises.facts import is_tensor, memory_range, offset, same_value, share_memory, values

OUR_MODULE = """
class Module:
    def __init__(self):
        vars(self).update(tensors={}, children={}, training=True)

    def __setattr__(self, name, value):
        if isinstance(value, torch.Tensor):
            self.tensors[name] = value
        elif isinstance(value, Module):
            self.children[name] = value
        else:
            vars(self)[name] = value

    def __getattr__(self, name):
        for shelf in ("tensors", "children"):
            if name in vars(self).get(shelf, {}):
                return vars(self)[shelf][name]
        raise AttributeError(f"there is no {name!r}")

    def __call__(self, *inputs):
        return self.forward(*inputs)

    def named_tensors(self, prefix=""):
        for name, tensor in self.tensors.items():
            yield prefix + name, tensor
        for name, child in self.children.items():
            yield from child.named_tensors(f"{prefix}{name}.")

    def parameters(self):
        tensors = {id(tensor): tensor for _, tensor in self.named_tensors()}
        return [tensor for tensor in tensors.values() if tensor.requires_grad]


class Linear(Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = torch.randn(outputs, inputs).requires_grad_()
        self.bias = torch.zeros(outputs, requires_grad=True)

    def forward(self, x):
        return x @ self.weight.t() + self.bias
"""
OUR_READER = f"""{OUR_MODULE}

class Reader(Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Linear(64, 32), Linear(32, 10)


reader = Reader()
"""
TWICE = """
class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)
        self.second.weight = self.first.weight
        self.gray = torch.zeros(64)
        self.register_buffer("mean", torch.zeros(64))


twice = Twice()
"""


@exercise(
    "n02-chain",
    setup=OUR_MODULE,
    hints=[
        "What is assigned to an attribute of its own is put on the shelf. A list is one attribute, whatever is in it.",
        "Go through the modules with enumerate, and assign each by setattr(self, str(number), module).",
        """
        class Chain(Module):
            def __init__(self, *modules):
                super().__init__()
                for number, module in enumerate(modules):
                    setattr(self, …, module)

            def forward(self, x):
                for child in self.children.values():
                    x = …
                return x
        """,
        """
        class Chain(Module):
            def __init__(self, *modules):
                super().__init__()
                for number, module in enumerate(modules):
                    setattr(self, str(number), module)

            def forward(self, x):
                for child in self.children.values():
                    x = child(x)
                return x
        """,
    ],
)
def chain(Chain: Callable[..., Any], *, Linear: Callable[..., Any]) -> str:
    layers = [Linear(3, 4), Linear(4, 5), Linear(5, 2)]
    chain = call(Chain, "Chain", *layers)
    expect(
        hasattr(chain, "named_tensors"),
        "what `Chain(…)` makes has no `named_tensors`. Derive the class from `Module`: class Chain(Module).",
    )
    names = [name for name, _ in chain.named_tensors()]
    expect(
        names,
        "`Chain(a, b, c)` finds no tensors: the modules are on no shelf. A list or a tuple of them is one ordinary "
        "attribute; give each an attribute of its own.",
    )
    expect_equal(
        names,
        "the list of names",
        [f"{number}.{name}" for number in range(3) for name in ("weight", "bias")],
        mistakes={
            tuple(f"{number}.{name}" for number in range(1, 4) for name in ("weight", "bias")): "Count from 0.",
        },
    )
    tensors = [tensor for layer in layers for _, tensor in layer.named_tensors()]
    expect(
        all(mine is given for (_, mine), given in zip(chain.named_tensors(), tensors, strict=True)),
        "the names are right, but lead to other tensors than those of the modules that were given.",
    )
    x = layers[0].weight.detach() * 0.5
    result = call(chain, "Chain(a, b, c)", x)
    wanted = layers[2](layers[1](layers[0](x)))
    expect_tensor(result, "Chain(a, b, c)(x)", shape=(4, 2))
    expect_value(result, "Chain(a, b, c)(x)", wanted)
    again = call(call(Chain, "Chain", layers[0]), "Chain(a)", x)
    expect_tensor(again, "Chain(a)(x)", shape=(4, 4))
    expect_value(again, "Chain(a)(x)", layers[0](x))
    return "Each module has a name, and is found by everyone who walks the tree."


@exercise(
    "n02-snapshot",
    setup="reader = torch.nn.Linear(3, 2)",
    hints=[
        "state_dict() gives tensors over the model's own storages. What gives one a storage of its own?",
        "Go through model.state_dict().items(), and clone each tensor.",
        """
        def snapshot(model):
            return {name: … for name, tensor in model.state_dict().items()}
        """,
        """
        def snapshot(model):
            return {name: tensor.clone() for name, tensor in model.state_dict().items()}
        """,
    ],
)
def snapshot(snapshot: Callable[..., Any], *, reader: Any) -> str:
    state = reader.state_dict()
    before = {name: values(tensor) for name, tensor in state.items()}
    kept = call(snapshot, "snapshot", reader)
    expect(
        isinstance(kept, Mapping),
        "`snapshot(model)` is not a dictionary of names and tensors, as `model.state_dict()` is.",
    )
    expect_equal(list(kept), "the list of its names", list(state))
    for name, tensor in kept.items():
        own = "A view goes along with every step of the model; clone it."
        expect_copy(tensor, f'snapshot(model)["{name}"]', of=state[name], of_name=name, because=own)
        expect_value(tensor, f'snapshot(model)["{name}"]', before[name])
        expect(
            not tensor.requires_grad,
            f'snapshot(model)["{name}"] requires grad: it is a clone with a history. Clone what state_dict() gives.',
        )
    expect(
        all(same_value(values(tensor), before[name]) for name, tensor in reader.state_dict().items()),
        "the snapshot is right, but `snapshot` changed the model.",
    )
    return "Names as in the model, storages of their own: twice the bytes, and the best stays the best."


@exercise(
    "n02-dropout",
    setup="pictures = torch.rand(100, 64)",
    hints=[
        "A mask of True and False, drawn anew each time; True counts as 1 in a product.",
        "torch.rand_like(x) >= p is True with probability 1 - p. What is left is divided by 1 - p.",
        """
        def dropout(x, p, training):
            if not training:
                return …
            kept = torch.rand_like(x) >= p
            return …
        """,
        """
        def dropout(x, p, training):
            if not training:
                return x
            kept = torch.rand_like(x) >= p
            return x * kept / (1 - p)
        """,
    ],
)
def dropout(dropout: Callable[..., Any], *, pictures: Any) -> str:
    p = 0.2
    x = pictures[:100].detach() * 0 + 1
    result = call(dropout, "dropout", x, p, True)
    name = "dropout(x, 0.2, training=True)"
    expect_tensor(result, name, shape=x.shape)
    expect(same_value(values(x), values(pictures[:100] * 0 + 1)), "`dropout` wrote into `x` itself. Make a new tensor.")
    numbers = sorted({round(number, 4) for row in values(result) for number in row})
    zeros = float((result == 0).sum()) / x.numel()
    expect(numbers != [1.0], f"`{name}` leaves every number as it is. The third argument says that it is training.")
    shows = {
        (0.0, 1.0): "What is left should be divided by 1 - p, so that sums stay what they were on average.",
        (0.0, 5.0): "It was divided by p. 1 - p is the share that is left.",
        (0.0, 0.8): "It was multiplied by 1 - p. Divide by it: less is left, so the rest must count more.",
    }
    told = shows.get(tuple(numbers[:2]), "0 and 1 / (1 - 0.2) = 1.25 were asked for.")
    expect(
        numbers == [0.0, 1.25],
        f"of ones, `{name}` makes the numbers {', '.join(f'{number:g}' for number in numbers[:4])}. {told}",
    )
    expect(
        len({tuple(row) for row in values(result)}) > 50,
        "every row lost the same numbers. Draw one number for each number of `x`.",
    )
    expect(
        abs(zeros - p) < 0.03,
        f"a share of {zeros:.2f} of the numbers became 0, with p = 0.2. "
        + ("p is the probability of becoming 0." if zeros > 0.5 else "Each should become 0 with probability p."),
    )
    expect(
        not same_value(values(result), values(call(dropout, "dropout", x, p, True))),
        "two calls lose the same numbers. The mask should be drawn anew in each.",
    )
    half = {number for row in values(call(dropout, "dropout", x, 0.5, True)) for number in row}
    expect(half == {0.0, 2.0}, "with p = 0.5, what is left of ones should be 2: use `p`.")
    reading = call(dropout, "dropout", x, p, False)
    expect_tensor(reading, "dropout(x, 0.2, training=False)", shape=x.shape, dtype="float32")
    expect(
        same_value(values(reading), values(x)),
        "`dropout(x, 0.2, training=False)` changes the numbers. While reading, it does nothing.",
    )
    wanting = x.clone().requires_grad_()
    expect(
        call(dropout, "dropout", wanting, p, True).requires_grad,
        "the numbers are right, but no gradient could pass: something left the graph.",
    )
    return "Some are gone, the rest count more, and a sum is on average what it was."


@exercise(
    "n02-held",
    setup=TWICE,
    hints=[
        "Names may lead to one tensor, and tensors to one storage. What has an address of its own is a storage.",
        "model.state_dict() has parameters and buffers. Key each storage by its data_ptr().",
        """
        def held(model):
            storages = [tensor.untyped_storage() for tensor in model.state_dict().values()]
            return sum({storage.data_ptr(): … for storage in storages}.values())
        """,
        """
        def held(model):
            storages = [tensor.untyped_storage() for tensor in model.state_dict().values()]
            return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())
        """,
    ],
)
def held(held: Callable[..., Any], *, twice: Any) -> str:
    result = call(held, "held", twice)
    weight, bias, mean, gray = 64 * 64 * 4, 64 * 4, 64 * 4, 64 * 4
    right = weight + 2 * bias + mean
    expect_equal(
        result,
        "held(twice)",
        right,
        mistakes={
            right + weight: "That counts the tied weight twice: two names lead to one storage.",
            right - mean: "That leaves out the buffer `mean`.",
            right - mean + weight: "That leaves out the buffer `mean`, and counts the tied weight twice.",
            right + gray: "`gray` is neither a parameter nor a buffer.",
            right // 4: "That counts elements; a float32 has four bytes.",
        },
    )
    expect_equal(call(held, "held", twice.first), "held(twice.first)", weight + bias)
    other = type(twice)()
    other.second.weight = type(other.first.weight)(other.first.weight.detach().t())
    expect_equal(
        call(held, "held", other),
        "held(model), where one weight is the transpose of the other, a view of it,",
        right,
        mistakes={right + weight: "They are two parameters over one storage. Go by storages, not by tensors."},
    )
    return "Names lead to tensors, tensors to storages, and only storages weigh anything."


@exercise(
    "n02-one",
    setup=OUR_READER,
    hints=[
        "cat copies all numbers, one after another. A slice of it, in a parameter's shape, is a view of it.",
        "Go through the parameters and keep an offset: from there on, numel() numbers belong to this one.",
        """
        def into_one(model):
            vector = torch.cat([parameter.detach().reshape(-1) for parameter in model.parameters()])
            offset = 0
            for parameter in model.parameters():
                length = parameter.numel()
                parameter.data = vector[…].view(…)
                offset += length
            return vector
        """,
        """
        def into_one(model):
            vector = torch.cat([parameter.detach().reshape(-1) for parameter in model.parameters()])
            offset = 0
            for parameter in model.parameters():
                length = parameter.numel()
                parameter.data = vector[offset : offset + length].view(parameter.shape)
                offset += length
            return vector
        """,
    ],
)
def one(into_one: Callable[..., Any], *, reader: Any) -> str:
    model = type(reader)()
    model.again, model.mean = model.first, model.first.bias.detach() * 0  # parameters of two names, and no parameter
    before = {name: value for name, value in model.named_tensors() if value.requires_grad and "again" not in name}
    numbers = {name: values(parameter) for name, parameter in before.items()}
    vector = call(into_one, "into_one", model)
    length = sum(parameter.numel() for parameter in before.values())
    after = {name: value for name, value in model.named_tensors() if name in before}
    expect(
        list(after) == list(before) and all(after[name] is before[name] for name in before),
        "the model has other parameters now than before, so an optimizer that knows them would miss these. Assign to "
        "`parameter.data`.",
    )
    if is_tensor(vector) and vector.numel() > length:
        expect(
            False,
            f"the vector has {vector.numel():,} numbers, the parameters have {length:,}. model.parameters() gives each "
            "parameter once, and no tensor that is not learned.",
        )
    expect_tensor(vector, "into_one(model)", shape=(length,))
    expect(
        not vector.requires_grad,
        "the vector has a history: detach the parameters before you put them together.",
    )
    begin = 0
    for name, parameter in after.items():
        expect_value(parameter, f"model.{name}", numbers[name])
        expect(
            share_memory(parameter, vector),
            f"`{name}` has a storage of its own still: a write to the vector would not reach it.",
        )
        first = (memory_range(vector)[0] - memory_range(parameter)[0]) // 4 + offset(vector) + begin
        expect_equal(offset(parameter), f"the offset of `{name}`", first)
        expect(parameter.requires_grad, f"`{name}` no longer requires grad.")
        begin += parameter.numel()
    flat = [number for name in numbers for row in numbers[name] for number in (row if isinstance(row, list) else [row])]
    expect(
        same_value(values(vector), flat),
        (
            "the parameters are views of the vector, but it does not hold their numbers in the order of "
            "model.parameters()."
        ),
    )
    return "One storage under the whole model: one step, one transfer, one file could take it all."
