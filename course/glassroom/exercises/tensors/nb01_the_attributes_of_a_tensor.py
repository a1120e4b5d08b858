"""Exercises of notebook 01 of part 2: what a tensor says of itself, and what Python asks of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, every_slot, expect, expect_equal, expect_tensor, expect_value
from glassroom.exercises.facts import dtype_name, is_tensor, shape, text


@exercise(
    "t01-edge",
    hints=[
        "ndim counts the sizes, numel multiplies them, len is the first of them.",
        "The product of no sizes at all is 1. With a 0 among them it is 0.",
        """
        p_ndim, p_numel, p_len = 2, …, …
        q_ndim, q_numel = …, 1
        """,
        """
        p_ndim, p_numel, p_len = 2, 0, 4
        q_ndim, q_numel = 0, 1
        """,
    ],
)
def edge(p_ndim: Any, p_numel: Any, p_len: Any, q_ndim: Any, q_numel: Any) -> str:
    with every_slot():
        expect_equal(
            p_ndim, "p_ndim", 2, mistakes={1: "Two sizes, 4 and 0, are two dimensions.", 0: "4 and 0 are two."}
        )
        expect_equal(p_numel, "p_numel", 0, mistakes={4: "There are four rows, and nothing in any of them: 4 * 0."})
        expect_equal(p_len, "p_len", 4, mistakes={0: "len is the size of dimension 0: four rows, empty as they are."})
        expect_equal(q_ndim, "q_ndim", 0, mistakes={1: "A number has no dimensions; torch.tensor([7]) has one."})
        expect_equal(q_numel, "q_numel", 1, mistakes={0: "There is one number in it: the product of no sizes is 1."})
    return "Four empty rows, and one number without dimensions."


@exercise(
    "t01-batch",
    setup="batch = torch.arange(12.0).view(2, 2, 3)",
    hints=[
        "T reverses all dimensions. The dimensions before the last two have to stay where they are.",
        "There is an attribute for batches of matrices in the table above.",
        """
        def covariance(samples):
            return samples.… @ samples
        """,
        """
        def covariance(samples):
            return samples.mT @ samples
        """,
    ],
)
def batch(covariance: Callable[[Any], Any], *, batch: Any) -> str:
    for name, samples in (("batch[0]", batch[0]), ("batch", batch), ("batch[:, None]", batch[:, None])):
        result = call(covariance, "covariance", samples)
        wanted = samples.mT @ samples
        expect_tensor(result, f"covariance({name})")
        expect(
            shape(result)[-2:] != (2, 2),
            f"`covariance({name})` has shape {shape(result)}: rows by rows. It should be columns by columns: (3, 3).",
        )
        expect_value(result, f"covariance({name})", wanted)
    return "The last two dimensions are swapped, and those in front of them stay."


@exercise(
    "t01-among",
    setup="""
    a = torch.tensor([1.0, 5.0])
    b = torch.tensor([1.0, 7.0])
    """,
    hints=[
        "`in` falls back on ==, which compares values. The question here is about objects.",
        "`is` compares objects, and any(… for …) goes through the list.",
        """
        def among(x, tensors):
            return any(x is … for each in tensors)
        """,
        """
        def among(x, tensors):
            return any(x is each for each in tensors)
        """,
    ],
)
def among(among: Callable[[Any, Any], Any], *, a: Any, b: Any) -> str:
    cases: list[tuple[str, Any, list[Any], bool, str]] = [
        ("among(a, [a, b])", a, [a, b], True, "a is the first of them."),
        ("among(b, [a, b])", b, [a, b], True, "b is the second of them."),
        ("among(a.clone(), [a, b])", a.clone(), [a, b], False, "It holds the same values, but is another tensor."),
        (
            "among(a[:], [a, b])",
            a[:],
            [a, b],
            False,
            "It looks at the same memory through another header, which is another object.",
        ),
        ("among(a, [])", a, [], False, "An empty list has nothing in it."),
    ]
    for name, x, tensors, wanted, reason in cases:
        returned = call(among, "among", x, tensors)
        expect_equal(returned, name, wanted, mistakes={not wanted: reason})
    return "The objects are compared, and nothing is asked of the tensors, so there is always an answer."


@exercise(
    "t01-record",
    setup="x = torch.arange(6.0).view(2, 3)",
    hints=[
        "json knows lists, strings and plain numbers. It knows neither tensors nor dtypes.",
        "list(…) of the shape, str(…) of the dtype, and item() of the largest element.",
        """
        def record(x):
            return {"shape": list(x.shape), "dtype": str(…), "largest": x.max().…}
        """,
        """
        def record(x):
            return {"shape": list(x.shape), "dtype": str(x.dtype), "largest": x.max().item()}
        """,
    ],
)
def record(record: Callable[[Any], Any], *, x: Any) -> str:
    for name, sample in (("x", x), ("x.long()", x.long()), ("x[0, 1]", x[0, 1])):
        returned = call(record, "record", sample)
        expect(isinstance(returned, dict), f"`record({name})` is {text(returned)}; it should be a dictionary.")
        wanted = {"shape": list(sample.shape), "dtype": str(sample.dtype), "largest": sample.max().item()}
        for key, value in wanted.items():
            where = f'record({name})["{key}"]'
            expect(key in returned, f'`record({name})` has no entry "{key}".')
            answer = returned[key]
            if key == "largest":
                expect(
                    not is_tensor(answer),
                    f"`{where}` is a tensor, which json cannot write. item() gets the number out.",
                )
            if key == "dtype":
                expect(isinstance(answer, str), f"`{where}` is a dtype; str(…) makes a string of it.")
            expect_equal(
                answer, where, value, mistakes={dtype_name(sample): "The name of a dtype is what str(x.dtype) says."}
            )
        expect(
            _json_takes(returned), f"json.dumps refuses `record({name})`: something in it is not a plain Python value."
        )
    return "A list, a string and a number: json takes all three."


def _json_takes(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


@exercise(
    "t01-slip",
    setup="""
    weight = torch.ones(3)
    weight.require_grad = True
    """,
    hints=[
        "The attribute that autograd reads is called requires_grad.",
        "`del` removes an attribute; then set the one that was meant.",
        """
        del weight.…
        weight.… = True
        """,
        """
        del weight.require_grad
        weight.requires_grad = True
        """,
    ],
)
def slip(weight: Any) -> str:
    expect_tensor(weight, "weight", shape=(3,))
    expect(
        weight.requires_grad,
        "`weight.requires_grad` is still False, and that is the name that autograd reads: requires, with an s.",
    )
    expect(weight.is_leaf, "`weight` is a result, so its own grad would not be kept. Set the attribute of the leaf.")
    expect(not hasattr(weight, "require_grad"), "the attribute `require_grad` is still there; `del` removes it.")
    return "The attribute that autograd reads is set, and the misspelled one is gone."
