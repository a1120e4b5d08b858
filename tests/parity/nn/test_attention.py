"""Attention and the Transformer are PyTorch's: parameters drawn, outputs, weights, masks, gradients, refusals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorglass
from tensorglass.bootstrap.importing import has_shortcuts

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

BOTH = (torch, tensorglass)
INF = float("inf")


def data(library: Any, *size: int, seed: int = 0) -> Any:
    return library.tensor(np.random.default_rng(seed).standard_normal(size), requires_grad=True)


def flat(value: Any) -> list[Any]:
    return [part for item in value for part in flat(item)] if isinstance(value, (list, tuple)) else [value]


def compare(runs: list[list[Any]], tolerance: float = 1e-9) -> None:
    theirs, ours = runs
    assert len(theirs) == len(ours)
    for one, other in zip(theirs, ours, strict=True):
        if isinstance(one, (torch.Tensor, tensorglass.Tensor)):
            assert str(one.dtype) == str(other.dtype)
            assert tuple(one.shape) == tuple(other.shape)
            assert one.requires_grad == other.requires_grad
            np.testing.assert_allclose(other.detach().numpy(), one.detach().numpy(), rtol=tolerance, atol=tolerance)
        else:
            assert one == other


DOTS: dict[str, Callable[[Any, Any], Any]] = {
    "plain": lambda t, f: f(data(t, 2, 3, 4, 5), data(t, 2, 3, 6, 5), data(t, 2, 3, 6, 7)),
    "two dims": lambda t, f: f(data(t, 4, 5), data(t, 6, 5), data(t, 6, 7)),
    "causal": lambda t, f: f(data(t, 2, 4, 5), data(t, 2, 4, 5), data(t, 2, 4, 5), is_causal=True),
    "causal, longer": lambda t, f: f(data(t, 2, 6, 5), data(t, 2, 4, 5), data(t, 2, 4, 5), is_causal=True),
    "bool mask": lambda t, f: f(
        data(t, 1, 3, 5), data(t, 1, 4, 5), data(t, 1, 4, 5), t.tensor([[True, False, True, False]] * 3)
    ),
    "nothing seen": lambda t, f: f(
        data(t, 1, 2, 5), data(t, 1, 3, 5), data(t, 1, 3, 5), t.tensor([[True, False, True], [False] * 3])
    ),
    "added mask": lambda t, f: f(data(t, 1, 3, 5), data(t, 1, 4, 5), data(t, 1, 4, 5), data(t, 3, 4)),
    "scale": lambda t, f: f(data(t, 1, 3, 5), data(t, 1, 4, 5), data(t, 1, 4, 5), scale=0.3),
    "groups": lambda t, f: f(data(t, 2, 4, 3, 5), data(t, 2, 2, 6, 5), data(t, 2, 2, 6, 5), enable_gqa=True),
    "mask and causal": lambda t, f: f(data(t, 3, 5), data(t, 3, 5), data(t, 3, 5), t.zeros(3, 3), is_causal=True),
    "one dim": lambda t, f: f(t.ones(2), t.ones(2), t.ones(2)),
    "dtypes": lambda t, f: f(t.ones(2, 3), t.ones(2, 3, dtype=t.float64), t.ones(2, 3)),
    "mask of integers": lambda t, f: f(t.ones(1, 2, 3), t.ones(1, 2, 3), t.ones(1, 2, 3), t.ones(2, 2, dtype=t.int64)),
}


@pytest.mark.parametrize("name", DOTS)
def test_scaled_dot_product_attention(name: str) -> None:
    runs: list[list[Any]] = []
    for library in BOTH:
        try:
            output = DOTS[name](library, library.nn.functional.scaled_dot_product_attention)
        except RuntimeError as error:
            runs.append([type(error).__name__, str(error).splitlines()[0]])
            continue
        runs.append([output])
    compare(runs)


def test_its_gradients() -> None:
    runs = []
    for library in BOTH:
        query, key, value = data(library, 2, 4, 5), data(library, 2, 6, 5, seed=1), data(library, 2, 6, 3, seed=2)
        mask = data(library, 4, 6, seed=3).detach() > 0
        output = library.nn.functional.scaled_dot_product_attention(query, key, value, mask)
        first = library.autograd.grad(output.sin().sum(), [query, key, value], create_graph=True)
        second = library.autograd.grad(sum(grad.pow(2).sum() for grad in first), [query, key, value])
        runs.append([output, *first, *second])
    compare(runs)


HEADS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "no weights": ({}, {"need_weights": False}),
    "weights of heads": ({}, {"average_attn_weights": False}),
    "batch first": ({"batch_first": True}, {}),
    "no bias": ({"bias": False}, {}),
    "added keys": ({"add_bias_kv": True, "add_zero_attn": True}, {"mask": True, "padding": True}),
    "other widths": ({"kdim": 3, "vdim": 5}, {}),
    "mask": ({}, {"mask": True}),
    "padding": ({}, {"padding": True}),
    "padding without weights": ({}, {"padding": True, "mask": True, "need_weights": False}),
    "dropout": ({"dropout": 0.4}, {}),
}


def attend(library: Any, options: dict[str, Any], call: dict[str, Any], myself: bool) -> list[Any]:
    library.manual_seed(3)
    layer = library.nn.MultiheadAttention(4, 2, dtype=library.float64, **options)
    batch_first = options.get("batch_first", False)

    def size(length: int, width: int) -> tuple[int, ...]:
        return (2, length, width) if batch_first else (length, 2, width)

    query = data(library, *size(3, 4))
    key, value = (
        (query, query) if myself else (data(library, *size(5, layer.kdim)), data(library, *size(5, layer.vdim)))
    )
    span = 3 if myself else 5
    given = {name: value for name, value in call.items() if name not in ("mask", "padding")}
    if call.get("mask"):
        given["attn_mask"] = library.ones(3, span, dtype=library.bool).triu(1)
    if call.get("padding"):
        given["key_padding_mask"] = library.tensor([[False] * span, [False] * (span - 1) + [True]])
    library.manual_seed(8)
    output, weights = layer(query, key, value, **given)
    output.sin().sum().backward()
    grads = [param.grad for param in layer.parameters()]
    names = [name for name, _ in layer.named_parameters()]
    rest = [] if weights is None else [weights]
    return [repr(layer), *names, *layer.parameters(), output, *rest, query.grad, *grads]


@pytest.mark.parametrize("myself", [True, False])
@pytest.mark.parametrize("name", HEADS)
def test_multihead_attention(name: str, myself: bool) -> None:
    options, call = HEADS[name]
    if myself and "kdim" in options:
        myself = False
    compare([attend(library, options, call, myself) for library in BOTH])


def test_gradients_of_masks_are_contiguous_beside_added_keys() -> None:
    runs = []
    for library in BOTH:
        layer = library.nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True, dtype=library.float64)
        query, mask, padding = data(library, 3, 2, 4), data(library, 3, 3, seed=1), data(library, 2, 3, seed=2)
        output, _ = layer(query, query, query, attn_mask=mask, key_padding_mask=padding)
        runs.append([grad.stride() for grad in library.autograd.grad(output.sin().sum(), [mask, padding])])
    compare(runs)


def test_attention_without_a_batch() -> None:
    runs = []
    for library in BOTH:
        library.manual_seed(3)
        layer = library.nn.MultiheadAttention(4, 2, dtype=library.float64)
        query, key = data(library, 3, 4), data(library, 5, 4)
        padding = library.tensor([False, True, False, False, True])
        mask = data(library, 2, 3, 5, seed=4).detach()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            outputs = [*layer(query, query, query), *layer(query, key, key, key_padding_mask=padding, attn_mask=mask)]
        runs.append([*outputs, *(str(warning.message) for warning in caught)])
    compare(runs)


BLOCKS: dict[str, dict[str, Any]] = {
    "plain": {},
    "norm first": {"norm_first": True, "activation": "gelu"},
    "batch first": {"batch_first": True, "bias": False, "layer_norm_eps": 1e-3},
    "no dropout": {"dropout": 0.0},
}


@pytest.mark.parametrize("name", BLOCKS)
def test_encoder_and_decoder_layers(name: str) -> None:
    runs = []
    for library in BOTH:
        library.manual_seed(6)
        options = {"dim_feedforward": 7, "dtype": library.float64, **BLOCKS[name]}
        encoder = library.nn.TransformerEncoderLayer(4, 2, **options)
        decoder = library.nn.TransformerDecoderLayer(4, 2, **options)
        source, target = data(library, 3, 2, 4), data(library, 3, 2, 4, seed=1)
        length = 2 if options.get("batch_first") else 3
        mask = library.nn.Transformer.generate_square_subsequent_mask(length, dtype=library.float64)
        library.manual_seed(6)
        memory = encoder(source, src_mask=mask, is_causal=True)
        output = decoder(target, memory, tgt_mask=mask)
        output.sin().sum().backward()
        params = [*encoder.parameters(), *decoder.parameters()]
        evaluated = encoder.eval()(source)
        runs.append([repr(encoder), repr(decoder), memory, output, source.grad, evaluated, *params])
        runs[-1] += [param.grad for param in params]
    compare(runs)


@pytest.mark.parametrize("batch_first", [True, False])
def test_transformer(batch_first: bool) -> None:
    runs = []
    for library in BOTH:
        library.manual_seed(6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = library.nn.Transformer(4, 2, 2, 2, 6, 0.2, batch_first=batch_first, dtype=library.float64)
        source, target = data(library, 3, 3, 4), data(library, 3, 3, 4, seed=1)
        causal = model.generate_square_subsequent_mask(3, dtype=library.float64)
        padding = library.tensor([[False, False, True], [False] * 3, [False] * 3])
        library.manual_seed(6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            output = model(source, target, tgt_mask=causal, src_key_padding_mask=padding)
        output.sin().sum().backward()
        model.eval()
        with library.no_grad():
            evaluated = model(source, target, tgt_mask=causal)
        params = list(model.parameters())
        runs.append([repr(model), *model.state_dict(), output, evaluated, source.grad, *params])
        runs[-1] += [param.grad for param in params]
    compare(runs)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "no heads": lambda t: t.nn.MultiheadAttention(4, 0),
    "heads": lambda t: t.nn.MultiheadAttention(5, 2),
    "dims": lambda t: t.nn.MultiheadAttention(4, 2)(t.ones(4), t.ones(4), t.ones(4)),
    "key dims": lambda t: t.nn.MultiheadAttention(4, 2)(t.ones(2, 1, 4), t.ones(2, 4), t.ones(2, 4)),
    "width": lambda t: t.nn.MultiheadAttention(4, 2)(t.ones(2, 1, 6), t.ones(2, 1, 6), t.ones(2, 1, 6)),
    "lengths": lambda t: t.nn.MultiheadAttention(4, 2)(t.ones(2, 1, 4), t.ones(3, 1, 4), t.ones(2, 1, 4)),
    "mask size": lambda t: t.nn.MultiheadAttention(4, 2)(*[t.ones(2, 1, 4)] * 3, attn_mask=t.zeros(3, 3)),
    "mask size of heads": lambda t: t.nn.MultiheadAttention(4, 2)(*[t.ones(2, 1, 4)] * 3, attn_mask=t.zeros(3, 3, 3)),
    "mask dims": lambda t: t.nn.MultiheadAttention(4, 2)(*[t.ones(2, 1, 4)] * 3, attn_mask=t.zeros(3)),
    "mask of integers": lambda t: t.nn.MultiheadAttention(4, 2)(
        *[t.ones(2, 1, 4)] * 3, attn_mask=t.zeros(2, 2, dtype=t.int64)
    ),
    "padding dims": lambda t: t.nn.MultiheadAttention(4, 2)(*[t.ones(2, 1, 4)] * 3, key_padding_mask=t.zeros(3)),
    "a hint without a mask": lambda t: t.nn.MultiheadAttention(4, 2)(*[t.ones(2, 1, 4)] * 3, is_causal=True),
    "activation": lambda t: t.nn.TransformerEncoderLayer(4, 2, activation="x"),
    "batches": lambda t: t.nn.Transformer(4, 2, 1, 1, 4)(t.ones(2, 1, 4), t.ones(2, 2, 4)),
    "features": lambda t: t.nn.Transformer(4, 2, 1, 1, 4)(t.ones(2, 1, 5), t.ones(2, 1, 5)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    words = []
    for library in BOTH:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises((AssertionError, RuntimeError, ValueError)) as refused:
                REFUSED[name](library)
        words.append((refused.type, str(refused.value).splitlines()[0]))
    assert words[0] == words[1]


LAYERS: dict[str, dict[str, Any]] = {
    "plain": {"batch_first": True},
    "sequence first": {},
    "norm first": {"batch_first": True, "norm_first": True},
    "odd heads": {"batch_first": True, "nhead": 1},
    "no bias": {"batch_first": True, "bias": False},
    "tanh": {"batch_first": True, "activation": "tanh"},
}


@pytest.mark.parametrize("options", LAYERS.values(), ids=LAYERS)
def test_an_encoder_leaves_padding_out_where_pytorch_does_and_says_why_not(options: dict[str, Any]) -> None:
    runs = []
    for library in (torch, tensorglass):
        library.manual_seed(0)
        chosen = {"nhead": 2, **options}
        if chosen.get("activation") == "tanh":
            chosen["activation"] = library.tanh
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            layer = library.nn.TransformerEncoderLayer(8, dim_feedforward=8, **chosen)
            encoder = library.nn.TransformerEncoder(layer, 2, norm=library.nn.LayerNorm(8)).eval()
        x = library.randn(3, 3, 8)
        outputs = []
        for padding in (
            library.arange(3) >= library.tensor([[3], [2], [1]]),
            library.tensor([[False, True, False], [True, False, False], [False] * 3]),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outputs.append(encoder(x, src_key_padding_mask=padding).detach())
                with library.no_grad():
                    outputs.append(encoder(x, src_key_padding_mask=padding))
                    outputs.append(encoder(x, library.zeros(3, 3) > 0, src_key_padding_mask=padding))
        runs.append(([str(output.message) for output in caught], [output.tolist() for output in outputs]))
    (told, expected), (said, outputs) = runs
    assert said == told
    np.testing.assert_allclose(outputs, expected, atol=1e-5)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "side by side": lambda t: t.ones(2, 3, 5, 4),
    "heads of steps": lambda t: t.ones(2, 5, 3, 4).transpose(1, 2),
    "heads of a projection": lambda t: t.ones(2, 5, 36)[..., :12].view(2, 5, 3, 4).transpose(1, 2),
    "steps outermost": lambda t: t.ones(5, 2, 3, 4).permute(1, 2, 0, 3),
    "features outermost": lambda t: t.ones(2, 3, 4, 5).transpose(2, 3),
    "one image for all": lambda t: t.ones(1, 1, 5, 4).expand(2, 3, 5, 4),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [4, 3])
def test_the_output_of_attention_lies_as_in_pytorch(layout: str, width: int) -> None:
    seen = []
    for library in BOTH:
        query = LAYOUTS[layout](library).detach().requires_grad_()
        key, value = (library.ones(2, 6, 3, size).transpose(1, 2).requires_grad_() for size in (4, width))
        output = library.nn.functional.scaled_dot_product_attention(query, key, value)
        strides = [output.stride()]
        if has_shortcuts():  # without shortcuts gradients have the strides of products
            strides += [
                gradient.stride() for gradient in library.autograd.grad(output.square().sum(), (query, key, value))
            ]
        seen.append([tuple(stride) for stride in strides])
    assert seen[0] == seen[1]
