"""`ChannelShuffle`, which interleaves the channels of groups."""

from __future__ import annotations

from tensorglass.nn import functional as F
from tensorglass.nn.modules.module import Module
from tensorglass.tensor.tensor import Tensor

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """The channels of (N, C, …), in `groups`, interleaved: the first of each group, then the second of each, …
    (ShuffleNet).
    """

    __constants__ = ("groups",)

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
