"""Recurrent layers, their cells and packed sequences are PyTorch's: parameters drawn, outputs, gradients, refusals."""

from __future__ import annotations

import itertools
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

BOTH = (torch, tensorglass)
LAYERS = [
    pytest.param(name, options, id=f"{name}-{options}")
    for name, options in [
        *itertools.product(
            ["RNN", "LSTM", "GRU"],
            [
                {},
                {"num_layers": 2, "bidirectional": True},
                {"bias": False, "batch_first": True},
                {"num_layers": 3, "dropout": 0.4},
            ],
        ),
        ("RNN", {"nonlinearity": "relu", "bidirectional": True}),
        ("LSTM", {"proj_size": 2}),
        ("LSTM", {"proj_size": 2, "bidirectional": True, "num_layers": 2, "bias": False}),
    ]
]


def flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in flat(item)]
    return [value]


def compare(runs: list[list[Any]], tolerance: float = 1e-10) -> None:
    theirs, ours = runs
    assert len(theirs) == len(ours)
    for one, other in zip(theirs, ours, strict=True):
        if isinstance(one, (torch.Tensor, tensorglass.Tensor)):
            assert str(one.dtype) == str(other.dtype)
            assert tuple(one.shape) == tuple(other.shape)
            assert tuple(one.stride()) == tuple(other.stride())
            assert one.requires_grad == other.requires_grad
            np.testing.assert_allclose(other.detach().numpy(), one.detach().numpy(), rtol=tolerance, atol=tolerance)
        else:
            assert one == other


def data(library: Any, *size: int, seed: int = 0, grad: bool = True) -> Any:
    array = np.random.default_rng(seed).standard_normal(size)
    return library.tensor(array, requires_grad=grad)


def layer_of(library: Any, name: str, options: dict[str, Any]) -> Any:
    library.manual_seed(11)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(library.nn, name)(3, 4, dtype=library.float64, **options)


@pytest.mark.parametrize(("name", "options"), LAYERS)
def test_layers(name: str, options: dict[str, Any]) -> None:
    runs = []
    for library in BOTH:
        layer = layer_of(library, name, options)
        input = data(library, 5, 2, 3)
        library.manual_seed(4)
        output, state = layer(input)
        again, _ = layer(input.detach(), state)
        (output.sin().sum() + sum(part.pow(2).sum() for part in flat(state)) + again.sum()).backward()
        names = [key for key, _ in layer.named_parameters()]
        grads = [param.grad for param in layer.parameters()]
        flattened = layer(input[:, 0])
        runs.append([repr(layer), *names, *layer.parameters(), output, *flat(state), again, input.grad, *grads])
        runs[-1] += flat(flattened) if not options.get("dropout") else []
    compare(runs)


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "options"), [exercise for exercise in LAYERS if "batch_first" not in exercise.id])
@pytest.mark.parametrize("sort", [True, False])
def test_packed_sequences(name: str, options: dict[str, Any], sort: bool) -> None:
    runs = []
    for library in BOTH:
        layer = layer_of(library, name, options)
        input = data(library, 6, 4, 3)
        lengths = [6, 4, 4, 1] if sort else [2, 6, 1, 4]
        packed = library.nn.utils.rnn.pack_padded_sequence(input, lengths, enforce_sorted=sort)
        library.manual_seed(4)
        output, state = layer(packed)
        library.manual_seed(4)
        again, _ = layer(packed, state)
        padded, lengths_back = library.nn.utils.rnn.pad_packed_sequence(output, padding_value=-1.0, total_length=7)
        (padded.sin().sum() + sum(part.pow(2).sum() for part in flat(state)) + again.data.sum()).backward()
        grads = [param.grad for param in layer.parameters()]
        rest = [part for part in (*packed[1:], *output[1:]) if part is not None]
        runs.append(
            [packed.data, output.data, again.data, *flat(state), padded, lengths_back, input.grad, *rest, *grads]
        )
    compare(runs)


@pytest.mark.parametrize("name", ["RNNCell", "LSTMCell", "GRUCell"])
@pytest.mark.parametrize("bias", [True, False])
def test_cells(name: str, bias: bool) -> None:
    runs = []
    for library in BOTH:
        library.manual_seed(2)
        cell = getattr(library.nn, name)(3, 4, bias, dtype=library.float64)
        input = data(library, 2, 3)
        state = cell(input)
        state = cell(input * 2, state)
        sum(part.sin().sum() for part in flat(state)).backward()
        alone = cell(input[0])
        grads = [param.grad for param in cell.parameters()]
        runs.append([repr(cell), *cell.parameters(), *flat(state), *flat(alone), input.grad, *grads])
    compare(runs)


