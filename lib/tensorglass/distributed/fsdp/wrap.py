"""`torch.distributed.fsdp.wrap`: which parts of a network would be shared. None are here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = [
    "CustomPolicy",
    "ModuleWrapPolicy",
    "always_wrap_policy",
    "enable_wrap",
    "lambda_auto_wrap_policy",
    "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
    "wrap",
]


class CustomPolicy(LeftOut):
    """The parts that a function chooses."""


class ModuleWrapPolicy(LeftOut):
    """The parts that are of some classes."""


always_wrap_policy = left_out("distributed.fsdp.wrap.always_wrap_policy")
enable_wrap = left_out("distributed.fsdp.wrap.enable_wrap")
lambda_auto_wrap_policy = left_out("distributed.fsdp.wrap.lambda_auto_wrap_policy")
size_based_auto_wrap_policy = left_out("distributed.fsdp.wrap.size_based_auto_wrap_policy")
transformer_auto_wrap_policy = left_out("distributed.fsdp.wrap.transformer_auto_wrap_policy")
wrap = left_out("distributed.fsdp.wrap.wrap")
