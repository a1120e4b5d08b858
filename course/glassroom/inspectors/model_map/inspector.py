"""`model_map(model, optimizer)`: the memory of networks, module by module."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.inspectors.base import Inspector, Makers
from glassroom.inspectors.model_map.modules import ModelMap, model_map_of
from glassroom.inspectors.model_map.picture import svg_of, text_of
from glassroom.inspectors.model_map.rows import rows_of
from glassroom.inspectors.model_map.words import spoken, summary
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.guarded import name_of_class
from glassroom.reading.networks import is_network, is_optimizer
from glassroom.reading.storage_names import unnumbered
from glassroom.records.printable import printable
from glassroom.translations.templates import as_is


class ModelMapPicture(Inspector):
    """Networks as they were when `model_map` was called."""

    kind = as_is("model map")
    makers = Makers(text_of, svg_of, summary)
    data: ModelMap

    def state(self) -> dict[str, Any]:
        words = [spoken(row) for row in rows_of(self.data.modules)[0]]
        return {**super().state(), "words": words}


def model_map(*objects: object, **named: object) -> ModelMapPicture:
    """Map networks module by module: parameters and buffers by storage, tied weights, gradients, optimizer state.

    Takes modules and optimizers of PyTorch and of tensorglass: `model_map(model, optimizer)`. Optimizer state is shown
    with the parameters that it belongs to. Tied weights count once. Identical siblings are shown once. Raises TypeError
    for anything else, and where there is no network.
    """
    if sys.is_finalizing():
        return ModelMapPicture.of_nothing()
    frame = sys._getframe(1)
    given = dict(zip(argument_names(frame, objects), objects, strict=True)) | named
    networks = {printable(name): value for name, value in given.items() if is_network(value)}
    optimizers = [value for value in given.values() if is_optimizer(value)]
    for name, value in given.items():
        if not is_network(value) and not is_optimizer(value):
            raise TypeError(f"model_map takes networks and optimizers, but {name} is a {name_of_class(value)}")
    if not networks:
        raise TypeError("model_map needs a network: model_map(model, optimizer)")
    with unnumbered():
        data = model_map_of(networks, optimizers)
    return ModelMapPicture(data).numbered()
