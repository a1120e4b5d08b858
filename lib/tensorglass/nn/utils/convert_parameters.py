"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import tensorglass as torch
from tensorglass.tensor.tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The elements of all parameters, one after another."""
    parameters = list(parameters)
    _check_devices(parameters)
    return torch.cat([each.view(-1) for each in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make the parameters views of the vector's elements, one after another."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    parameters = list(parameters)
    _check_devices(parameters)
    begin = 0
    for each in parameters:
        end = begin + each.numel()
        each.data = vec[begin:end].view_as(each).data
        begin = end


def _check_devices(parameters: list[Tensor]) -> None:
    if len({each.device for each in parameters}) > 1:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
