"""A view of a view, with shortcuts: what it says of itself after a write to its base, on both libraries."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

VIEWS: dict[str, Callable[[Any], Any]] = {
    "view": lambda x: x.view(x.shape[::-1]),
    "view of a tuple": lambda x: x.view((1, *x.shape)),
    "reshape": lambda x: x.reshape(x.shape[::-1]),
    "t": lambda x: x.t(),
    "transpose": lambda x: x.transpose(0, 1),
}


def told(lib: Any, first: str, second: str, where: str, write_again: bool) -> list[Any]:
    """The facts of the second view after a write to its base, or the error."""
    leaf = lib.ones(2, 3, requires_grad=True)
    base = leaf if where == "of a leaf" else leaf * 1
    try:
        if where == "under no_grad":
            with lib.no_grad():
                view = VIEWS[first](base)
        else:
            view = VIEWS[first](base)
        last = VIEWS[second](view) if view.dim() == 2 else view.view(-1)
        if base is not leaf:
            base.mul_(2)
        if write_again:
            last.mul_(3)
        name = last.grad_fn and last.grad_fn.name()
        said = [last.requires_grad, last.is_leaf, name, last._version, view.requires_grad]
        base.sum().backward()
        return [*said, leaf.grad.tolist()]
    except RuntimeError as error:
        return [type(error).__name__, str(error).splitlines()[0]]


@pytest.mark.parametrize(("first", "second"), list(product(VIEWS, VIEWS)))
@pytest.mark.parametrize("where", ["recorded", "under no_grad", "of a leaf"])
@pytest.mark.parametrize("write_again", [False, True])
def test_a_view_of_a_view_tells_what_it_tells_on_pytorch(
    first: str, second: str, where: str, write_again: bool
) -> None:
    case = (first, second, where, write_again)
    assert told(tensorglass, *case) == told(torch, *case)
