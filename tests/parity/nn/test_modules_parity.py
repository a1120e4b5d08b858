"""Modules on PyTorch's own ModuleInfo samples: printed forms, states, results, gradients, layouts, errors."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from parity.nn.samples import are_close, difference, ours, outcome, plain, spread

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's table of modules needs it: pip install expecttest")
from torch.testing._internal.common_modules import module_db  # noqa: E402  # after the check above

MOST = 16  #: how many samples of each are tried; some have hundreds
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


@pytest.mark.sweep(3)
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", INFOS)
@pytest.mark.filterwarnings("ignore")
def test_modules_are_those_of_pytorch(name: str, training: bool) -> None:
    for sample in inputs(INFOS[name], training):
        arguments, keywords = sample.constructor_input.args, sample.constructor_input.kwargs
        theirs = made(torch, INFOS[name].module_cls, arguments, keywords, training)
        mine = made(tensorglass, getattr(tensorglass.nn, name), ours(arguments), ours(keywords), training)
        assert repr(mine) == repr(theirs)
        state, other = mine.state_dict(), theirs.state_dict()
        assert list(state) == list(other)
        for key in state:
            is_lazy = torch.nn.parameter.is_lazy(other[key])
            assert tensorglass.nn.parameter.is_lazy(state[key]) == is_lazy
            assert is_lazy or are_close(plain(state[key]), plain(other[key]), 0.0), key
        if sample.forward_input is not None:
            compare_call(mine, theirs, sample.forward_input)


def compare_call(mine: Any, theirs: Any, call: Any) -> None:
    """Call both, and send gradients back, twice."""
    expected = outcome(torch, theirs, call.args, call.kwargs, theirs.parameters)
    own = outcome(tensorglass, mine, ours(call.args), ours(call.kwargs), mine.parameters)
    assert difference(own, expected, ("node", *SKIPPED.get(type(theirs).__name__, ()))) is None


#: What is declared in the differences, or what PyTorch computes wrongly or not at all.
SKIPPED = {
    "CrossMapLRN2d": ("values", "first", "second"),
    "KLDivLoss": ("first", "second"),  # its samples are one tensor, twice
    "LinearCrossEntropyLoss": ("second",),  # PyTorch computes it in chunks, without one
    "LogSigmoid": ("stride", "first stride"),
}

# --- how inputs lie --------------------------------------------------------------------------------------------------

Form = Callable[[Any, Any], Any]


def channels_last(library: Any, tensor: Any) -> Any:
    formats = {4: library.channels_last, 5: library.channels_last_3d}
    return tensor.contiguous(memory_format=formats.get(tensor.dim(), library.contiguous_format))


def transposed(library: Any, tensor: Any) -> Any:
    return tensor.transpose(0, -1).contiguous().transpose(0, -1) if tensor.dim() > 1 else tensor


def expanded(library: Any, tensor: Any) -> Any:
    return tensor[:1].expand(tensor.shape) if tensor.dim() else tensor


def with_gaps(library: Any, tensor: Any) -> Any:
    return library.stack([tensor, tensor], -1)[..., 0]


FORMS: tuple[Form, ...] = (channels_last, transposed, expanded, with_gaps)


def laid_out(library: Any, value: Any, form: Form) -> Any:
    """What a call is given, with its floating-point tensors in another layout."""
    if isinstance(value, library.Tensor):
        leaf = form(library, value.detach()) if value.is_floating_point() else value.detach()
        return leaf.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(laid_out(library, item, form) for item in value)
    if isinstance(value, dict):
        return {key: laid_out(library, item, form) for key, item in value.items()}
    return value


def emptied(library: Any, value: Any) -> Any:
    """What a call is given, with an empty batch."""
    if isinstance(value, library.Tensor):
        return value.detach()[:0].requires_grad_(value.requires_grad) if value.dim() else value
    if isinstance(value, (list, tuple)):
        return type(value)(emptied(library, item) for item in value)
    return {key: emptied(library, item) for key, item in value.items()} if isinstance(value, dict) else value


#: If the batch and the incoming gradient differ in layout, PyTorch's gradient has that of one, and ours of the other.
LIES_OTHERWISE = {
    "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "GroupNorm", "HuberLoss", "LeakyReLU", "LinearCrossEntropyLoss",
    "MSELoss", "PReLU", "PoissonNLLLoss", "ReLU", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad2d", "ReplicationPad3d", "SmoothL1Loss", "SoftMarginLoss", "Threshold",
}  # fmt: skip
REFUSED_THERE = ("NLLLoss",)  #: "grad_input must be contiguous"


# A call changes the class of a lazy module.
@pytest.mark.parametrize("name", [name for name in INFOS if not name.startswith("Lazy")])
@pytest.mark.filterwarnings("ignore")
def test_copies_and_pickles_of_modules_compute_the_same(name: str) -> None:
    sample = inputs(INFOS[name], False)[0]
    module = getattr(tensorglass.nn, name)(
        *ours(sample.constructor_input.args), **ours(sample.constructor_input.kwargs)
    ).double()
    module.eval()
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert repr(other) == repr(module)
        assert list(other.state_dict()) == list(module.state_dict())
        if sample.forward_input is not None:
            arguments, keywords = ours(sample.forward_input.args), ours(sample.forward_input.kwargs)
            tensorglass.manual_seed(0)
            expected = module(*arguments, **keywords)
            tensorglass.manual_seed(0)
            again = other(*arguments, **keywords)
            if isinstance(expected, tensorglass.Tensor):
                assert are_close(plain(again), plain(expected), 0.0)


def pair(name: str, sample: Any) -> tuple[Any, Any]:
    """The module of a sample, of both libraries."""
    arguments, keywords = sample.constructor_input.args, sample.constructor_input.kwargs
    theirs = made(torch, INFOS[name].module_cls, arguments, keywords, True)
    return made(tensorglass, getattr(tensorglass.nn, name), ours(arguments), ours(keywords), True), theirs


def called(name: str, most: int) -> list[Any]:
    """Samples with a call, where parameters are there to begin with."""
    return spread([sample for sample in inputs(INFOS[name], True) if sample.forward_input is not None], most)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", [name for name in INFOS if name not in REFUSED_THERE])
@pytest.mark.filterwarnings("ignore")
def test_inputs_in_any_layout_give_what_they_give_in_pytorch(name: str) -> None:
    skipped = ("node", *SKIPPED.get(name, ()), *(["first stride"] if name in LIES_OTHERWISE else []))
    for sample in called(name, 3):
        call = (sample.forward_input.args, sample.forward_input.kwargs)
        for form in FORMS:
            mine, theirs = pair(name, sample)
            expected = outcome(torch, theirs, *laid_out(torch, call, form), theirs.parameters)
            own = outcome(tensorglass, mine, *laid_out(tensorglass, ours(call), form), mine.parameters)
            differs = difference(own, expected, skipped)
            assert differs is None, f"{sample.constructor_input.kwargs} {form.__name__}: {differs}"


#: PyTorch returns uninitialized memory, or an empty batch where there is no batch.
UNDEFINED = ("MultiLabelMarginLoss", "MultiMarginLoss", "LazyConv1d", "LazyConv2d", "LazyConv3d")


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in INFOS if name not in UNDEFINED])
@pytest.mark.filterwarnings("ignore")
def test_empty_batches_give_what_they_give_in_pytorch(name: str) -> None:
    for sample in called(name, 3):
        call = (sample.forward_input.args, sample.forward_input.kwargs)
        mine, theirs = pair(name, sample)
        expected = outcome(torch, theirs, *emptied(torch, call), theirs.parameters)
        own = outcome(tensorglass, mine, *emptied(tensorglass, ours(call)), mine.parameters)
        if "error" in expected:  # the words depend on which operator refuses first
            assert "error" in own, f"{sample.constructor_input.kwargs}: {expected} there"
        else:
            differs = difference(own, expected, ("node", *SKIPPED.get(name, ())))
            assert differs is None, f"{sample.constructor_input.kwargs}: {differs}"


ERRORS = [info for info in INFOS.values() if info.module_error_inputs_func is not None]


@pytest.mark.parametrize("info", ERRORS, ids=lambda info: info.module_cls.__name__)
@pytest.mark.filterwarnings("ignore")
def test_wrong_modules_and_calls_are_refused_as_in_pytorch(info: Any) -> None:
    for training in (True, False):
        for error_input in info.module_error_inputs_func(
            info, device="cpu", dtype=torch.float64, requires_grad=True, training=training
        ):
            sample = error_input.module_error_input
            said = [
                refusal(run_sample, library, info, sample, adapt)
                for library, adapt in ((torch, lambda value: value), (tensorglass, ours))
            ]
            assert said[0] is not None
            assert said[1] == said[0]


def run_sample(library: Any, info: Any, sample: Any, adapt: Callable[[Any], Any]) -> None:
    kind = getattr(library.nn, info.module_cls.__name__)
    module = kind(*adapt(sample.constructor_input.args), **adapt(sample.constructor_input.kwargs))
    module(*adapt(sample.forward_input.args), **adapt(sample.forward_input.kwargs))


def refusal(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[str, str] | None:
    try:
        call(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0]
    return None


#: A forward without a return statement passes None to the next layer; a list or a number is not a valid target.
NO_TENSORS = (None, 3, [1.0, 2.0])
OTHER_WORDS = {"CTCLoss", "LogSigmoid", "MultiLabelSoftMarginLoss", "TransformerDecoderLayer"}


@pytest.mark.parametrize("name", [name for name in INFOS if name not in OTHER_WORDS])
@pytest.mark.filterwarnings("ignore")
def test_what_is_no_tensor_is_refused_as_in_pytorch(name: str) -> None:
    for sample in called(name, 1):
        rest, keywords = sample.forward_input.args[1:], sample.forward_input.kwargs
        mine, theirs = pair(name, sample)
        for given in NO_TENSORS:
            expected = refusal(theirs, given, *rest, **keywords)
            assert refusal(mine, given, *ours(rest), **ours(keywords)) == expected, given
