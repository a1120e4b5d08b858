"""Layers, losses and optimizers that take shortcuts: at the first call and the third, in all layouts, as in PyTorch.

Results with their strides, gradients of inputs and parameters with theirs, and gradients of gradients.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

Build = Callable[[Any], tuple[Callable[..., Any], list[tuple[int, ...]]]]
TOLERANCE = {"float32": 2e-5, "float64": 1e-11}


def attention(lib: Any, **options: Any) -> Callable[..., Any]:
    layer = lib.nn.MultiheadAttention(8, 2, **options)
    for bias in (layer.in_proj_bias, layer.out_proj.bias):
        lib.nn.init.uniform_(bias)
    return layer


def to_itself(layer: Any, **call: Any) -> Callable[..., Any]:
    def run(x: Any) -> Any:
        return layer(x, x, x, need_weights=False, **call)[0]

    run.layer = layer  # type: ignore[attr-defined]  # whose parameters are found by it
    return run


def causal(lib: Any, batch_first: bool) -> Callable[..., Any]:
    mask = lib.nn.Transformer.generate_square_subsequent_mask(5)
    return to_itself(attention(lib, batch_first=batch_first), attn_mask=mask, is_causal=True)


def masked(lib: Any, mask: str | None = None, padding: str | None = None, **options: Any) -> Callable[..., Any]:
    """Attention with masks; boolean ones hide everything from the last query."""
    far = lib.tensor([[0, 0, 0, 1, 1], [1, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 1, 0, 0, 0], [1, 1, 1, 1, 1]]) > 0
    behind = lib.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1], [0, 0, 1, 0, 0]]) > 0
    dtype = lib.get_default_dtype()
    hidden = lib.zeros(5, 5, dtype=dtype).masked_fill(far, -lib.inf)
    whole = lib.arange(25, dtype=dtype).view(5, 5) - 10
    masks = {
        "bool": far, "hidden": hidden, "numbers": whole, "far": whole * 20, "both": hidden + whole,
        "of heads": lib.stack([hidden, whole] * 3), "behind": behind,
        "behind, of numbers": lib.zeros(3, 5, dtype=dtype).masked_fill(behind, -lib.inf), None: None,
    }  # fmt: skip
    return to_itself(attention(lib, **options), attn_mask=masks[mask], key_padding_mask=masks[padding])


def dots(lib: Any, mask: str | None = None, **options: Any) -> Callable[..., Any]:
    """Attention of queries (…, 3, E) to keys (…, 4, E)."""
    dtype = lib.get_default_dtype()
    seen = lib.tensor([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 0]]) > 0
    hidden = lib.zeros(3, 4, dtype=dtype).masked_fill(~seen, -lib.inf)
    masks = {
        "bool": seen, "numbers": lib.arange(12, dtype=dtype).view(3, 4) - 5, "far": 30 * hidden.add(1).exp() - 15,
        "of images": lib.stack([hidden, hidden * 0])[:, None], "of keys": seen[:1], None: None,
    }  # fmt: skip
    return lambda q, k, v: lib.nn.functional.scaled_dot_product_attention(q, k, v, masks[mask], **options)


def classes(lib: Any, size: tuple[int, ...] = (6,), **options: Any) -> Callable[..., Any]:
    loss, target = lib.nn.CrossEntropyLoss(**options), lib.tensor([1, 0, 3, 3, 2, 1]).view(size)
    return lambda x: loss(x, target)


def rows_of(lib: Any, **options: Any) -> Callable[..., Any]:
    """Some rows of a matrix, one of them twice."""
    places = lib.tensor([[4, 0, 1], [1, 2, 1]])
    return lambda x: lib.nn.functional.embedding(places, x, **options)


def block(lib: Any, change: Callable[[Any, Any], Any] = lambda lib, layer: None, **options: Any) -> Callable[..., Any]:
    """A Transformer block after a change of its feed-forward part; dropout is drawn again from a seed."""
    layer = lib.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **{"dropout": 0.0, **options})
    change(lib, layer)

    def run(x: Any) -> Any:
        lib.manual_seed(5)
        return layer(x)

    run.layer = layer  # type: ignore[attr-defined]  # as above
    return run


def drop_a_third(lib: Any, layer: Any) -> None:
    layer.dropout.p = 0.3


def hook(lib: Any, layer: Any) -> None:
    layer.linear1.register_forward_hook(lambda module, inputs, output: output * 2)


def hook_backward(lib: Any, layer: Any) -> None:
    layer.dropout.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 3,))


def derive(lib: Any, layer: Any) -> None:
    class Low(lib.nn.Linear):  # type: ignore[name-defined, misc]  # of either library
        def forward(self, input: Any) -> Any:
            return super().forward(input) - 1

    layer.linear2 = Low(16, 8)


def assign_forward(lib: Any, layer: Any) -> None:
    layer.linear1.forward = lambda x: lib.nn.functional.linear(x, layer.linear1.weight, layer.linear1.bias * 2)


def reparametrize(lib: Any, layer: Any) -> None:
    lib.nn.utils.parametrize.register_parametrization(layer.linear1, "weight", lib.nn.Tanh())


def leave_out_bias(lib: Any, layer: Any) -> None:
    layer.linear2.register_parameter("bias", None)


def outputs(layer: Any) -> Callable[..., Any]:
    return lambda x: layer(x)[0]


def from_a_state(lib: Any) -> Callable[..., Any]:
    layer = lib.nn.LSTM(3, 4)

    def run(x: Any, hidden: Any, cell: Any) -> Any:
        output, (last, inner) = layer(x, (hidden, cell))
        return lib.cat([output, 2 * last, inner * 3])

    run.layer = layer  # type: ignore[attr-defined]  # as above
    return run


LAYERS: dict[str, tuple[Callable[[Any], Any], list[tuple[int, ...]]]] = {
    "linear, 2-D": (lambda lib: lib.nn.Linear(4, 3), [(6, 4)]),
    "linear, 3-D": (lambda lib: lib.nn.Linear(4, 3), [(2, 5, 4)]),
    "linear, one row": (lambda lib: lib.nn.Linear(4, 3), [(1, 4)]),
    "linear, one result": (lambda lib: lib.nn.Linear(4, 1), [(6, 4)]),
    "linear, one feature": (lambda lib: lib.nn.Linear(1, 3), [(6, 1)]),
    "linear, 1-D": (lambda lib: lib.nn.Linear(4, 3), [(4,)]),
    "linear, no rows": (lambda lib: lib.nn.Linear(4, 3), [(0, 4)]),
    "linear, no bias": (lambda lib: lib.nn.Linear(4, 3, bias=False), [(2, 5, 4)]),
    "two of one weight": (lambda lib: (lambda one: lambda x: one(one(x).relu()))(lib.nn.Linear(4, 4)), [(3, 4)]),
    "cross entropy": (classes, [(6, 4)]),
    "cross entropy, one ignored": (lambda lib: classes(lib, ignore_index=3), [(6, 4)]),
    "cross entropy of rows": (lambda lib: classes(lib, (2, 3)), [(2, 4, 3)]),
    "cross entropy of images": (lambda lib: classes(lib, (1, 2, 3)), [(1, 4, 2, 3)]),
    "cross entropy of rows, one ignored": (lambda lib: classes(lib, (2, 3), ignore_index=3), [(2, 4, 3)]),
    "gathered": (lambda lib: lambda x: x.gather(1, lib.tensor([[1], [3], [0]])), [(3, 4)]),
    "gathered, some twice": (lambda lib: lambda x: x.gather(0, lib.tensor([[1, 0, 2], [1, 2, 2]])), [(3, 4)]),
    "rows selected": (lambda lib: lambda x: x.index_select(0, lib.tensor([2, 0, 2])), [(3, 4)]),
    "log-softmax of many short rows": (lambda lib: lambda x: x.log_softmax(1), [(70, 5)]),
    "cross entropy, summed": (lambda lib: classes(lib, reduction="sum"), [(6, 4)]),
    "cross entropy, smoothed": (lambda lib: classes(lib, label_smoothing=0.1), [(6, 4)]),
    "cross entropy, weighted": (
        lambda lib: classes(lib, weight=lib.tensor([1.0, 2.0, 0.5, 3.0], dtype=lib.get_default_dtype())), [(6, 4)]
    ),
    "embedding": (rows_of, [(5, 3)]),
    "embedding with a row left out": (lambda lib: rows_of(lib, padding_idx=1), [(5, 3)]),
    "embedding by frequency": (lambda lib: rows_of(lib, scale_grad_by_freq=True), [(5, 3)]),
    "layer norm": (lambda lib: lib.nn.LayerNorm(4), [(2, 3, 4)]),
    "layer norm of a matrix": (lambda lib: lib.nn.LayerNorm((3, 4)), [(5, 3, 4)]),
    "layer norm alone": (lambda lib: lib.nn.LayerNorm(4, elementwise_affine=False), [(2, 3, 4)]),
    "layer norm without bias": (lambda lib: lib.nn.LayerNorm(4, bias=False), [(2, 3, 4)]),
    "layer norm of large means": (
        lambda lib: (lambda norm: lambda x: norm(x + 9))(lib.nn.LayerNorm(4)), [(2, 3, 4)]
    ),
    "batch norm": (lambda lib: lib.nn.BatchNorm1d(4), [(6, 4)]),
    "batch norm of images": (lambda lib: lib.nn.BatchNorm2d(3), [(4, 3, 2, 5)]),
    "batch norm alone": (lambda lib: lib.nn.BatchNorm1d(3, affine=False), [(4, 3, 5)]),
    "batch norm by running statistics": (lambda lib: lib.nn.BatchNorm1d(3).eval(), [(4, 3, 5)]),
    **{
        f"{name.lower()}, {how}": (
            lambda lib, name=name, options=options: outputs(getattr(lib.nn, name)(3, 4, **options)), [size]
        )
        for name in ("GRU", "RNN")
        for how, options, size in (
            ("plain", {}, (5, 2, 3)), ("batch first", {"batch_first": True}, (2, 5, 3)),
            ("one step", {}, (1, 2, 3)), ("both ways, two layers", {"num_layers": 2, "bidirectional": True}, (5, 2, 3)),
            ("no bias", {"bias": False}, (5, 2, 3)),
        )
    },
    "gru, written to": (
        lambda lib: (lambda layer: lambda x: layer(x)[0].mul_(2).add_(x[:, :, :1]))(lib.nn.GRU(3, 4)), [(5, 2, 3)]
    ),
    "rnn with relu": (lambda lib: outputs(lib.nn.RNN(3, 4, nonlinearity="relu")), [(5, 2, 3)]),
    "lstm": (lambda lib: outputs(lib.nn.LSTM(3, 4)), [(5, 2, 3)]),
    "lstm from a state": (from_a_state, [(5, 2, 3), (1, 2, 4), (1, 2, 4)]),
    "lstm, one step": (lambda lib: outputs(lib.nn.LSTM(3, 4)), [(1, 2, 3)]),
    "lstm, batch first": (lambda lib: outputs(lib.nn.LSTM(3, 4, batch_first=True)), [(2, 5, 3)]),
    "lstm, both ways": (
        lambda lib: outputs(lib.nn.LSTM(3, 4, 2, bidirectional=True)), [(5, 2, 3)]
    ),
    "lstm, no bias": (lambda lib: outputs(lib.nn.LSTM(3, 4, bias=False)), [(5, 2, 3)]),
    "lstm, projected": (lambda lib: outputs(lib.nn.LSTM(3, 4, proj_size=2)), [(5, 2, 3)]),
    "attention": (lambda lib: to_itself(attention(lib)), [(5, 3, 8)]),
    "attention, batch first": (lambda lib: to_itself(attention(lib, batch_first=True)), [(3, 5, 8)]),
    "attention, causal": (lambda lib: causal(lib, False), [(5, 3, 8)]),
    "attention, causal, batch first": (lambda lib: causal(lib, True), [(3, 5, 8)]),
    **{
        f"attention, mask {mask}, padding {padding}": (
            lambda lib, mask=mask, padding=padding: masked(lib, mask, padding), [(5, 3, 8)]
        )
        for mask, padding in (
            ("bool", None), ("numbers", None), ("far", None), ("both", None), ("of heads", None),
            (None, "behind"), ("bool", "behind"), ("of heads", "behind, of numbers"),
        )
    },
    "attention, mask hidden, batch first": (lambda lib: masked(lib, "hidden", batch_first=True), [(3, 5, 8)]),
    **{
        f"dot products, mask {mask}": (
            lambda lib, mask=mask: dots(lib, mask), [(2, 2, 3, 4), (2, 2, 4, 4), (2, 2, 4, 5)]
        )
        for mask in (None, "bool", "numbers", "far", "of images", "of keys")
    },
    "dot products, causal": (lambda lib: dots(lib, is_causal=True), [(2, 3, 4), (2, 4, 4), (2, 4, 5)]),
    "dot products of one": (lambda lib: (lambda dot: lambda x: dot(x, x, x))(dots(lib)), [(2, 3, 4)]),
    "dot products, scaled": (lambda lib: dots(lib, "bool", scale=0.3), [(2, 3, 4), (2, 4, 4), (2, 4, 5)]),
    "attention of one": (lambda lib: to_itself(attention(lib)), [(1, 1, 8)]),
    "attention without batch": (lambda lib: to_itself(attention(lib)), [(5, 8)]),
    "transformer block": (
        lambda lib: lib.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), [(3, 5, 8)]
    ),
    "transformer block, norm first": (
        lambda lib: lib.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, norm_first=True), [(5, 3, 8)]
    ),
    "transformer block with dropout": (lambda lib: block(lib, dropout=0.2), [(3, 5, 8)]),
    "transformer block, gelu": (lambda lib: block(lib, activation="gelu"), [(3, 5, 8)]),
    **{
        f"transformer block: {change.__name__}": (lambda lib, change=change: block(lib, change), [(3, 5, 8)])
        for change in (
            drop_a_third, hook, hook_backward, derive, assign_forward, reparametrize, leave_out_bias
        )
    },
    "convolution of a batch": (lambda lib: lib.nn.Conv2d(2, 3, 3, padding=1), [(33, 2, 6, 5)]),
    "convolution of a batch by steps": (lambda lib: lib.nn.Conv2d(2, 3, 3, stride=2), [(40, 2, 7, 6)]),
    "convolution of a batch, dilated": (lambda lib: lib.nn.Conv2d(2, 3, 2, dilation=2, bias=False), [(32, 2, 6, 5)]),
    "convolution of a batch with long rows": (lambda lib: lib.nn.Conv2d(2, 3, (3, 2), padding=1), [(32, 2, 3, 26)]),
    "convolution of a batch by steps and dilated": (
        lambda lib: lib.nn.Conv2d(2, 3, 3, stride=(2, 3), padding=(1, 2), dilation=(1, 2)), [(33, 2, 6, 9)]
    ),
    "convolution of a batch in pieces": (lambda lib: lib.nn.Conv2d(8, 110, 3), [(32, 8, 3, 6)]),
    "convolution of a batch, of more channels than cells": (
        lambda lib: lib.nn.Conv2d(256, 512, 3, padding=1), [(32, 256, 2, 2)],
    ),
    "convolution of few": (lambda lib: lib.nn.Conv2d(2, 3, 3, padding=1), [(2, 2, 6, 5)]),
    "transposed convolution of a batch": (lambda lib: lib.nn.ConvTranspose2d(2, 3, 3, padding=1), [(33, 2, 6, 5)]),
    "convolution of a batch of sequences": (lambda lib: lib.nn.Conv1d(2, 3, 3, stride=2, padding=1), [(5, 2, 11)]),
    "convolution of a batch of volumes": (lambda lib: lib.nn.Conv3d(2, 3, 2, padding=(1, 0, 1)), [(5, 2, 3, 4, 3)]),
    "convolution of a batch, in groups": (lambda lib: lib.nn.Conv2d(4, 6, 3, groups=2), [(33, 4, 6, 5)]),
    "convolution of a batch, of single cells": (lambda lib: lib.nn.Conv2d(4, 3, 1, stride=2), [(5, 4, 3, 3)]),
    "transposed convolution of a batch, by steps": (lambda lib: lib.nn.ConvTranspose2d(4, 3, 4, 2, 1), [(5, 4, 2, 3)]),
    "convolution of larger images": (lambda lib: lib.nn.Conv2d(2, 3, 3, padding=1), [(3, 2, 15, 16)]),
    "convolution in groups": (lambda lib: lib.nn.Conv2d(4, 6, 3, padding=1, groups=2), [(2, 4, 6, 5)]),
    "convolution of many": (lambda lib: lib.nn.Conv2d(2, 3, 3, padding=1), [(70, 2, 5, 5)]),
    "convolution of more than are taken at a time": (lambda lib: lib.nn.Conv2d(32, 2, 3), [(70, 32, 9, 9)]),
    "pooling": (lambda lib: lib.nn.MaxPool2d(2), [(3, 2, 6, 4)]),
    "pooling of odd lengths": (lambda lib: lib.nn.MaxPool2d(2), [(3, 2, 7, 5)]),
    "views": (lambda lib: lambda x: x.view(3, 4).t().reshape(2, 6).transpose(0, 1) * 2, [(12,)]),
}  # fmt: skip
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "packed": lambda x: x,
    "turned": lambda x: x.transpose(0, -1).contiguous().transpose(0, -1),
    "with gaps": lambda x: x.repeat_interleave(2, -1)[..., ::2],
}


def parameters_of(function: Any) -> list[Any]:
    """The parameters of the modules that a function is, has, or holds."""
    candidates = [function, getattr(function, "layer", None)]
    candidates += [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    named = {
        id(parameter): parameter
        for module in candidates
        if hasattr(module, "parameters")
        for parameter in module.parameters()
    }
    return list(named.values())


def numbers(lib: Any, size: tuple[int, ...], dtype: str, start: float) -> Any:
    count = int(np.prod(size))
    return lib.from_numpy(np.cos(np.arange(count) * 1.7 + start).astype(dtype).reshape(size))


def seen(lib: Any, name: str, layout: str, dtype: str, times: int) -> list[Any]:
    """Results and gradients of the last of `times` calls; in float64, second derivatives too."""
    build, sizes = LAYERS[name]
    before = lib.get_default_dtype()
    lib.set_default_dtype(getattr(lib, dtype))
    try:
        lib.manual_seed(3)
        function = build(lib)
    finally:
        lib.set_default_dtype(before)
    tensors: list[Any] = []
    for _ in range(times):
        leaves = [LAYOUTS[layout](numbers(lib, size, dtype, at)).requires_grad_() for at, size in enumerate(sizes)]
        wanted = [*leaves, *parameters_of(function)]
        result = function(*leaves)
        towards = numbers(lib, tuple(result.shape), dtype, 0.5)
        for tensor in wanted:
            tensor.grad = None
        result.backward(towards, retain_graph=True)
        tensors = [result, *[tensor.grad for tensor in wanted]]
        if dtype == "float64":
            first = lib.autograd.grad(result, wanted, towards, create_graph=True)
            loss = sum((number * numbers(lib, tuple(number.shape), dtype, 0.1)).sum() for number in first)
            second = lib.autograd.grad(loss, wanted, allow_unused=True) if loss.requires_grad else [None] * len(wanted)
            tensors += [*first, *second]
    return tensors


def lies(tensor: Any) -> list[int]:
    """The strides of dimensions of more than one element."""
    return [step for step, length in zip(tensor.stride(), tensor.shape, strict=True) if length > 1]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", LAYERS)
def test_layers_give_pytorchs_results_and_gradients(name: str, layout: str, dtype: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):  # others have no second derivative
            theirs = seen(torch, name, layout, dtype, 1)
        for times in (1, 3):
            ours = seen(tensorglass, name, layout, dtype, times)
            assert ours[0].requires_grad
            assert [lies(tensor) for tensor in ours[:2]] == [lies(tensor) for tensor in theirs[:2]]
            for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
                if other is None or one is None:  # None may stand for a gradient of zeros
                    assert all(gradient is None or not gradient.any() for gradient in (one, other)), (times, number)
                    continue
                assert str(one.dtype).split(".")[1] == str(other.dtype).split(".")[1]
                assert tuple(one.shape) == tuple(other.shape)
                tolerance = TOLERANCE[dtype]
                np.testing.assert_allclose(
                    one.detach().numpy(), other.detach().numpy(), rtol=tolerance, atol=tolerance, err_msg=str(number)
                )
