"""`torch.masked` on PyTorch's own samples, and on masks of its own: values, dtypes, gradients, refusals."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

import tensorglass
from tensorglass import masked

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's table of operators needs it: pip install expecttest")
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402  # after the check above

INFOS = {info.name[7:]: info for info in op_db if info.name.startswith("masked.")}
MOST = 60  #: how many samples of each are tried in a dtype; some have hundreds


def test_every_function_is_there() -> None:
    left_out = {"MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"}
    assert set(masked.__all__) == set(torch.masked.__all__) - left_out == set(INFOS)


def _given(library: Any, argument: Any) -> Any:
    if isinstance(argument, torch.Tensor):
        dtype = getattr(library, str(argument.dtype)[6:])
        tensor = library.tensor(argument.tolist(), dtype=dtype).reshape(argument.shape)
        return tensor.requires_grad_() if argument.requires_grad else tensor
    return getattr(library, str(argument)[6:]) if isinstance(argument, torch.dtype) else argument


def _outcome(library: Any, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    given = [_given(library, argument) for argument in arguments]
    options = {key: _given(library, keyword) for key, keyword in keywords.items()}
    try:
        result = getattr(library.masked, name)(*given, **options)
        if result.requires_grad:
            result.abs().sum().backward()
    except Exception as error:
        return type(error).__name__, str(error).splitlines()[0].replace("tensorglass.", "torch.")
    gradient = given[0].grad
    return result.dtype, result.detach(), None if gradient is None else gradient


def _tensor(value: Any) -> Any:
    return torch.tensor(value.tolist(), dtype=getattr(torch, str(value.dtype)[6:])).reshape(tuple(value.shape))


def _differs(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str | None:
    ours, theirs = (_outcome(library, name, arguments, keywords) for library in (tensorglass, torch))
    if isinstance(theirs[0], str) or isinstance(ours[0], str):
        return None if ours == theirs else f"{ours} != {theirs}"
    if str(ours[0]) != str(theirs[0]):
        return f"{ours[0]} != {theirs[0]}"
    for one, other in zip(ours[1:], theirs[1:], strict=True):
        if (one is None) != (other is None):
            return "only one has a gradient"
        if one is not None:
            torch.testing.assert_close(_tensor(one), other, equal_nan=True)
    return None


@pytest.mark.sweep
@pytest.mark.parametrize("name", INFOS)
def test_samples_give_what_they_give_in_pytorch(name: str) -> None:
    info = INFOS[name]
    dtypes = [
        kind for kind in (torch.float32, torch.float64, torch.int32, torch.bool, torch.complex64) if kind in info.dtypes
    ]
    for dtype in dtypes:
        samples = info.sample_inputs_func(info, "cpu", dtype, dtype is torch.float64)
        for sample in islice(samples, MOST):
            differs = _differs(name, (sample.input, *sample.args), sample.kwargs)
            assert differs is None, (name, dtype, sample, differs)


@pytest.mark.parametrize("call", [
    ("sum", ((0, 0),), {}), ("sum", (3,), {}), ("mean", (), {"dtype": torch.int32}),
    ("sum", (1,), {"mask": torch.ones(2, 2, 3, dtype=torch.bool)}), ("sum", (1,), {"mask": torch.ones(4) > 0}),
    ("var", (1, True), {"correction": 2}), ("softmax", (5,), {}), ("cumsum", (-3,), {}),
    ("amax", (1,), {"mask": torch.zeros(2, 3) > 0}), ("median", (1,), {"mask": torch.zeros(2, 3) > 0}),
    ("amax", ((),), {}), ("std", (1,), {"correction": 5}), ("sum", (1,), {"mask": torch.tensor([1, 0, 1])}),
], ids=str)  # fmt: skip
def test_odd_calls_are_answered_as_in_pytorch(call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
    name, rest, keywords = call
    for x in (torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]), torch.tensor([[1, 2, 3], [4, 5, 6]])):
        assert _differs(name, (x, *rest), keywords) is None
