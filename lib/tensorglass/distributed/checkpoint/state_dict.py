"""`torch.distributed.checkpoint.state_dict`: the states of networks that are shared among processes. None are here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]


class StateDictOptions(LeftOut):
    """What belongs to a state."""


_init_optim_state = left_out("distributed.checkpoint.state_dict._init_optim_state")
get_model_state_dict = left_out("distributed.checkpoint.state_dict.get_model_state_dict")
get_optimizer_state_dict = left_out("distributed.checkpoint.state_dict.get_optimizer_state_dict")
get_state_dict = left_out("distributed.checkpoint.state_dict.get_state_dict")
set_model_state_dict = left_out("distributed.checkpoint.state_dict.set_model_state_dict")
set_optimizer_state_dict = left_out("distributed.checkpoint.state_dict.set_optimizer_state_dict")
set_state_dict = left_out("distributed.checkpoint.state_dict.set_state_dict")
