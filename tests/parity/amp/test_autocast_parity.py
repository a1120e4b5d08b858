"""Under autocast every operator gives results of the dtypes that PyTorch's gives, and the gradients too."""

from __future__ import annotations

import operator
import pickle
import threading
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

import tensorglass
from tensorglass.core.left_out import is_left_out

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")
pytest.importorskip("expecttest", reason="PyTorch's table of operators needs it: pip install expecttest")

from pytorchs_samples import inputs_of  # noqa: E402  # after the oracle is known to be there
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402  # as above

BOTH: tuple[Any, Any] = (torch, tensorglass)
SAMPLES = 3
#: `pinv` is computed in float32 on purpose, as negative powers of matrices are (docs/differences-appendix.md); the
#: samples of the next two call a helper of PyTorch's instead of the function; the last is a name here, and no more.
LEFT_OUT = {"linalg.pinv", "pca_lowrank", "svd_lowrank", "torch.ops.aten._safe_softmax.default"}


def named(library: Any, path: str) -> Any:
    for name in path.split("."):
        library = getattr(library, name, None)
    return library


def translated(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return tensorglass.from_numpy(value.detach().numpy().copy()).requires_grad_(value.requires_grad)
    if isinstance(value, torch.dtype):
        return getattr(tensorglass, str(value).removeprefix("torch."))
    if isinstance(value, (list, tuple)):
        return type(value)(translated(item) for item in value)
    return {key: translated(item) for key, item in value.items()} if isinstance(value, dict) else value


def dtypes(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [dtypes(item) for item in value]
    return str(getattr(value, "dtype", type(value).__name__))


def is_torchs_own(value: Any) -> bool:
    return type(value).__module__.startswith("torch.nn")


OPERATORS = [
    info
    for info in op_db
    if torch.float32 in info.dtypes
    and not info.variant_test_name
    and info.name not in LEFT_OUT
    and info.name != "einsum"  # its samples have their arguments in another order
    and callable(named(torch, info.name))
    and callable(named(tensorglass, info.name))
    and not is_left_out(named(tensorglass, info.name))
]


def outcome_dtypes(library: Any, path: str, dtype: str, arguments: Any, keywords: Any) -> list[Any]:
    """The dtypes of a call's results, and of the gradients."""
    with library.autocast("cpu", getattr(library, dtype)):
        result = named(library, path)(*arguments, **keywords)
    results, given = leaves(library, result), leaves(library, (arguments, list(keywords.values())))
    if not results or not given:
        return [dtypes(result), len(results)]
    total = sum(result.abs().sum() for result in results)
    return [dtypes(result), dtypes(library.autograd.grad(total, given, allow_unused=True))]


def leaves(library: Any, value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(library, item)]
    return [value] if isinstance(value, library.Tensor) and value.requires_grad else []


@pytest.mark.sweep
@pytest.mark.parametrize("info", OPERATORS, ids=lambda info: info.name)
@pytest.mark.filterwarnings("ignore")
def test_results_and_gradients_have_the_dtypes_of_pytorchs(info: Any) -> None:
    for number, sample in enumerate(inputs_of(info, torch.float32, requires_grad=info.supports_autograd)):
        arguments, keywords = (sample.input, *sample.args), sample.kwargs
        if number == SAMPLES:
            break
        if any(map(is_torchs_own, keywords.values())):
            continue
        if info.name.endswith("matrix_power") and arguments[1] < -1:
            continue  # see LEFT_OUT
        dtype = ("bfloat16", "float16")[number % 2]
        try:
            expected = outcome_dtypes(torch, info.name, dtype, arguments, keywords)
        except (AssertionError, RuntimeError, ValueError, IndexError):
            continue
        seen = outcome_dtypes(tensorglass, info.name, dtype, translated(arguments), translated(keywords))
        assert seen == expected, (arguments, keywords)


def looked_up_early(library: Any) -> list[str]:
    early, x = library.mm, library.ones(2, 2)
    notes = [str(early is library.mm)]
    with library.autocast("cpu"):
        notes += [str(early is library.mm), dtypes(early(x, x)), dtypes(x.mm(x))]
    return [*notes, str(early is library.mm), dtypes(early(x, x))]


def test_functions_stay_the_same_objects() -> None:
    assert looked_up_early(tensorglass) == looked_up_early(torch)


def recurrent(library: Any, name: str, **options: Any) -> list[Any]:
    library.manual_seed(0)
    layer, cell = getattr(library.nn, name)(3, 4, 2, **options), getattr(library.nn, f"{name}Cell")(3, 4)
    with library.autocast("cpu"):
        output, state = layer(library.ones(2, 5, 3))
        packed = library.nn.utils.rnn.pack_sequence([library.ones(3, 3), library.ones(2, 3)])
        computed = [dtypes(output), dtypes(state), dtypes(layer(packed)[0].data), dtypes(cell(library.ones(5, 3))[0])]
    output.float().sum().backward()
    return [*computed, [dtypes(parameter.grad) for parameter in layer.parameters()]]


NO_LSTM = pytest.mark.skipif(
    not torch.ops.mkldnn._is_mkldnn_bf16_supported(),
    reason="PyTorch has no LSTM of bfloat16 on a processor without AVX-512",
)


@pytest.mark.parametrize("options", [{}, {"bidirectional": True}], ids=str)
@pytest.mark.parametrize("name", ["RNN", pytest.param("LSTM", marks=NO_LSTM), "GRU"])
def test_recurrent_layers_have_the_dtypes_of_pytorchs(name: str, options: dict[str, Any]) -> None:
    assert recurrent(tensorglass, name, **options) == recurrent(torch, name, **options)


@pytest.mark.parametrize("need_weights", [True, False])
def test_attention_has_gradients_for_all_its_parameters(need_weights: bool) -> None:
    dtypes_seen = []
    for library in BOTH:
        library.manual_seed(0)
        layer, x = library.nn.MultiheadAttention(4, 2, batch_first=True), library.randn(2, 3, 4)
        with library.autocast("cpu"):
            y = layer(x, x, x, need_weights=need_weights)[0]
        y.float().sum().backward()
        dtypes_seen.append([dtypes(y), *[dtypes(parameter.grad) for parameter in layer.parameters()]])
    assert dtypes_seen[0] == dtypes_seen[1]


# --- values and gradients --------------------------------------------------------------------------------------------


def network(library: Any) -> Any:
    library.manual_seed(0)
    nn = library.nn
    return nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 8), nn.LayerNorm(8), nn.Linear(8, 3)
    )


