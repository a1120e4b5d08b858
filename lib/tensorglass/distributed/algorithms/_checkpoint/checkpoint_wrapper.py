"""Layers whose activations would be computed again. `torch.utils.checkpoint.checkpoint` does that here."""

from __future__ import annotations

from enum import Enum, auto

from tensorglass.core.left_out import LeftOut, left_out

__all__ = [
    "ActivationWrapper",
    "CheckpointImpl",
    "CheckpointWrapper",
    "OffloadWrapper",
    "apply_activation_checkpointing",
    "checkpoint_wrapper",
    "offload_wrapper",
]


class CheckpointImpl(Enum):
    """In which way they would be computed again."""

    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(LeftOut):
    """A layer with another around it."""


class CheckpointWrapper(ActivationWrapper, LeftOut):
    """A layer whose activations are computed again. No layer here is one."""


class OffloadWrapper(ActivationWrapper, LeftOut):
    """A layer whose activations wait on the CPU. No layer here is one."""


_HOME = "distributed.algorithms._checkpoint.checkpoint_wrapper"
apply_activation_checkpointing = left_out(f"{_HOME}.apply_activation_checkpointing")
checkpoint_wrapper = left_out(f"{_HOME}.checkpoint_wrapper")
offload_wrapper = left_out(f"{_HOME}.offload_wrapper")
