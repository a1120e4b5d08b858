"""An autograd graph as plain data: its nodes, what they saved, where gradients will go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Saved:
    """A tensor that a node keeps for its derivative.

    `state` is "tensor", "freed" (a backward let go of it), "overwritten" (the tensor was written to since, so the
    derivative can no longer be computed), "packed" (a hook has replaced it) or "unknown". `nbytes` counts the bytes of
    its elements, without repetitions through stride 0, and `bytes` is the range of bytes that it reaches in its
    storage, the end excluded.
    """

    name: str
    state: str
    text: str
    storage: str | None = None
    version: int | None = None
    nbytes: int = 0
    bytes: tuple[int, int] | None = None


@dataclass(frozen=True)
class Leaf:
    """A tensor in which gradients are accumulated."""

    name: str
    size: tuple[int, ...]
    dtype: str
    storage: str
    version: int | None
    grad: str


@dataclass(frozen=True)
class Step:
    """One node: its name, the tensors that came out of it, what it saved, and the nodes that its gradients go to.

    `inputs` are numbers of steps, None where no gradient is wanted. `leaf` is set for AccumulateGrad. `line` is the
    line of code that it comes from and `module` the network that it belongs to, where these are known; `flags` say
    which of its tensors hold NaN or infinity.
    """

    number: int
    name: str
    outputs: tuple[str, ...]
    saved: tuple[Saved, ...]
    inputs: tuple[int | None, ...]
    leaf: Leaf | None = None
    line: str | None = None
    module: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def nbytes(self) -> int:
        """The bytes of everything that it saved; bytes that several tensors share count once."""
        by_storage: dict[str | None, set[Saved]] = {}
        for saved in self.saved:
            by_storage.setdefault(saved.storage, set()).add(replace(saved, name=""))
        return sum(_bytes_together(views) for views in by_storage.values())


def _bytes_together(views: Iterable[Saved]) -> int:
    """The bytes of views of one storage: at most their sum, and at most the range that they reach."""
    reached = end = 0
    for first, after in sorted(view.bytes for view in views if view.bytes is not None):
        reached += max(after - max(first, end), 0)
        end = max(end, after)
    return min(reached, sum(view.nbytes for view in views))


@dataclass(frozen=True, eq=False)
class GraphData:
    """The steps in the order in which they are reached from the roots; `roots` are their numbers."""

    roots: tuple[int, ...]
    steps: tuple[Step, ...]