def outcome(library: Any, dtype: str, cache_enabled: bool) -> dict[str, Any]:
    model = network(library)
    library.manual_seed(1)
    images, labels = library.randn(5, 1, 8, 8), library.tensor([0, 1, 2, 1, 0])
    with library.autocast("cpu", getattr(library, dtype), cache_enabled=cache_enabled):
        logits = model(images) + model(images * 0.5)
        loss = library.nn.functional.cross_entropy(logits, labels)
    loss.backward()
    return {"logits": logits, "loss": loss} | {name: value.grad for name, value in model.named_parameters()}


@pytest.mark.parametrize("cache_enabled", [True, False])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_network_trains_as_in_pytorch(dtype: str, cache_enabled: bool) -> None:
    theirs, ours = (outcome(library, dtype, cache_enabled) for library in BOTH)
    tolerance = {"bfloat16": 4e-2, "float16": 5e-3}[dtype]
    for name, expected in theirs.items():
        assert str(ours[name].dtype) == str(expected.dtype), name
        np.testing.assert_allclose(
            ours[name].detach().float().numpy(), expected.detach().float().numpy(), tolerance, tolerance, err_msg=name
        )


# --- the region ------------------------------------------------------------------------------------------------------


def in_regions(library: Any) -> list[str]:
    x, notes = library.ones(2, 2), []

    def note() -> None:
        notes.append(f"{(x @ x).dtype} {library.mm(x, x).dtype} {library.is_autocast_enabled('cpu')}")

    note()
    with library.autocast("cpu"):
        note()
        with library.autocast("cpu", enabled=False):
            note()
            with library.autocast("cpu", library.float16):
                note()
                notes.append(str(library.get_autocast_dtype("cpu")))
            note()
        note()
        other = threading.Thread(target=note)
        other.start()
        other.join()
        with library.autocast("sim" if library is tensorglass else "xpu"):
            note()
    try:
        with library.autocast("cpu"):
            raise KeyError
    except KeyError:
        note()
    notes.append(str(library.autocast("cpu", dtype=library.float16)(library.matmul)(x, x).dtype))
    note()
    return notes


