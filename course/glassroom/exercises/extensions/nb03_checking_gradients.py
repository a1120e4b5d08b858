"""Exercises of notebook 03 of part 4: numerical against analytical, and what a mismatch says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    call_writing,
    expect,
    expect_equal,
    expect_saved_by_context,
    expect_tensor,
    expect_value,
    expect_words,
)
from glassroom.exercises.extensions.own_functions import applied
from glassroom.exercises.facts import dtype_name, is_tensor, leaf_of, same_value, values
from glassroom.records.columns import joined


@exercise(
    "e03-numerical",
    setup="""
    def f(x):
        return (x * x).sum() + x[0] * x[-1]

    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    """,
    hints=[
        "One element at a time: a step that is eps there and 0 elsewhere, in both directions.",
        "Make the step as a new tensor, so that x itself is never written to; divide by twice eps.",
        """
        def numerical(f, x, eps):
            result = torch.zeros_like(x)
            for i in range(len(x)):
                step = torch.zeros_like(x)
                step[i] = eps
                result[i] = …
            return result
        """,
        """
        def numerical(f, x, eps):
            result = torch.zeros_like(x)
            for i in range(len(x)):
                step = torch.zeros_like(x)
                step[i] = eps
                result[i] = (f(x + step) - f(x - step)) / (2 * eps)
            return result
        """,
    ],
)
def numerical(numerical: Callable[..., Any], *, f: Callable[..., Any], x: Any) -> str:
    mine = x.detach().clone()
    result = call_writing(numerical, "numerical", f, mine, 0.125)
    expect(values(mine) == values(x), "`x` was changed and not put back: move each element by itself.")
    expect_tensor(result, "numerical(f, x, eps)")
    expect(
        tuple(result.shape) != (),
        "`numerical(f, x, eps)` is one number: all elements moved at once. Move one element at a time.",
    )
    expect_tensor(result, "numerical(f, x, eps)", shape=tuple(x.shape))
    right = 2 * x
    right[0] += x[-1]
    right[-1] += x[0]
    expect(
        not same_value(values(result), values(right * 2)),
        "every entry is twice as large as it should be: the two points are 2 * eps apart.",
    )
    above, below = ([float(f(mine + sign * step)) for step in _steps(mine, 0.125)] for sign in (1, -1))
    expect(
        not same_value(values(result), [over - under / 0.25 for over, under in zip(above, below, strict=True)]),
        "only the second value was divided by 2 * eps: the difference needs parentheses, (f(…) - f(…)) / (2 * eps).",
    )
    expect(
        not same_value(values(result), [values(right)[0], *[0.0] * (len(mine) - 1)]),
        "only the first element was computed: `return` stands inside the loop.",
    )
    forward = right + 0.125  # what a step to one side alone gives: all second derivatives but the mixed one are 2
    expect(
        not same_value(values(result), values(forward)),
        "the step goes in one direction only, so its error shrinks only in proportion to eps. Go eps in both "
        "directions.",
    )
    expect(
        not same_value(values(result), values(right * 0.125**2)),
        "the difference was divided by 2 and *multiplied* by eps: write `/ (2 * eps)`.",
    )
    expect(
        not same_value(values(result), values(forward / 2)),
        "every entry is half of what a step to one side gives. `before = x[i]` is a view of `x`, which moves with it: "
        "keep the number, `x[i].item()`.",
    )
    expect(
        not same_value(values(result), values(right * 0)),
        "every entry is 0: the two points are the same. An assignment gives `x` another name; make new tensors.",
    )
    expect_value(result, "numerical(f, x, 0.125)", right)
    cubes = call_writing(numerical, "numerical", lambda t: (t * t * t).sum(), mine, 0.5)
    expect(
        not (is_tensor(cubes) and same_value(values(cubes), values(3 * x * x))),
        "that is the exact gradient, as autograd gives it. The numerical one of the sum of cubes is 0.25 larger at "
        "eps = 0.5: compute it from values of f alone.",
    )
    expect_value(cubes, "numerical(sum of cubes, x, 0.5)", 3 * x * x + 0.25)
    return "Two calls for each element, and no derivative was needed."


def _steps(x: Any, eps: float) -> list[Any]:
    """A step of eps along each element."""
    steps = []
    for place in range(len(x)):
        step = x * 0
        step[place] = eps
        steps.append(step)
    return steps


@exercise(
    "e03-mended",
    setup="""
    gradcheck = torch.autograd.gradcheck
    matrix = torch.arange(6.0, dtype=torch.float64).view(2, 3).requires_grad_()
    x = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    inputs = (matrix, x, b)
    """,
    hints=[
        "The message says with respect to which input the two differ. Look at the gradient for that one.",
        "Input 1 is x. The rows of the analytical matrix are those of the numerical one, from the last to the first.",
        """
        class Mended(torch.autograd.Function):
            @staticmethod
            def forward(ctx, matrix, x, b):
                ctx.save_for_backward(matrix, x)
                return matrix @ x + b

            @staticmethod
            def backward(ctx, gradient):
                matrix, x = ctx.saved_tensors
                return gradient.unsqueeze(1) * x, …, gradient
        """,
        """
        class Mended(torch.autograd.Function):
            @staticmethod
            def forward(ctx, matrix, x, b):
                ctx.save_for_backward(matrix, x)
                return matrix @ x + b

            @staticmethod
            def backward(ctx, gradient):
                matrix, x = ctx.saved_tensors
                return gradient.unsqueeze(1) * x, matrix.t() @ gradient, gradient
        """,
    ],
)
def mended(Mended: Any, *, gradcheck: Callable[..., Any], inputs: Sequence[Any]) -> str:
    matrix, x, b = inputs = [leaf_of(each.double()) for each in inputs]
    result = applied(Mended, "Mended", *inputs)
    expect_tensor(result, "Mended.apply(matrix, x, b)", shape=tuple(b.shape))
    expect_value(result, "Mended.apply(matrix, x, b)", (matrix @ x + b).detach())
    expect(result.requires_grad, "the result does not require grad. Is it made by `apply`, and not detached?")
    expect_saved_by_context(result.grad_fn, "Mended")
    for place, (name, input) in enumerate(zip(("matrix", "x", "b"), inputs, strict=True)):
        alone = [input if other is input else other.detach() for other in inputs]
        if not gradcheck(Mended.apply, alone, raise_exception=False):
            told, clue = (
                f"gradcheck still finds a mismatch with respect to input {place}, `{name}`.",
                _clue(Mended.apply, input, alone),
            )
            expect(False, joined(told, clue) if clue else told)
    others = [(source.detach() * 2 - 1).requires_grad_() for source in inputs]
    expect(
        gradcheck(Mended.apply, others, raise_exception=False),
        "given other tensors, the gradient is not theirs: backward takes what it needs out of ctx.saved_tensors.",
    )
    return "Forward and backward agree now."


def _clue(apply: Callable[..., Any], input: Any, inputs: Sequence[Any]) -> str:
    """What the analytical matrix of a wrong backward has in common with the right one, by the table in the notebook."""
    mine = _matrix_of(apply, input, inputs)
    right = _matrix_of(lambda matrix, x, b: matrix @ x + b, input, inputs)
    pairs = [pair for rows in zip(mine, right, strict=True) for pair in zip(*rows, strict=True)]
    factors = [number / wanted for number, wanted in pairs if wanted]
    if not any(number for number, _ in pairs):
        return "The analytical matrix is all zeros: a path was cut."
    if all(same_value(column, mine[0]) for column in mine):
        return "The analytical matrix has the same numbers in every column: `gradient` is missing from the formula."
    if same_value(factors, [factors[0]] * len(factors)) and not any(number for number, wanted in pairs if not wanted):
        return f"The analytical matrix is the numerical one times {factors[0]:.4g}: look for a constant."
    if sorted(number for number, _ in pairs) == sorted(wanted for _, wanted in pairs):
        return "The analytical matrix has the right numbers, in other places."
    return ""


def _matrix_of(function: Callable[..., Any], input: Any, inputs: Sequence[Any]) -> list[list[float]]:
    """The columns of a Jacobian: one for each result, with a number for each element of the input."""
    leaf = leaf_of(input)
    results = function(*(leaf if other is input else other for other in inputs))
    columns = []
    for result in results:
        leaf.grad = None
        result.backward(retain_graph=True)
        columns.append(values((leaf * 0 if leaf.grad is None else leaf.grad).detach().flatten()))
    return columns


CURES = {
    "single": ("double", "Seven digits are too few for a difference that is divided by 1e-6."),
    "near_zero": ("move", "One step of 1e-6 lands on the other side of the kink at 0. There is nothing wrong."),
    "transposed": ("mend", "The numbers are right, but in the wrong positions: backward lacks a transpose."),
    "noisy": ("seed", "A difference of two different functions, divided by 1e-6, is enormous."),
    "all_zeros": ("mend", "The function depends on `v`, and backward says that it does not."),
}


@exercise(
    "e03-cure",
    hints=[
        "Ask first whether you can believe the numerical matrix.",
        "You cannot in single precision, near a kink, or for a function that changes. Otherwise, backward is wrong.",
        'Two of the five are cured by "mend".',
        """
        single = "double"
        near_zero = "move"
        transposed = "mend"
        noisy = "seed"
        all_zeros = "mend"
        """,
    ],
)
def cure(single: Any, near_zero: Any, transposed: Any, noisy: Any, all_zeros: Any) -> str:
    kinds = ("double", "move", "seed", "mend")
    words = {
        name: (truth, {kind: reason for kind in kinds if kind != truth}) for name, (truth, reason) in CURES.items()
    }
    expect_words(words, (single, near_zero, transposed, noisy, all_zeros))
    return "Three checks were set up wrongly; in the other two, the backward was wrong."


@exercise(
    "e03-is-right",
    setup="""
    gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = torch.tensor([0.5, 1.0, 2.0])
    """,
    hints=[
        "Make new inputs: without history, in double precision, requiring a gradient. Then ask twice.",
        "detach().double().requires_grad_() for each of the inputs, and raise_exception=False in both calls.",
        """
        def is_right(function, *inputs):
            doubles = [… for each in inputs]
            return gradcheck(function, doubles, raise_exception=False) and …
        """,
        """
        def is_right(function, *inputs):
            doubles = [each.detach().double().requires_grad_() for each in inputs]
            return gradcheck(function, doubles, raise_exception=False) and gradgradcheck(
                function, doubles, raise_exception=False
            )
        """,
    ],
)
def is_right(is_right: Callable[..., Any], *, x: Any) -> str:
    def verdict(function: Callable[..., Any], *inputs: Any) -> Any:
        return call(is_right, "is_right", function, *inputs)

    single, other = x.detach().clone(), x.detach().clone() + 1
    needed = "gradcheck wants inputs in double precision that require a gradient: convert them."
    expect_equal(verdict(_square, single), "is_right(lambda x: x * x, x)", True, mistakes={False: needed})
    expect_equal(verdict(_product, single, other), "is_right(lambda x, y: x * y, x, y)", True)
    changed = "the input that was handed over has changed: `requires_grad_` works in place. Detach it first."
    expect(
        not single.requires_grad and dtype_name(single) == "float32" and values(single) == values(x),
        changed,
    )
    cut = "One factor is detached, so that half of the derivative is missing. Does gradcheck's answer get lost?"
    expect_equal(verdict(_half_cut, single), "is_right(lambda x: x * x.detach(), x)", False, mistakes={True: cut})
    second_cut = "Its second input is detached. Do all the inputs require a gradient?"
    expect_equal(
        verdict(_second_cut, single, other),
        "is_right(lambda x, y: x * y.detach(), x, y)",
        False,
        mistakes={True: second_cut},
    )
    double = single.double()
    expect_equal(verdict(_square, double), "is_right(lambda x: x * x, x.double())", True)
    expect(not double.requires_grad, changed)
    once = "The first derivative is right, so gradcheck lets that function pass: ask gradgradcheck, too."
    expect_equal(verdict(_once_right, single), "the answer for a wrong second derivative", False, mistakes={True: once})
    first = "The first derivative is twice what it should be, and the second fits the wrong first: ask gradcheck, too."
    expect_equal(verdict(_doubled, single), "the answer for a wrong first derivative", False, mistakes={True: first})
    return "It says True where both derivatives are right, and only there."


def _square(x: Any) -> Any:
    return x * x


def _product(x: Any, y: Any) -> Any:
    return x * y


def _half_cut(x: Any) -> Any:
    return x * x.detach()


def _second_cut(x: Any, y: Any) -> Any:
    return x * y.detach()


def _doubled(x: Any) -> Any:
    """The square, with a gradient that is twice too large, and has a derivative itself."""
    result = x * x
    if result.requires_grad:
        result.register_hook(lambda gradient: 2 * gradient)
    return result


def _once_right(x: Any) -> Any:
    """The cube, and its first derivative; the second is lost."""
    constant = x.detach()
    return constant * constant * constant + (x - constant) * (3 * constant * constant)


@exercise(
    "e03-complex-product",
    setup="""
    gradcheck = torch.autograd.gradcheck
    z = torch.tensor(1 + 2j, dtype=torch.complex128, requires_grad=True)
    """,
    hints=[
        "The derivative for u is v, and for v it is u. Backward multiplies by the conjugate of the derivative.",
        "v.conj() is the conjugate; for real numbers it changes nothing.",
        """
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, u, v):
                ctx.save_for_backward(u, v)
                return u * v

            @staticmethod
            def backward(ctx, gradient):
                u, v = ctx.saved_tensors
                return gradient * …, gradient * …
        """,
        """
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, u, v):
                ctx.save_for_backward(u, v)
                return u * v

            @staticmethod
            def backward(ctx, gradient):
                u, v = ctx.saved_tensors
                return gradient * v.conj(), gradient * u.conj()
        """,
    ],
)
def product(Product: Any, *, gradcheck: Callable[..., Any], z: Any) -> str:
    u = z.detach().clone().requires_grad_()
    v = (z.detach() * (2 - 0.5j) + 1).requires_grad_()
    result = applied(Product, "Product", u, v)
    expect_value(result, "Product.apply(u, v)", (u * v).detach())
    expect_saved_by_context(result.grad_fn, "Product")
    real = [tensor.detach().real.clone().requires_grad_() for tensor in (u, v)]
    Product.apply(*real).sum().mul(2).backward()
    bare, real[0].grad, real[1].grad = real[0].grad, None, None
    expect(
        bare is None or not same_value(values(bare), values(real[1].detach())),
        "`gradient`, which arrives, is missing from the formula: backward multiplies it by the derivative.",
    )
    expect(
        gradcheck(Product.apply, real, raise_exception=False),
        "gradcheck finds a mismatch for real numbers already: the derivative for `u` is `v`, and for `v` it is `u`.",
    )
    expect(
        gradcheck(Product.apply, (u, v), raise_exception=False),
        "right for real numbers, wrong for complex ones: backward multiplies by the *conjugate* of the derivative.",
    )
    return "Right for real numbers, and for complex ones."
