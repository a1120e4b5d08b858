"""Exercises of notebook 11 of part 5: shapes without numbers, a bill before the model, and loading it once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, call_writing, expect, expect_equal
from glassroom.exercises.facts import device, is_tensor, share_memory, text

MILLION = 10**6


@exercise(
    "n11-shape",
    hints=[
        "A shape is a fact of headers, and on one device tensors are headers alone.",
        "Make an empty tensor of each shape on that device, call the function with them, and take the result's shape.",
        """
        def shape_of(function, *shapes):
            tensors = [torch.empty(shape, device=…) for shape in shapes]
            return tuple(….shape)
        """,
        """
        def shape_of(function, *shapes):
            tensors = [torch.empty(shape, device="meta") for shape in shapes]
            return tuple(function(*tensors).shape)
        """,
    ],
)
def shape_of(shape_of: Callable[..., Any]) -> str:
    asked: list[Any] = []

    def product(*matrices: Any) -> Any:
        asked.extend(matrices)
        result = matrices[0]
        for matrix in matrices[1:]:
            result = result @ matrix
        return result

    returned = call(shape_of, "shape_of", product, (2, 3), (3, 4), (4, 5))
    expect(not is_tensor(returned), "`shape_of` returned a tensor; its shape is asked for.")
    expect_equal(
        tuple(returned) if isinstance(returned, (list, tuple)) else returned,
        "shape_of of the product of a 2×3, a 3×4 and a 4×5 matrix",
        (2, 5),
        mistakes={(2, 3): "That is the shape of the first argument."},
    )
    expect(asked, "the function was never called: how do you know what it does?")
    expect(
        device(asked[0]) == "meta",
        "the function was called with tensors that have a storage. Of a shape that no memory could hold, they cannot "
        "be made.",
    )
    expect_equal(
        tuple(call(shape_of, "shape_of", product, (MILLION, MILLION), (MILLION, MILLION))),
        "shape_of of the product of two matrices of a million by a million",
        (MILLION, MILLION),
    )
    expect(isinstance(returned, tuple), "the shape should be a tuple.")
    expect_equal(tuple(call(shape_of, "shape_of", lambda x: x.sum(0), (4, 7))), "shape_of of sum(0) of a 4×7", (7,))
    return "Each operator works out the header of its result; nobody computed a number."


@exercise(
    "n11-bill",
    setup="""
    weights = [
        torch.empty(8, 4, device="meta", requires_grad=True),
        torch.empty(8, dtype=torch.bfloat16, device="meta", requires_grad=True),
        torch.empty(100, device="meta"),
    ]
    """,
    hints=[
        "`nbytes` is in the header: elements times the size of one.",
        "The first count is of all weights, the other two of those with `requires_grad`; Adam keeps two means of each.",
        """
        def bill(weights):
            trained = sum(each.nbytes for each in weights if …)
            return sum(each.nbytes for each in weights), …, …
        """,
        """
        def bill(weights):
            trained = sum(each.nbytes for each in weights if each.requires_grad)
            return sum(each.nbytes for each in weights), trained, 2 * trained
        """,
    ],
)
def bill(bill: Callable[..., Any], *, weights: Any) -> str:
    like = weights[0]
    trained = [like.new_empty(1000, 10, requires_grad=True), like.new_empty(50, requires_grad=True)]
    expect_equal(
        call(bill, "bill", trained),
        "bill of 10,050 float32 weights that are all trained",
        (40_200, 40_200, 80_400),
        mistakes={
            (10_050, 10_050, 20_100): "These are elements; a float32 has four bytes.",
            (40_200, 40_200, 40_200): "Adam keeps two running means for each weight.",
            (40_200, 0, 0): "The gradients are not there yet, but the step will need them: ask `requires_grad`.",
        },
    )
    frozen = like.new_empty(100)
    expect_equal(
        call(bill, "bill", [*trained, frozen]),
        "bill where 100 more weights are not trained",
        (40_600, 40_200, 80_400),
        mistakes={
            (40_600, 40_600, 81_200): "A weight that does not require grad gets no gradient, and no means.",
            (40_200, 40_200, 80_400): "A weight that is not trained takes memory too.",
        },
    )
    half = [tensor.detach().half().requires_grad_() for tensor in trained]
    expect_equal(
        call(bill, "bill", half),
        "bill of 10,050 weights of float16",
        (20_100, 20_100, 40_200),
        mistakes={(40_200, 40_200, 80_400): "Not every number has four bytes: ask the dtype, or `nbytes`."},
    )
    return "Weights once, gradients once, means twice: known from the headers."


@exercise(
    "n11-load",
    setup="""
    def make():
        return torch.nn.Linear(3, 2)
    state = make().state_dict()
    """,
    hints=[
        "Where should the parameters be made, if their first values are thrown away? And how are they replaced?",
        (
            'Call `make()` under `with torch.device("meta")`; `load_state_dict` has an argument that takes tensors as '
            "they are."
        ),
        """
        def load_into(make, state):
            with torch.device(…):
                model = make()
            model.load_state_dict(state, …)
            return …
        """,
        """
        def load_into(make, state):
            with torch.device("meta"):
                model = make()
            model.load_state_dict(state, assign=True)
            return model
        """,
    ],
)
def load_into(load_into: Callable[..., Any], *, make: Callable[[], Any], state: Any) -> str:
    devices: list[str] = []

    def watched() -> Any:
        model = make()
        devices.extend(device(parameter) for parameter in model.parameters())
        return model

    model = call_writing(load_into, "load_into", watched, dict(state))
    expect(hasattr(model, "named_parameters"), "`load_into` should return the model.")
    expect(devices, "`make()` was never called.")
    parameters = dict(model.named_parameters())
    empty = [name for name, parameter in parameters.items() if device(parameter) == "meta"]
    expect(
        not empty,
        f"`{next(iter(empty), '')}` is still on meta: without assign=True the numbers have no place to go to.",
    )
    expect(
        set(devices) == {"meta"},
        "the right numbers are in it, and `make()` made parameters with memory of their own first, which were thrown "
        "away.",
    )
    copied = [name for name, parameter in parameters.items() if not share_memory(parameter.detach(), state[name])]
    expect(
        not copied,
        f"`{next(iter(copied), '')}` is a copy of the dictionary's tensor, so it is in memory twice. `assign=True` "
        "takes the tensor itself.",
    )
    return "Made without memory, and the dictionary's tensors are its parameters: each is there once."


@exercise(
    "n11-left",
    setup="""
    partly = torch.nn.Sequential(torch.nn.Linear(3, 4, device="meta"), torch.nn.BatchNorm1d(4))
    """,
    hints=[
        "Two kinds of tensors have names in a module, and each tensor can say whether it has data.",
        "`named_parameters()`, `named_buffers()`, and `is_meta` (or the device's type).",
        """
        def left_on_meta(model):
            named = [*model.named_parameters(), *…]
            return [name for name, tensor in named if …]
        """,
        """
        def left_on_meta(model):
            named = [*model.named_parameters(), *model.named_buffers()]
            return [name for name, tensor in named if tensor.is_meta]
        """,
    ],
)
def left_on_meta(left_on_meta: Callable[..., Any], *, partly: Any) -> str:
    model = _partly_loaded(partly)
    returned = call(left_on_meta, "left_on_meta", model)
    is_list = isinstance(returned, (list, tuple, set)) and all(isinstance(name, str) for name in returned)
    expect(is_list, f"`left_on_meta` returned {text(returned)}; a list of names is asked for.")
    names = set(returned)
    for name, because in {
        "hidden.weight": "parameters count, those of modules within modules too. Names are whole paths.",
        "hidden.mean": "buffers count too, also one that is in no state dictionary. `named_buffers()` has them.",
    }.items():
        expect(name in names, f"`{name}` has no data yet and is missing in {sorted(names)}: {because}")
    expect_equal(sorted(names), "left_on_meta of a model with two tensors on meta", ["hidden.mean", "hidden.weight"])
    complete = _partly_loaded(partly)
    complete.to_empty(device="cpu")
    expect_equal(list(call(left_on_meta, "left_on_meta", complete)), "left_on_meta of a model that has all data", [])
    return "What the list names would have failed in the middle of a forward pass."


def _partly_loaded(like: Any) -> Any:
    """A model with two parameters and two buffers; one of each is on meta."""
    module = next(base for base in type(like).__mro__ if base.__name__ == "Module")
    parameter = type(next(iter(like.parameters())))
    tensor = next(iter(like.parameters())).detach()
    outer, hidden = module(), module()
    outer.hidden = hidden
    hidden.weight = parameter(tensor.new_empty(4, 3, device="meta"))
    outer.bias = parameter(tensor.new_zeros(4, device="cpu"))
    hidden.register_buffer("mean", tensor.new_empty(4, device="meta"), persistent=False)
    hidden.register_buffer("bias", tensor.new_zeros(4, device="cpu"))
    return outer
