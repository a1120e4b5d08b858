"""`torch.distributed.algorithms`: what is built on collective operations."""

from tensorglass.distributed.algorithms.join import Join, Joinable, JoinHook