def test_regions_nest_and_end() -> None:
    assert in_regions(tensorglass) == in_regions(torch)


def mixed(library: Any) -> list[str]:
    half, single, double = (library.ones(2, 2, dtype=getattr(library, f"float{bits}")) for bits in (16, 32, 64))
    short = library.ones(2, 2, dtype=library.bfloat16)
    calls = [
        lambda: library.cat([single, half]),
        lambda: library.einsum("ij,jk->ik", single, single),
        lambda: library.einsum("ij->i", single),
        lambda: library.cat([short, short]),
        lambda: library.stack([short, double]),
        lambda: library.mm(half, single),
        lambda: double @ double,
        lambda: half.prod(),
        lambda: library.mm(single, single, out=library.empty(2, 2)),
        lambda: single.addmm_(single, single),
        lambda: library.ones(2, 2, dtype=library.int64).prod(),
        lambda: library.nn.functional.pad(half, (1, 1), mode="constant"),
        lambda: library.nn.functional.pad(half, (1, 0), mode="reflect"),
        lambda: library.svd_lowrank(single, 1),
        lambda: library.pca_lowrank(single, 1),
        lambda: library.linalg.svd(short),
    ]
    with library.autocast("cpu"):
        return [dtypes(call()) for call in calls]


def test_mixed_dtypes_meet_as_in_pytorch() -> None:
    assert mixed(tensorglass) == mixed(torch)


def joined_in_the_wrong_order(library: Any) -> None:
    half = library.ones(2, dtype=library.float16)
    with library.autocast("cpu"):
        library.cat([half, half.float()])


REFUSED = {
    "an unexpected dtype": joined_in_the_wrong_order,
    "no string": lambda library: library.autocast(3),
    "no device": lambda library: library.autocast("foo"),
    "no autocast": lambda library: library.autocast("meta"),
    "no function": lambda library: library.autocast("cpu")(3),
    "no bool": lambda library: library.set_autocast_enabled("cpu", 1),
    "no dtype": lambda library: library.set_autocast_dtype("cpu", 3),
    "no type of device": lambda library: library.amp.custom_fwd(device_type=3),
}


