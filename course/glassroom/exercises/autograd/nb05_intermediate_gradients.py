"""Exercises of notebook 05: gradients that are kept, asked for, and changed on their way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_tensor, expect_value, expect_words
from glassroom.exercises.facts import explained_sentence, is_tensor, leaf_of, rounded, same_value, text, values
from glassroom.translations.templates import as_is


@exercise(
    "a05-chain",
    setup="""
    x = torch.tensor([1.0, 2.0, 3.0])
    w = torch.tensor([3.0, 2.0, 1.0], requires_grad=True)
    """,
    hints=[
        "A result keeps its gradient if it is asked to before backward runs.",
        "Call retain_grad() on a, b and c; then c.sum().backward(); then return their .grad.",
        """
        def chain(w, x):
            a = w * x
            b = a.tanh()
            c = b.tanh()
            …
            c.sum().backward()
            return a.grad, b.grad, c.grad
        """,
        """
        def chain(w, x):
            a = w * x
            b = a.tanh()
            c = b.tanh()
            for result in (a, b, c):
                result.retain_grad()
            c.sum().backward()
            return a.grad, b.grad, c.grad
        """,
    ],
)
def chain(chain: Callable[..., Any], *, w: Any, x: Any) -> str:
    for given in (x.detach() / 2 - 1, x.detach()):
        returned = call(chain, "chain", leaf_of(w), given)
        expect(
            isinstance(returned, (tuple, list)) and len(returned) == 3,
            f"`chain` returned {text(returned)}; it should return three gradients, those of a, b and c.",
        )
        leaf = leaf_of(w)
        a = leaf * given
        b = a.tanh()
        results = (a, b, b.tanh())
        for result in results:
            result.retain_grad()
        results[-1].sum().backward()
        for name, gradient, result in zip("abc", returned, results, strict=True):
            expect(
                gradient is not None,
                f"the gradient of `{name}` is None: it was not asked to keep it before backward ran.",
            )
            expect_tensor(gradient, f"the gradient of {name}")
            expect(
                not same_value(values(gradient), values(result.detach())),
                f"what you return for `{name}` is the tensor itself; its gradient is in its `.grad`.",
            )
            expect(
                not same_value(values(gradient), values(leaf.grad)),
                f"what you return for `{name}` is the gradient of `w`.",
            )
            others = {other: values(result.grad) for other, result in zip("abc", results, strict=True) if other != name}
            for other, its in others.items():
                expect(
                    not same_value(values(gradient), its),
                    f"what you return for `{name}` is the gradient of `{other}`: the order is a, b, c.",
                )
            expect_value(gradient, f"the gradient of {name}", result.grad)
        first = [float(result.grad[0]) for result in results]
    return (
        f"For the first element, the gradient is 1 at `c`, {first[1]:.2g} at `b` and {first[0]:.2g} at `a`: "
        "each tanh lets less of it through."
    )


@exercise(
    "a05-saliency",
    setup="""
    x = torch.tensor([1.0, 2.0, 3.0])
    weights = torch.tensor([2.0, -3.0, 0.5], requires_grad=True)
    def model(image):
        return (weights * image).tanh().sum()
    """,
    hints=[
        "A gradient with respect to the input needs an input that requires grad; a header of your own can.",
        "x.detach().requires_grad_() shares the memory of x and leaves x alone. autograd.grad fills no .grad.",
        """
        def saliency(model, x):
            image = x.detach().requires_grad_()
            (gradient,) = torch.autograd.grad(…, image)
            return …
        """,
        """
        def saliency(model, x):
            image = x.detach().requires_grad_()
            (gradient,) = torch.autograd.grad(model(image), image)
            return gradient.abs()
        """,
    ],
)
def saliency(saliency: Callable[..., Any], *, model: Any, weights: Any, x: Any) -> str:
    mine, before = x.detach().clone(), weights.grad
    kept = None if before is None else values(before)
    try:
        result = call(saliency, "saliency", model, mine)
        touched = weights.grad is not None and values(weights.grad) != kept
    finally:
        weights.grad = before
    expect(
        not isinstance(result, (tuple, list)),
        "`saliency` returns a tuple, as autograd.grad does: take the one gradient out of it.",
    )
    expect_tensor(result, "saliency(model, x)")
    image, other_weights = leaf_of(x), leaf_of(weights)
    (other_weights * image).tanh().sum().backward()
    expect(
        not same_value(values(result), values(image.grad)),
        "that is the gradient; its absolute value was asked for.",
    )
    expect(
        not same_value(values(result), values(other_weights.grad.abs())),
        "that is the gradient of the weights; you need the gradient of the input.",
    )
    expect_value(result, "saliency(model, x)", image.grad.abs())
    other = leaf_of(x / 4 - 1)
    (other**3).sum().backward()
    returned = call(saliency, "saliency", _cubes, other.detach())
    expect_value(returned, "saliency(another model, another x)", other.grad.abs())
    expect(
        not touched,
        "the values are right, but the weights' `.grad` was filled: backward() fills every leaf, autograd.grad none.",
    )
    expect(
        not mine.requires_grad and mine.grad is None,
        "the values are right, but the caller's `x` requires grad now. Use a detach() of it.",
    )
    return "The gradient of the input, and neither the input nor the weights were touched."


def _cubes(image: Any) -> Any:
    return (image**3).sum()


@exercise(
    "a05-limit",
    setup="""
    x = torch.tensor([1.0, 2.0, 3.0])
    w = torch.tensor([3.0, 2.0, 1.0], requires_grad=True)
    """,
    hints=[
        "A hook that returns a tensor changes what goes on; one that returns None does not.",
        "The norm is (gradient * gradient).sum().sqrt(). Multiply by largest / norm if it is too large.",
        """
        def limit(tensor, largest):
            def scale(gradient):
                norm = (gradient * gradient).sum().sqrt()
                return … if norm > largest else None

            return tensor.register_hook(…)
        """,
        """
        def limit(tensor, largest):
            def scale(gradient):
                norm = (gradient * gradient).sum().sqrt()
                return gradient * (largest / norm) if norm > largest else None

            return tensor.register_hook(scale)
        """,
    ],
)
def limit(limit: Callable[..., Any], *, w: Any, x: Any) -> str:
    _expect_limited(
        limit, w, x, largest=1000.0, otherwise="the gradient is short enough, but it was changed all the same."
    )
    _expect_limited(limit, w, x, largest=2.0, otherwise="")

    leaf, other = leaf_of(w), leaf_of(w)
    first = other * x
    second = leaf * x
    handle = call(limit, "limit", second, 0.5)
    ((first + second) * x).sum().backward()
    expect(
        same_value(values(other.grad), values(x * x)),
        "the gradient of *another* tensor was scaled too: the hook writes into the gradient that it is given, which "
        "others share. Return a new one.",
    )
    expect(
        callable(getattr(handle, "remove", None)) and not isinstance(handle, list),
        f"`limit` returned {text(handle)}; it should return the handle, which register_hook returns.",
    )
    leaf = leaf_of(w)
    result = leaf * x
    call(limit, "limit", result, 0.5).remove()
    result.sum().backward()
    expect(same_value(values(leaf.grad), values(x)), "after handle.remove() the gradient is still changed.")
    return "Directions are kept, lengths are limited, and nobody else's gradient is touched."


def _expect_limited(limit: Callable[..., Any], w: Any, x: Any, largest: float, otherwise: str) -> None:
    leaf = leaf_of(w)
    result = leaf * x
    call(limit, "limit", result, largest)
    try:
        (result * result).sum().backward()
    except Exception as error:
        if "hook" not in str(error):  # it is not about what the hook returned
            raise
        told = explained_sentence(error)
        expect(False, f"in backward, {told} What a hook returns takes the gradient's place: the whole tensor, scaled.")
    arriving = 2 * (w * x).detach()
    norm = float((arriving * arriving).sum().sqrt())
    going_on = arriving * min(1.0, largest / norm)
    if same_value(values(leaf.grad), values(going_on * x)):
        return
    expect(
        not same_value(values(leaf.grad), values(arriving * x)),
        f"a gradient of norm {norm:.2f} went on as it came, with `largest` {largest}. "
        "Does the hook return the new gradient? Is it registered?",
    )
    expect(
        not same_value(values(leaf.grad), values(arriving.clamp(-largest, largest) * x)),
        "each element was cut off on its own, which changes the direction. Scale the whole by largest / norm.",
    )
    by_the_tensor = arriving * (largest / float(result.detach().norm()))
    expect(
        not same_value(values(leaf.grad), values(by_the_tensor * x)),
        f"the gradient was multiplied by `largest` / {float(result.detach().norm()):.4g}, and that is the norm of the "
        f"tensor. Take the norm of the gradient that the hook is given, {norm:.4g}.",
    )
    by_the_square = arriving * (largest / norm**2)
    expect(
        not same_value(values(leaf.grad), values(by_the_square * x)),
        "the gradient was multiplied by `largest` / the sum of its squares; the norm is the *root* of that sum.",
    )
    kept, right = (text(rounded(values(gradient))) for gradient in (leaf.grad / x, going_on))
    new = float((leaf.grad / x).norm())
    expect(
        False,
        otherwise
        or f"with `largest` {largest}, {kept} went on, of norm {new:.4g}, and not {right}: the gradient that arrives, "
        f"of norm {norm:.4g}, times `largest` / norm.",
    )


@exercise(
    "a05-step-at-once",
    setup="""
    x = torch.tensor([1.0, 2.0, 3.0])
    w = torch.tensor([3.0, 2.0, 1.0], requires_grad=True)
    """,
    hints=[
        "The hook gets the leaf, with .grad filled. What it does to the leaf must not be recorded.",
        "Under torch.no_grad(), subtract in place; then let go of the gradient.",
        """
        def step_at_once(leaf):
            with torch.no_grad():
                leaf -= …
            leaf.grad = …
        """,
        """
        def step_at_once(leaf):
            with torch.no_grad():
                leaf -= 0.1 * leaf.grad
            leaf.grad = None
        """,
    ],
)
def step_at_once(step_at_once: Callable[[Any], Any], *, w: Any, x: Any) -> str:
    expect(
        callable(step_at_once) and not is_tensor(step_at_once),
        f"`step_at_once` is {text(step_at_once)}; it should be a function.",
    )
    leaf = leaf_of(w)
    leaf.register_post_accumulate_grad_hook(step_at_once)
    for times in (1, 2):
        try:
            (leaf * x).sum().backward()
        except Exception as error:  # whatever the learner's function does in the middle of backward
            expect(False, f"within backward, `step_at_once` raised {explained_sentence(error)}")
        expect(
            not same_value(values(leaf), values(w)),
            "after backward the leaf is as it was. `leaf = leaf - …` gives the name to a new tensor; write in place.",
        )
        if times == 1:
            for other, shows in (
                (w + 0.1 * x, "the step went up the gradient: it is subtracted."),
                (
                    w - 0.1 * w,
                    "the step took 0.1 of the leaf itself: the hook is given the leaf; its gradient is `.grad`.",
                ),
                (w - x, "the step took the whole gradient: take 0.1 of it."),
            ):
                expect(not same_value(values(leaf), values(other.detach())), shows)
        accumulated = (w - 0.1 * 3 * x).detach()  # the second gradient was added to the first
        expect(
            times == 1 or not same_value(values(leaf), values(accumulated)),
            "the second step took both gradients: set `.grad` to None, or the next backward adds to it.",
        )
        expect_value(leaf, f"after backward number {times}, the leaf", (w - 0.1 * times * x).detach())
        expect(leaf.grad is None, "the step is right, but `.grad` still holds a tensor. None lets go of its memory.")
    outside = leaf_of(w)
    outside.grad = x.detach().clone()
    try:
        step_at_once(outside)
    except RuntimeError as error:
        expect(
            "in-place" not in str(error),
            "within backward it is right; called outside of backward, its step is recorded, and refused for a leaf. "
            "Take the step under torch.no_grad().",
        )
        raise
    return "When backward ends, the step is taken and no gradient is left."


CHOICES = {
    "penalty": ("grad", "torch.autograd.grad returns the gradient and fills no `.grad`."),
    "reversal": ("hook", "Only what a hook returns goes on in the gradient's place."),
    "debugging": ("retain_grad", "Backward runs anyway; `h` need only keep what comes by."),
    "frugal": (as_is("post hook"), "It is called for a leaf, once `.grad` is complete."),
}


@exercise(
    "a05-which",
    hints=[
        "Ask: is the gradient to be looked at, returned, changed on its way, or acted on once it is complete?",
        "Each of the four ways is the answer once.",
        'reversal = "hook", and frugal = "post hook". Which of the other two fills a .grad?',
        """
        penalty = "grad"
        reversal = "hook"
        debugging = "retain_grad"
        frugal = "post hook"
        """,
    ],
)
def which(penalty: Any, reversal: Any, debugging: Any, frugal: Any) -> str:
    words = {
        name: (best, {choice: reason for choice, _ in CHOICES.values() if choice != best})
        for name, (best, reason) in CHOICES.items()
    }
    expect_words(words, (penalty, reversal, debugging, frugal))
    return "Each of the four has its task."
