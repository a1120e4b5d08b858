"""`torch.fx`: libraries ask whether a network is a recorded one, and derive recorders. Nothing is recorded here."""

from __future__ import annotations

from typing import TypeVar

from tensorglass.core.left_out import LeftOut, left_out
from tensorglass.nn import Module

__all__ = [
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "map_arg",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]

Wrapped = TypeVar("Wrapped")


class Graph(LeftOut):
    """A program that was recorded."""


class GraphModule(LeftOut, Module):
    """A network made of a recorded program. No network here is one."""


class Node(LeftOut):
    """A step of a recorded program."""


class Proxy(LeftOut):
    """What stands for a tensor while a program is recorded."""


class Tracer(LeftOut):
    """What records a program."""


class Interpreter(LeftOut):
    """What runs a recorded program."""


class Transformer(LeftOut):
    """What changes a recorded program."""


make_fx = left_out("fx.experimental.proxy_tensor.make_fx")
map_arg = left_out("fx.map_arg")
replace_pattern = left_out("fx.replace_pattern")
symbolic_trace = left_out("fx.symbolic_trace")


def wrap(fn_or_name: Wrapped) -> Wrapped:
    """The function itself, or its name, which recorders should not look into."""
    return fn_or_name
