"""`torch.fx`: libraries ask whether a network is a recorded one, and derive recorders. Nothing is recorded here."""

from __future__ import annotations

from typing import TypeVar

from tensorglass.core.left_out import LeftOut
from tensorglass.nn import Module

__all__ = ["GraphModule", "wrap"]

Wrapped = TypeVar("Wrapped")


class GraphModule(LeftOut, Module):
    """A network made of a recorded program. No network here is one."""


def wrap(fn_or_name: Wrapped) -> Wrapped:
    """The function itself, or its name, which recorders should not look into."""
    return fn_or_name