def test_relu_cell_and_functions() -> None:
    runs = []
    for library in BOTH:
        library.manual_seed(2)
        cell = library.nn.RNNCell(3, 4, nonlinearity="relu", dtype=library.float64)
        runs.append([repr(cell), cell(data(library, 2, 3))])
    compare(runs)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_second_gradients(name: str) -> None:
    runs = []
    for library in BOTH:
        layer = layer_of(library, name, {})
        input = data(library, 3, 2, 3)
        output, _ = layer(input)
        (grad,) = library.autograd.grad(output.pow(2).sum(), input, create_graph=True)
        second = library.autograd.grad(grad.pow(2).sum(), [input, *layer.parameters()])
        runs.append([grad.detach(), *second])
    compare(runs)


def test_pickles_and_state_dicts() -> None:
    theirs, ours = (layer_of(library, "LSTM", {"num_layers": 2}) for library in BOTH)
    assert list(theirs.state_dict()) == list(ours.state_dict())
    twin = pickle.loads(pickle.dumps(ours))
    compare([flat(ours(data(tensorglass, 2, 1, 3))), flat(twin(data(tensorglass, 2, 1, 3)))])
    assert [len(names) for names in ours.all_weights] == [len(names) for names in theirs.all_weights]


def sequences(library: Any) -> list[Any]:
    return [data(library, length, 2, seed=length) for length in (4, 2, 3)]


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "pad": lambda t, r: r.pad_sequence(sequences(t)),
    "pad batches": lambda t, r: r.pad_sequence(sequences(t), batch_first=True, padding_value=7.0),
    "pad at the start": lambda t, r: r.pad_sequence(sequences(t), padding_side="left"),
    "pack": lambda t, r: [part for part in r.pack_sequence(sequences(t), enforce_sorted=False) if part is not None],
    "unpack": lambda t, r: r.unpack_sequence(r.pack_sequence(sequences(t), enforce_sorted=False)),
    "unpad": lambda t, r: r.unpad_sequence(r.pad_sequence(sequences(t), True), t.tensor([4, 2, 3]), True),
    "invert": lambda t, r: r.invert_permutation(t.tensor([2, 0, 1])),
    "half": lambda t, r: r.pack_sequence(sequences(t)[:1]).half().data,
    "unsorted": lambda t, r: r.pack_sequence(sequences(t)),
    "too few lengths": lambda t, r: r.pack_padded_sequence(t.ones(3, 2), [1]),
    "no length": lambda t, r: r.pack_padded_sequence(t.ones(3, 2), [1, 0]),
    "a matrix of lengths": lambda t, r: r.pack_padded_sequence(t.ones(3, 2), t.ones(1, 2)),
    "too short": lambda t, r: r.pad_packed_sequence(r.pack_sequence(sequences(t)[:1]), total_length=1),
    "pad a number": lambda t, r: r.pad_sequence(3),
    "pad nothing": lambda t, r: r.pad_sequence([]),
    "pad oddly": lambda t, r: r.pad_sequence(sequences(t), padding_side="up"),
    "no dims": lambda t, r: t.nn.LSTM(3, 4)(t.ones(3)),
    "no dims, gru": lambda t, r: t.nn.GRU(3, 4)(t.ones(1, 2, 3, 3)),
    "no dims, rnn": lambda t, r: t.nn.RNN(3, 4)(t.ones(3)),
    "features": lambda t, r: t.nn.LSTM(3, 4)(t.ones(2, 1, 5)),
    "dtype": lambda t, r: t.nn.GRU(3, 4)(t.ones(2, 1, 3, dtype=t.float64)),
    "state": lambda t, r: t.nn.GRU(3, 4)(t.ones(2, 1, 3), t.ones(1, 2, 4)),
    "cell state": lambda t, r: t.nn.LSTM(3, 4)(t.ones(2, 1, 3), (t.ones(1, 1, 4), t.ones(1, 1, 5))),
    "state without a batch": lambda t, r: t.nn.RNN(3, 4)(t.ones(2, 3), t.ones(1, 1, 4)),
    "state of a batch": lambda t, r: t.nn.LSTM(3, 4)(t.ones(2, 1, 3), (t.ones(1, 4), t.ones(1, 4))),
    "cell dims": lambda t, r: t.nn.LSTMCell(3, 4)(t.ones(1, 1, 3)),
    "cell features": lambda t, r: t.nn.GRUCell(3, 4)(t.ones(1, 2)),
    "cell hidden": lambda t, r: t.nn.GRUCell(3, 4)(t.ones(1, 3), t.ones(1, 5)),
    "cell batch": lambda t, r: t.nn.RNNCell(3, 4)(t.ones(1, 3), t.ones(2, 4)),
    "cell nonlinearity": lambda t, r: t.nn.RNNCell(3, 4, nonlinearity="x")(t.ones(1, 3)),
    "nonlinearity": lambda t, r: t.nn.RNN(3, 4, nonlinearity="x"),
    "projection": lambda t, r: t.nn.GRU(3, 4, proj_size=2),
    "large projection": lambda t, r: t.nn.LSTM(3, 4, proj_size=4),
    "dropout": lambda t, r: t.nn.LSTM(3, 4, dropout=2),
    "lone dropout": lambda t, r: repr(t.nn.LSTM(3, 4, dropout=0.5)),
    "size": lambda t, r: t.nn.LSTM(3, 0),
    "sizes": lambda t, r: t.nn.LSTM(3, 2.0),
    "bias": lambda t, r: t.nn.LSTM(3, 2, bias=1),
    "layers": lambda t, r: t.nn.LSTM(3, 2, num_layers=0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_refusals(name: str) -> None:
    runs: list[list[Any]] = []
    for library in BOTH:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = flat(FUNCTIONS[name](library, library.nn.utils.rnn))
            except Exception as error:  # the error is compared
                result = [type(error).__name__, str(error).splitlines()[0]]
        runs.append([*result, *(str(warning.message) for warning in caught)])
    compare(runs)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_subclass_is_asked_for_its_checks_and_its_order_of_sequences(name: str, packed: bool) -> None:
    def run(library: Any) -> list[Any]:
        seen: list[Any] = []
        base = getattr(library.nn, name)

        class Layer(base):  # type: ignore[misc, valid-type]  # of either library
            def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
                seen.append(["args", tuple(input.shape), [tuple(part.shape) for part in flat(tuple(hidden))]])

            def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> Any:
                return super().get_expected_hidden_size(input, batch_sizes)

            def permute_hidden(self, hx: Any, permutation: Any) -> Any:
                seen.append(None if permutation is None else permutation.tolist())
                return super().permute_hidden(hx, permutation)

        layer = Layer(3, 4, num_layers=2).double()
        for number, weight in enumerate(layer.parameters()):
            weight.data = data(library, *weight.shape, seed=number, grad=False)
        parts = tuple(data(library, 2, 2, 4, seed=20 + number) for number in range(2))
        hx = parts if name == "LSTM" else parts[0]
        input = data(library, 5, 2, 3, seed=9)
        if packed:
            input = library.nn.utils.rnn.pack_padded_sequence(input, library.tensor([3, 5]), enforce_sorted=False)
        output, last = layer(input, hx)
        sizes = layer.get_expected_hidden_size(data(library, 5, 2, 3), None)
        if packed and name == "LSTM":  # whose arguments PyTorch checks in C++ then
            seen[:] = [entry for entry in seen if not isinstance(entry, list) or entry[0] != "args"]
        return [*sorted(seen, key=str), sizes, output.data if packed else output, *flat(last)]

    compare([run(library) for library in BOTH])


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_the_weights_are_a_list_that_programs_may_change(name: str) -> None:
    def run(library: Any) -> list[Any]:
        layer = getattr(library.nn, name)(3, 4).double()
        for number, weight in enumerate(layer.parameters()):
            weight.data = data(library, *weight.shape, seed=number, grad=False)
        input = data(library, 5, 2, 3, seed=9)
        results = [layer._flat_weights_names, len(layer._flat_weights), layer(input)[0]]
        layer._flat_weights = [weight * 2 for weight in layer._flat_weights]
        results.append(layer._weights_have_changed())
        layer._init_flat_weights()
        raw = layer.weight_hh_l0
        del layer._parameters["weight_hh_l0"]
        results.append(layer(input)[0])
        layer.register_parameter("weight_hh_l0_raw", raw)
        layer.weight_hh_l0 = raw * 0.5  # as programs do that leave out some of the weights
        results += [layer._flat_weights[1] is layer.weight_hh_l0, layer(input)[0]]
        state = {"weight_ih_l0": data(library, *layer.weight_ih_l0.shape, seed=31, grad=False)}
        results += [library.func.functional_call(layer, state, (input,))[0], layer(input)[0]]
        again = pickle.loads(pickle.dumps(getattr(library.nn, name)(3, 4)))
        results += ["_flat_weight_refs" in layer.__getstate__(), again._flat_weights[0] is again.weight_ih_l0]
        return results

    compare([run(library) for library in BOTH])
