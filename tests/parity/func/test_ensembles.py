"""Several networks as one: `stack_module_state` gives what PyTorch's gives, and refuses what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")


def outputs(library: Any) -> Any:
    library.manual_seed(0)
    nn, func = library.nn, library.func
    models = [nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)).eval() for _ in range(3)]
    parameters, buffers = func.stack_module_state(models)
    assert all(parameter.requires_grad and parameter.is_leaf for parameter in parameters.values())
    x = library.randn(5, 3)

    def call(parameters: Any, buffers: Any, x: Any) -> Any:
        return func.functional_call(models[0], (parameters, buffers), (x,))

    together = func.vmap(call, in_dims=(0, 0, None))(parameters, buffers, x)
    together.sum().backward()
    sizes = {name: tuple(value.shape) for name, value in {**parameters, **buffers}.items()}
    return sizes, together.detach().numpy(), parameters["0.weight"].grad.numpy()


def test_stacked_networks_compute_what_they_compute_in_pytorch() -> None:
    theirs, ours = outputs(torch), outputs(tensorglass)
    assert ours[0] == theirs[0]
    for one, other in zip(ours[1:], theirs[1:], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_networks_that_are_not_alike_are_refused_as_in_pytorch() -> None:
    told = []
    for library in (torch, tensorglass):
        nn = library.nn
        for models in ([], [nn.Linear(1, 1), nn.Linear(1, 1).eval()], [nn.Linear(1, 1), nn.ReLU()]):
            with pytest.raises(RuntimeError) as caught:
                library.func.stack_module_state(models)
            told.append(str(caught.value))
    assert told[:3] == told[3:]