def refusal(library: Any, call: Any) -> tuple[str, str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # whatever PyTorch raises is compared
        call(library)
    return caught.type.__name__, str(caught.value).split("\n")[0].split("device type at")[-1]


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals_are_pytorchs(call: Any) -> None:
    assert refusal(tensorglass, call) == refusal(torch, call)


@pytest.mark.parametrize(("device", "dtype"), [("cpu", "float32"), ("cpu", "float64"), ("cuda", "float16")])
def test_an_unsupported_dtype_or_device_is_reported(device: str, dtype: str) -> None:
    if device == "cuda" and BOTH[1].cuda.is_available():
        device, dtype = "cpu", "float64"
    told = []
    for library in BOTH:
        with pytest.warns(UserWarning, match="Disabling autocast") as record:
            region = library.autocast(device, getattr(library, dtype))
        with region:
            told.append((str(record[0].message), dtypes(library.ones(2, 2) @ library.ones(2, 2))))
    assert told[0] == told[1]


def custom(library: Any, cast_inputs: str | None) -> list[Any]:
    notes: list[Any] = []
    amp = library.amp

    class Product(library.autograd.Function):
        @staticmethod
        @amp.custom_fwd(device_type="cpu", cast_inputs=cast_inputs and getattr(library, cast_inputs))
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            notes.append((dtypes(a), library.is_autocast_enabled("cpu")))
            return a.mm(b)

        @staticmethod
        @amp.custom_bwd(device_type="cpu")
        def backward(ctx: Any, grad: Any) -> Any:
            a, b = ctx.saved_tensors
            notes.append((dtypes(grad), library.is_autocast_enabled("cpu")))
            return grad.mm(b.t()), a.t().mm(grad)

    a, b = (library.ones(3, 3, requires_grad=True) for _ in range(2))
    with library.autocast("cpu"):
        product = Product.apply(a, b)
    product.sum().backward()
    return [*notes, dtypes(product), dtypes(a.grad)]


@pytest.mark.parametrize("cast_inputs", [None, "float32", "float16"])
def test_custom_functions_are_cast_as_pytorchs(cast_inputs: str | None) -> None:
    assert custom(tensorglass, cast_inputs) == custom(torch, cast_inputs)


# --- GradScaler ------------------------------------------------------------------------------------------------------


def scaled_steps(library: Any, **options: Any) -> str:
    scaler = library.amp.GradScaler("cpu", **options)
    weight = library.nn.Parameter(library.tensor([1.0, -2.0]))
    optimizer = library.optim.SGD([weight], lr=0.1)
    notes: list[Any] = [scaler.state_dict()]
    for factor in (1.0, 2.0, float("inf"), 1.0, float("nan"), 3.0, 0.5, 0.25):
        optimizer.zero_grad()
        scaled = scaler.scale((weight * factor).sum())
        scaled.backward()
        if factor == 2.0:
            scaler.unscale_(optimizer)
            notes.append(weight.grad.tolist())
        scaler.step(optimizer)
        scaler.update(8.0 if factor == 0.5 else None)
        notes += [scaled.item(), weight.tolist(), scaler.get_scale(), scaler.state_dict()]
    again = pickle.loads(pickle.dumps(scaler))
    fresh = library.amp.GradScaler("cpu")
    fresh.load_state_dict(scaler.state_dict())
    return repr([*notes, again.state_dict(), fresh.state_dict(), fresh.get_scale()])


@pytest.mark.parametrize(
    "options", [{}, {"init_scale": 4.0, "growth_interval": 2}, {"growth_interval": 1, "backoff_factor": 0.25}], ids=str
)
def test_a_scaler_does_what_pytorchs_does(options: dict[str, Any]) -> None:
    assert scaled_steps(tensorglass, **options) == scaled_steps(torch, **options)


def misuse(library: Any, name: str) -> tuple[str, str]:
    scaler = library.amp.GradScaler("cpu")
    weight = library.nn.Parameter(library.ones(2))
    optimizer = library.optim.SGD([weight])
    if name == "no scale":
        return refusal(library, lambda _: scaler.step(optimizer))
    if name == "growth":
        return refusal(library, lambda _: library.amp.GradScaler("cpu", growth_factor=1.0))
    if name == "no state":
        return refusal(library, lambda _: scaler.load_state_dict({}))
    scaler.scale(weight.sum()).backward()
    if name == "no step":
        return refusal(library, lambda _: scaler.update())
    if name == "closure":
        return refusal(library, lambda _: scaler.step(optimizer, closure=print))
    if name == "unscaled":
        scaler.unscale_(optimizer)
        return refusal(library, lambda _: scaler.unscale_(optimizer))
    scaler.step(optimizer)
    if name == "pickled":
        return refusal(library, lambda _: pickle.dumps(scaler))
    return refusal(library, lambda _: (scaler.unscale_ if name == "unscaled late" else scaler.step)(optimizer))


@pytest.mark.parametrize(
    "name",
    ["no scale", "growth", "no state", "no step", "closure", "unscaled", "pickled", "unscaled late", "stepped"],
)
def test_a_scaler_refuses_what_pytorchs_refuses(name: str) -> None:
    assert misuse(tensorglass, name) == misuse(torch, name)


def test_a_scaler_without_its_device_does_nothing() -> None:
    told = []
    for library in BOTH:
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            scaler = library.amp.GradScaler()
        told.append(([str(warning.message) for warning in record], scaler.is_enabled(), scaler.state_dict()))
        assert scaler.scale(3) == 3
    assert told[0] == told[1]


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_a_checkpointed_part_runs_again_under_the_autocast_of_its_first_run(use_reentrant: bool) -> None:
    runs = []
    for library in BOTH:
        library.manual_seed(0)
        body = library.nn.Sequential(library.nn.Linear(4, 4), library.nn.ReLU(), library.nn.Linear(4, 2))
        x = library.randn(3, 4, requires_grad=True)
        with library.autocast("cpu"):
            y = library.utils.checkpoint.checkpoint(body, x, use_reentrant=use_reentrant)
        z = library.utils.checkpoint.checkpoint(body, x, use_reentrant=use_reentrant)
        with library.autocast("cpu"):  # a region around backward changes nothing
            (y.sum() + z.sum()).backward()
        runs.append((str(y.dtype), x.grad.tolist(), body[0].weight.grad.tolist()))
    assert runs[0][0] == runs[1][0] == "torch.bfloat16"
    for one, other in zip(runs[0][1:], runs[1][1:], strict=True):
        np.testing.assert_allclose(one, other, atol=0.02)


def test_the_older_names_for_cuda_warn_as_in_pytorch() -> None:
    told = []
    for library in BOTH:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            amp = library.cuda.amp
            amp.autocast(enabled=False)
            amp.GradScaler(enabled=False)
            amp.custom_fwd(cast_inputs=library.float32)
            amp.custom_bwd(lambda ctx: None)
        told.append([(warning.category, str(warning.message)) for warning in caught])
        assert isinstance(amp.autocast(enabled=False), library.amp.autocast)
    assert told[0] == told[1]


def in_hand(library: Any) -> dict[str, Any]:
    """Functions and methods that were looked up before a region begins, as ``from torch import matmul`` does."""
    x, functional = library.ones(2, 2, requires_grad=True), library.nn.functional
    matmul, cat, mse_loss, linear = library.matmul, library.cat, functional.mse_loss, functional.linear
    attention, unbound, bound = functional.scaled_dot_product_attention, library.Tensor.__matmul__, x.matmul
    layer = library.nn.Linear(2, 2)
    forward, mapped, partly = layer.forward, library.func.vmap(matmul), partial(matmul, x)
    return {
        "function": lambda: matmul(x, x), "operator": lambda: operator.matmul(x, x), "unbound": lambda: unbound(x, x),
        "bound": lambda: bound(x), "partial": lambda: partly(x), "linear": lambda: linear(x, x),
        "layer": lambda: layer(x),
        "forward": lambda: forward(x), "mapped": lambda: mapped(x, x), "joined": lambda: cat([x, x.bfloat16()]),
        "loss": lambda: mse_loss(x.bfloat16(), x), "attention": lambda: attention(x[None, None], x[None], x[None]),
        "untouched": lambda: x + x,
    }  # fmt: skip


def test_what_was_imported_before_a_region_is_cast_within_it() -> None:
    dtypes_seen = []
    for library in BOTH:
        ways = in_hand(library)
        before = {name: way().dtype for name, way in ways.items() if name != "joined"}
        assert set(before.values()) == {library.float32}
        with library.autocast("cpu"):
            within = {name: str(way().dtype) for name, way in ways.items()}
        assert {name: way().dtype for name, way in ways.items() if name != "joined"} == before
        dtypes_seen.append(within)
    assert dtypes_seen[0] == dtypes_seen[1]
    assert dtypes_seen[0]["function"] == dtypes_seen[0]["partial"] == dtypes_seen[0]["unbound"] == "torch.bfloat16"
    names = vars(tensorglass)
    held = {name: names[name] for name in ("matmul", "mm", "cat")}
    with tensorglass.autocast("cpu"):
        assert {name: names[name] for name in held} == held  # nothing is replaced
