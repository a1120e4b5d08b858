"""A result is a view, or a tensor of its own, as it is in PyTorch, and stays one when it is written to.

Every operator of the table, every function of `nn.functional` and every module is called as its samples say; the
results are written to in place, and backward is run. `results` collects the facts that are compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's tables of samples need it: pip install expecttest")

from parity.autograd.results import difference, outcome  # noqa: E402  # after the oracle is known to be there
from parity.nn.samples import ours, spread  # noqa: E402  # as above
from parity.nn.test_functional_parity import INFOS as FUNCTIONS  # noqa: E402  # as above
from parity.nn.test_modules_parity import INFOS as MODULES  # noqa: E402  # as above
from pytorchs_samples import inputs_of  # noqa: E402  # as above

import tensorglass  # noqa: E402  # as above
from tensorglass.ops import OPERATORS  # noqa: E402  # as above
from tensorglass.ops.declare.samples import samples_of  # noqa: E402  # as above

Call = Callable[[Any, Callable[[Any], Any]], Any]

#: Ways of making a call: the layout of its tensors, their mode (`results.MODES`), how its results are written to.
WAYS = (
    ("contiguous", "leaves", "+= 1"), ("contiguous", "leaves", "relu_"), ("contiguous", "leaves", "[0] = 1"),
    ("transposed", "inner", "+= 1"), ("contiguous", "no_grad", "+= 1"), ("sliced", "plain", "+= 1"),
)  # fmt: skip
MOST = 2  #: how many samples of each are tried
#: Without shortcuts a third is enough: the declarations, which say what is a view, are the same.
PART = slice(None, None, 3 if os.environ.get("TENSORGLASS_FAST") == "0" else 1)


def as_arrays(library: Any, value: Any) -> Any:
    """A call's argument as data for both libraries: of a tensor its elements, of a dtype its name."""
    if isinstance(value, library.Tensor):
        return value.detach().resolve_conj().numpy().copy()
    if type(value) in (list, tuple):
        return type(value)(as_arrays(library, item) for item in value)
    return value


def check(calls: Iterator[Call], ways: tuple[tuple[str, str, str], ...] = WAYS) -> None:
    """Make calls in all ways, which they share among them, and list what differs."""
    listed, differing, number = list(calls), [], 0
    for place, call in enumerate(listed):
        for way in ways[place :: len(listed)]:
            number += 1
            differs = difference(outcome(tensorglass, call, *way), outcome(torch, call, *way))
            if differs is not None:
                differing.append(f"{', '.join(way)}: {differs}")
    assert number
    shown = "\n".join(differing[:10])
    assert not differing, f"{len(differing)} of {number} differ:\n{shown}"


# --- operators -------------------------------------------------------------------------------------------------------

#: What PyTorch leaves to chance, and what docs/differences.md and its appendix declare: other nodes of composed
#: operators, derivatives that PyTorch lacks in place, signs of vectors that nothing determines.
OTHERWISE = {
    "acosh_", "asinh_", "atanh_", "floor_divide_", "heaviside_", "linalg_eigh", "linalg_eig", "linalg_lstsq",
    "linalg_svd", "pairwise_distance", "svd",
    "fft_irfft2",  # whose results' signs are those of rounding
}  # fmt: skip


def calls_of_operator(name: str) -> Iterator[Call]:
    row = OPERATORS[name.removesuffix("_") if name not in OPERATORS else name]
    is_in_place = name != row.name
    for sample in spread(samples_of(row), MOST):
        arguments = as_arrays(tensorglass, list(sample.arguments))
        keywords = {key: as_arrays(tensorglass, value) for key, value in sample.keywords.items()}

        def call(library: Any, prepare: Any, arguments: Any = arguments, keywords: Any = keywords) -> Any:
            values = [prepare(argument) for argument in arguments]
            named = {key: prepare(value) for key, value in keywords.items()}
            if row.is_attribute:
                return getattr(values[0], row.name)
            if row.is_function and not is_in_place:
                return attrgetter(row.path)(library)(*values, **named)
            return getattr(values[0], name)(*values[1:], **named)

        yield call


def operator_names() -> Iterator[str]:
    for row in OPERATORS.values():
        if samples_of(row):
            yield from (row.name, f"{row.name}_") if row.inplace is not None else (row.name,)


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in operator_names() if name not in OTHERWISE][PART])
def test_results_of_operators_are_those_of_pytorch(name: str) -> None:
    check(calls_of_operator(name))


# --- functions and modules of networks -------------------------------------------------------------------------------

#: They have other nodes (`samples.NODES`), or compute in chunks; PyTorch squeezes one in place, which counts a write.
OTHER_FUNCTIONS = {
    "linear_cross_entropy", "linear_cross_entropy chunked", "linear_cross_entropy chunked_none", "pairwise_distance",
    "max_unpool2d grad", "max_unpool3d", "max_unpool3d grad", "scaled_dot_product_attention", "bilinear",
    "softmin with_dtype",
    "triplet_margin_with_distance_loss",  # a sample of which is a module
}  # fmt: skip


def calls_of_function(name: str) -> Iterator[Call]:
    info = FUNCTIONS[name]
    for sample in spread(inputs_of(info, torch.float64), MOST):
        arguments = as_arrays(torch, [sample.input, *sample.args])
        keywords = {key: as_arrays(torch, value) for key, value in sample.kwargs.items()}
        if info.name.startswith("nn.functional.embedding"):
            arguments[:2] = arguments[1], arguments[0]

        def call(library: Any, prepare: Any, arguments: Any = arguments, keywords: Any = keywords) -> Any:
            values = [prepare(argument) for argument in arguments]
            return attrgetter(info.name)(library)(
                *values, **{key: prepare(keyword) for key, keyword in keywords.items()}
            )

        if not sample.kwargs.get("sparse"):
            yield call


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OTHER_FUNCTIONS][PART])
@pytest.mark.filterwarnings("ignore")
def test_results_of_functions_are_those_of_pytorch(name: str) -> None:
    check(calls_of_function(name), WAYS[::3])


#: As above; and an LSTM of float64, which is one node here, as that of float32, and keeps its outputs.
OTHER_MODULES = {"Bilinear", "LSTM", "LinearCrossEntropyLoss", "PairwiseDistance"}


def calls_of_module(name: str, training: bool) -> Iterator[Call]:
    info = MODULES[name]
    samples = info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=False, training=training)
    for sample in spread([sample for sample in samples if sample.forward_input is not None], MOST):
        made = (sample.constructor_input.args, sample.constructor_input.kwargs)
        arguments, keywords = as_arrays(torch, list(sample.forward_input.args)), sample.forward_input.kwargs
        keywords = {key: as_arrays(torch, value) for key, value in keywords.items()}

        def call(
            library: Any, prepare: Any, made: Any = made, arguments: Any = arguments, keywords: Any = keywords
        ) -> Any:
            given, options = made if library is torch else ours(made)
            with library.enable_grad():
                module = getattr(library.nn, name)(*given, **options).double().train(training)
            library.manual_seed(0)
            values = [prepare(argument) for argument in arguments]
            return module(*values, **{key: prepare(keyword) for key, keyword in keywords.items()})

        yield call


@pytest.mark.sweep
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", [name for name in MODULES if name not in OTHER_MODULES][PART])
@pytest.mark.filterwarnings("ignore")
def test_results_of_modules_are_those_of_pytorch(name: str, training: bool) -> None:
    check(calls_of_module(name, training), WAYS[:1] if training else WAYS[3:5])
