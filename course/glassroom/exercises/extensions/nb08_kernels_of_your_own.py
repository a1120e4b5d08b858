"""Exercises of notebook 08 of part 4: a kernel with its derivative, and when fusing pays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    every_slot,
    expect,
    expect_equal,
    expect_tensor,
    expect_truths,
    expect_without,
)
from glassroom.exercises.extensions.own_functions import expect_function
from glassroom.exercises.facts import first_sentence, share_memory, values

N = 1_000_000
KERNELS = [
    "abs",
    "absolute",
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "div",
    "divide",
    "true_divide",
    "rdiv",
    "rtruediv",
    "reciprocal",
    "sign",
    "where",
    "clamp",
    "maximum",
    "copy",
    "softsign",
]


@exercise(
    "e08-softsign",
    setup="""
    import numpy
    points = torch.tensor([[0.5, -1.0, 2.0], [-0.25, 0.3, 1.0]], dtype=torch.float64)
    gradcheck = torch.autograd.gradcheck
    """,
    hints=[
        "forward makes the result with empty_like and fills its memory; backward does the same for the gradient.",
        "numpy.divide(a, b, out=y.numpy()) writes into the tensor's memory. The derivative needs y alone.",
        """
        class Softsign(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = torch.empty_like(x)
                numpy.divide(…, out=y.numpy())
                ctx.save_for_backward(y)
                return y

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, gradient):
                (y,) = ctx.saved_tensors
                out = torch.empty_like(y)
                numpy.multiply(gradient.detach().numpy(), …, out=out.numpy())
                return out
        """,
        """
        class Softsign(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = torch.empty_like(x)
                a = x.detach().numpy()
                numpy.divide(a, 1 + numpy.abs(a), out=y.numpy())
                ctx.save_for_backward(y)
                return y

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, gradient):
                (y,) = ctx.saved_tensors
                out = torch.empty_like(y)
                numpy.multiply(gradient.detach().numpy(), (1 - numpy.abs(y.detach().numpy())) ** 2, out=out.numpy())
                return out
        """,
    ],
)
def softsign(Softsign: Any, *, points: Any, gradcheck: Callable[..., bool]) -> str:
    expect_function(Softsign, "Softsign")
    x = points.detach().clone().requires_grad_()
    with account() as kept:
        told = "the kernel wrote into `x`. Its result needs memory of its own."
        y = call(Softsign.apply, "Softsign.apply", kept.watched(x), written=told)
    expect_tensor(y, "Softsign.apply(x)", shape=(2, 3), dtype="float64")
    expect_equal(
        values(y.detach()), "Softsign.apply(x).tolist()", [[v / (1 + abs(v)) for v in row] for row in values(points)]
    )
    expect(not share_memory(x, y), "`y` lies in the memory of `x`. Its result needs memory of its own.")
    expect(y.requires_grad, "nothing was recorded: is the result made by `apply`, and returned as it is?")
    expect_without(
        kept,
        "Softsign.forward",
        KERNELS,
        "That is one of the library's kernels. Yours should be NumPy's: read x.detach().numpy(), and write into "
        "the memory of the result by out=.",
    )
    expect(
        any(call.name == "numpy" for call in kept.calls),
        "nothing read the memory of `x` through numpy(), so no NumPy kernel computed this.",
    )
    saved = getattr(y.grad_fn, "saved_tensors", ())
    expect_equal(
        len(saved),
        "the number of saved tensors",
        1,
        mistakes={2: "The derivative is written with y alone: x need not be kept."},
    )
    try:
        right = gradcheck(Softsign.apply, (x,), raise_exception=False)
    except Exception as error:
        right = False
        expect(False, f"backward raised {first_sentence(error)}")
    expect(right, "the forward is right, but the gradient is not: it is gradient * (1 - |y|)².")
    return "A NumPy kernel computed the result, one tensor was saved, and gradcheck finds the backward right."


@exercise(
    "e08-count",
    hints=[
        "Each kernel reads its operand and writes its result, n elements of 4 bytes each; numbers cost nothing.",
        "Composed: three kernels. Fused: x is read once, the result written once.",
        "bytes_composed = 3 * …; bytes_fused = 2 * 4 * n; from three launches to …",
        """
        bytes_composed = 24_000_000
        bytes_fused = 8_000_000
        launches_saved = 2
        """,
    ],
)
def count(bytes_composed: Any, bytes_fused: Any, launches_saved: Any) -> str:
    with every_slot():
        expect_equal(
            bytes_composed,
            "bytes_composed",
            24 * N,
            mistakes={
                12 * N: "Each kernel reads *and* writes n elements.",
                6 * N: "Those are elements; each has 4 bytes.",
                16 * N: "Three results are written, and three operands read: the intermediate ones count twice.",
            },
        )
        expect_equal(
            bytes_fused,
            "bytes_fused",
            8 * N,
            mistakes={4 * N: "It reads n elements and writes n.", 2 * N: "Each has 4 bytes."},
        )
        expect_equal(launches_saved, "launches_saved", 2, mistakes={3: "One launch is left."})
    return "A third of the bytes, and of the launches."


PAYS = {
    "activation": (True, "Six operators on much memory: five results need never be written."),
    "product": (False, "It is bound by arithmetic, and the library's kernel is hard to beat."),
    "one_operator": (False, "It is one kernel already: there is nothing to fuse."),
    "many_small": (True, "Small tensors: 1,600 launches become 200."),
}


@exercise(
    "e08-pays",
    hints=[
        "Fusing saves launches and temporaries. Where there are few of either, it saves nothing.",
        "Ask of each: how many kernels in a row, and are they bound by launches, bytes or arithmetic?",
        "A fused kernel pays for two of the four.",
        """
        activation = True
        product = False
        one_operator = False
        many_small = True
        """,
    ],
)
def pays(activation: Any, product: Any, one_operator: Any, many_small: Any) -> str:
    answers = (activation, product, one_operator, many_small)
    expect_truths(PAYS, answers)
    return "Several elementwise operators in a row: that is what fusing is for."
