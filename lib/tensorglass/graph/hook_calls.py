"""Calling hooks, and checking what they return.

A hook may replace a gradient only by one of the same size and type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.core.errors import explained, old_type_name
from tensorglass.tensor.hooks import Hooks
from tensorglass.tensor.tensor import Tensor

Gradients = list[Tensor | None]


def call_hooks(hooks: Hooks | None, gradient: Tensor | None) -> Tensor | None:
    """The gradient after all hooks of a tensor. It may be None; hooks are called with None too."""
    for hook in list((hooks or {}).values()):
        answer = hook(gradient)
        if answer is not None:
            gradient = _checked_replacement(gradient, answer, hook)
    return gradient


def call_prehooks(hooks: Hooks | None, arrived: Gradients) -> Gradients:
    """The gradients of a node's outputs after the hooks that are called before it runs."""
    for hook in list((hooks or {}).values()):
        arrived = _replaced(arrived, hook(tuple(arrived)), hook)
    return arrived


def call_posthooks(hooks: Hooks | None, answers: Gradients, arrived: Gradients) -> Gradients:
    """The gradients of a node's inputs after the hooks that are called when it has run."""
    for hook in list((hooks or {}).values()):
        answers = _replaced(answers, hook(tuple(answers), tuple(arrived)), hook)
    return answers


def call_after_accumulation(hooks: Hooks | None, leaf: Tensor) -> None:
    """Call a leaf's hooks after a gradient was added to its `grad`."""
    for hook in list((hooks or {}).values()):
        answer = hook(leaf)
        if answer is not None:
            if _checked_replacement(leaf, answer, hook) is leaf:  # as from `lambda p: p.add_(…)`
                continue
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def _replaced(gradients: Gradients, answer: Any, hook: Callable[..., Any]) -> Gradients:
    if answer is None:
        return gradients
    if not isinstance(answer, tuple):
        raise explained(
            TypeError(f"expected tuple, but hook returned '{type(answer).__name__}'"),
            "A node's hook gets a tuple of gradients and returns None or a tuple of as many.",
        )
    if len(answer) != len(gradients):
        raise RuntimeError(
            f"hook '{_hook_name(hook)}' has returned an incorrect number of values (got {len(answer)}, but expected "
            f"{len(gradients)})"
        )
    return [
        None if after is None else _checked_replacement(before, after, hook)
        for before, after in zip(gradients, answer, strict=True)
    ]


def _checked_replacement(before: Tensor | None, after: Any, hook: Callable[..., Any]) -> Tensor:
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, Tensor):
        raise explained(
            TypeError(f"expected Variable, but hook returned '{type(after).__name__}'"),
            "A hook returns None, to leave the gradient as it is, or the tensor that takes its place.",
        )
    if after._dtype is not before._dtype:
        raise RuntimeError(
            f"hook '{_hook_name(hook)}' has changed the type of value (was {old_type_name(before)} got "
            f"{old_type_name(after)})"
        )
    if after._size != before._size:
        raise explained(
            RuntimeError(f"hook '{_hook_name(hook)}' has changed the size of value"),
            f"The gradient has size {list(before._size)}, the hook returned one of {list(after._size)}.",
        )
    return after


def _hook_name(hook: Callable[..., Any]) -> str:
    return getattr(hook, "__name__", "<unknown>")
