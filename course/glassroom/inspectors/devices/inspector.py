"""`device_map(x, y)`: which device each tensor's storage is on, and what was transferred between devices."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.inspectors.base import Inspector, Makers
from glassroom.inspectors.devices.placement import Placement, placement
from glassroom.inspectors.devices.svg import svg_of_devices
from glassroom.inspectors.devices.text import text_of_devices
from glassroom.inspectors.devices.words import move_lines, summary
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.variables import tensor_variables
from glassroom.translations.templates import as_is
from tensorglass import transfers

STEP = "Step through the transfers with the arrow keys, or point at a storage or an arrow."
POINT = "There is no transfer to step through. Point at a storage."

_seen = 0  # the transfers that earlier maps have shown


class DeviceMap(Inspector):
    """Tensors in the memories of devices, and transfers between them."""

    kind = as_is("device map")
    makers = Makers(text_of_devices, svg_of_devices, summary)
    data: Placement

    def state(self) -> dict[str, Any]:
        frames = [{"at": at, "lines": move_lines(move, at), "map": -1} for at, move in enumerate(self.data.moves, 1)]
        return {
            **super().state(),
            "kind": "device map",
            "unit": "transfer",
            "before": [self.label, STEP if frames else POINT],
            "frames": frames,
            "maps": [],
        }


def device_map(*tensors: object, since: int | None = None, **named: object) -> DeviceMap:
    """Draw the host and the devices side by side, with the storages of tensors in each, and the transfers between them.

    Takes tensorglass and PyTorch tensors, NumPy and CuPy arrays, and lists and dicts of them; with none, every tensor
    that the caller has a variable for. No value is read, so drawing the map transfers nothing. Transfers are
    tensorglass's since the last device map. `since=0` shows the whole session's (the latest thousand at most); a count
    taken earlier with ``transfers.count()`` shows those after it. Times on simulated devices come from the cost model
    and are marked so. Raises TypeError for anything else, and if no tensor has memory.
    """
    global _seen
    if sys.is_finalizing():
        return DeviceMap.of_nothing()
    frame = sys._getframe(1)
    given = dict(zip(argument_names(frame, tensors), tensors, strict=True)) | named
    picture = DeviceMap(placement(given or tensor_variables(frame), _seen if since is None else since))
    _seen = transfers.count()
    return picture
