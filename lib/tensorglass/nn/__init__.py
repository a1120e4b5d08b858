"""``torch.nn``: networks. Parameters, the modules that hold them, and the functions that modules compute.

Most of the package uses the library's public names, as a program would. It is imported when it is first used.
"""

from importlib import import_module
from typing import Any

from tensorglass.core.refusing import refusing
from tensorglass.nn import functional, init, modules, parameter, utils
from tensorglass.nn.modules import *  # noqa: F403  # the layers
from tensorglass.nn.parameter import Buffer as Buffer
from tensorglass.nn.parameter import Parameter as Parameter

_refuse = refusing("nn")


def __getattr__(name: str) -> Any:
    if name in ("_reduction", "attention", "parallel"):  # `nn.parallel` needs `distributed`
        return import_module(f"tensorglass.nn.{name}")
    if name == "DataParallel":
        return import_module("tensorglass.nn.parallel").DataParallel
    if name in ("UninitializedBuffer", "UninitializedParameter"):
        return getattr(parameter, name)
    return _refuse(name)
