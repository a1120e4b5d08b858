"""Modules on PyTorch's own ModuleInfo samples: printed forms, state dictionaries, values, results, gradients."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import pytest
from parity.nn.samples import are_close, ours, plain, spread

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's table of modules needs it: pip install expecttest")
from torch.testing._internal.common_modules import module_db  # noqa: E402  # after the check above

MOST = 16  #: samples of each, of which some have hundreds
INFOS = {
    info.module_cls.__name__: info
    for info in module_db
    if getattr(tensorglass.nn, info.module_cls.__name__, None) is not None
    and info.module_cls.__module__.startswith("torch.nn.modules.")
}


def inputs(info: Any, training: bool) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = info.module_inputs_func(
            info, device="cpu", dtype=torch.float64, requires_grad=True, training=training
        )
        return spread(samples, MOST)


def made(library: Any, kind: Any, arguments: Any, keywords: Any, training: bool) -> Any:
    library.manual_seed(1)
    return kind(*arguments, **keywords).double().train(training)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", INFOS)
@pytest.mark.filterwarnings("ignore")
def test_modules_are_those_of_pytorch(name: str, training: bool) -> None:
    for each in inputs(INFOS[name], training):
        arguments, keywords = each.constructor_input.args, each.constructor_input.kwargs
        theirs = made(torch, INFOS[name].module_cls, arguments, keywords, training)
        mine = made(tensorglass, getattr(tensorglass.nn, name), ours(arguments), ours(keywords), training)
        assert repr(mine) == repr(theirs)
        state, other = mine.state_dict(), theirs.state_dict()
        assert list(state) == list(other)
        for key in state:
            is_lazy = torch.nn.parameter.is_lazy(other[key])
            assert tensorglass.nn.parameter.is_lazy(state[key]) == is_lazy
            assert is_lazy or are_close(plain(state[key]), plain(other[key]), 0.0), key
        if each.forward_input is not None:
            compare_call(mine, theirs, each.forward_input)


def compare_call(mine: Any, theirs: Any, call: Any) -> None:
    """Call both, and send gradients back."""
    torch.manual_seed(2)
    expected = theirs(*call.args, **call.kwargs)
    tensorglass.manual_seed(2)
    found = mine(*ours(call.args), **ours(call.kwargs))
    if not isinstance(expected, torch.Tensor):
        return
    assert are_close(plain(found), plain(expected), 1e-9)
    if expected.requires_grad:
        expected.sum().backward()
        found.sum().backward()
        for (key, one), (_, other) in zip(mine.named_parameters(), theirs.named_parameters(), strict=True):
            assert are_close(plain(one.grad), plain(other.grad), 1e-8), key


@pytest.mark.parametrize("name", [name for name in INFOS if not name.startswith("Lazy")])  # a call makes those others
@pytest.mark.filterwarnings("ignore")
def test_copies_and_pickles_of_modules_compute_the_same(name: str) -> None:
    each = inputs(INFOS[name], False)[0]
    module = getattr(tensorglass.nn, name)(
        *ours(each.constructor_input.args), **ours(each.constructor_input.kwargs)
    ).double()
    module.eval()
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert repr(other) == repr(module)
        assert list(other.state_dict()) == list(module.state_dict())
        if each.forward_input is not None:
            arguments, keywords = ours(each.forward_input.args), ours(each.forward_input.kwargs)
            tensorglass.manual_seed(0)
            expected = module(*arguments, **keywords)
            tensorglass.manual_seed(0)
            found = other(*arguments, **keywords)
            if isinstance(expected, tensorglass.Tensor):
                assert are_close(plain(found), plain(expected), 0.0)
