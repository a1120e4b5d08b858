"""`torch.distributed.device_mesh`: libraries ask for processes that stand in a grid. None are here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh(LeftOut):
    """Processes in a grid."""


init_device_mesh = left_out("distributed.device_mesh.init_device_mesh")
