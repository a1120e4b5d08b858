"""`torch.distributed.launcher`: what starts a program several times. `mpiexec` does that here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = ["LaunchConfig", "elastic_launch", "launch_agent"]


class LaunchConfig(LeftOut):
    """How often, and where."""


class elastic_launch(LeftOut):
    """A function that starts another several times."""


launch_agent = left_out("distributed.launcher.launch_agent")
