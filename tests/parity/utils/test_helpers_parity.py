"""Small helpers that programs use: lists of tensors, random tensors for tests, old classes, early stops."""

from __future__ import annotations

import importlib
import types
from pathlib import Path
from typing import Any

import pytest

import tensorglass
from tensorglass import _utils, foreach
from tensorglass.bootstrap.namespaces import pytorch_names

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")


def shown(value: Any) -> Any:
    """A result as plain data."""
    if isinstance(value, (list, tuple, types.GeneratorType)):
        return [shown(item) for item in value]
    if hasattr(value, "tolist"):
        return [str(value.dtype), list(value.stride()), value.tolist()]
    return value


def agree(call: str) -> None:
    results = []
    for library in (tensorglass, torch):
        library.manual_seed(0)
        a = [library.tensor([0.3, -0.4]), library.full((2, 2), 0.6)]
        b = [library.tensor([0.5, 0.2]), library.full((2, 2), 0.25)]
        names = {"torch": library, "a": a, "b": b, "c": [x + 1 for x in b], "one": library.tensor(0.5)}
        names["packing"] = _utils if library is tensorglass else torch._utils
        try:
            results.append(shown(eval(call, names)))
        except Exception as error:
            results.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        results[-1] = [results[-1], shown(a)]
    ours, theirs = results
    tensorglass.testing.assert_close(_numbers(ours), _numbers(theirs), rtol=2e-6, atol=2e-7, equal_nan=True)
    assert _rest(ours) == _rest(theirs)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    return [float(value)] if isinstance(value, (int, float, complex)) and not isinstance(value, complex) else []


def _rest(value: Any) -> Any:
    if isinstance(value, list):
        return [_rest(item) for item in value]
    return None if isinstance(value, float) else value


UNARY = [name for name in foreach.__all__ if name.strip("_").removeprefix("foreach_") in foreach._UNARY]
CALLS = [
    *(f"torch.{name}(a)" for name in UNARY),
    *(
        f"torch._foreach_{name}{end}(a, {other})"
        for name in ("add", "sub", "mul", "div", "clamp_max", "clamp_min", "maximum", "minimum")
        for end in ("", "_")
        for other in ("b", "0.5", "[0.5, 2.0]")
    ),
    *(f"torch._foreach_{name}(a, one)" for name in ("add", "mul", "div")),
    *(f"torch._foreach_pow{end}(b, {other})" for end in ("", "_") for other in ("2", "b", "[2, 3]")),
    *("torch._foreach_mul_(a, scalar=3.0)", "torch._foreach_add(a, other=b, alpha=2)"),
    *("torch._foreach_sub_(a, scalars=[0.5, 2.0])", "torch._foreach_pow_(b, exponent=2)"),
    *("torch._foreach_pow(2.0, b)", "torch._foreach_add(a, b, alpha=2)", "torch._foreach_sub_(a, b, alpha=0.5)"),
    *(f"torch._foreach_{name}{end}(a, b, c, {value})" for name in ("addcmul", "addcdiv") for end in ("", "_")
      for value in ("value=0.5", "[0.5, 2.0]", "torch.tensor([0.5, 2.0])")),
    *("torch._foreach_addcmul(a, b, c)", "torch._foreach_lerp(a, b, 0.5)", "torch._foreach_lerp_(a, b, c)"),
    *("torch._foreach_norm(a)", "torch._foreach_norm(a, 1)", "torch._foreach_norm(a, float('inf'))"),
    *("torch._foreach_zero_(a)", "torch._foreach_copy_(a, b)", "torch._foreach_max(a)", "torch._foreach_add(a, b[:1])"),
    *("packing._flatten_dense_tensors(a)", "packing._flatten_dense_tensors(a[1:])"),
    "packing._unflatten_dense_tensors(torch.arange(6.), a)",
    *(f"[[each.shape[0] for each in group] for group in packing._take_tensors([*a, *b, torch.ones(9)], {size})]"
      for size in (1, 20, 1000)),
    "packing._reorder_tensors_as([a[0], b[0].long()], [b[1].long(), a[1]])",
    *(f"torch.testing.make_tensor(3, 4, dtype=torch.{dtype}, device='cpu')"
      for dtype in ("float32", "float64", "bool", "uint8", "int16", "int64", "complex64", "bfloat16")),
    "torch.testing.make_tensor((2, 3), dtype=torch.float32, device='cpu', low=-1, high=1, noncontiguous=True)",
    "torch.testing.make_tensor((20,), dtype=torch.int8, device='cpu', low=-1.5, high=1.5, exclude_zero=True)",
    "torch.testing.make_tensor([2], dtype=torch.float32, device='cpu', low=-1e39, high=1e39, requires_grad=True)",
    "torch.testing.make_tensor(2, dtype=torch.float32, device='cpu', low=2, high=1)",
    "torch.testing.make_tensor(2, dtype=torch.uint8, device='cpu', low=-5, high=-1)",
    "torch.testing.make_tensor(2, dtype=torch.float32, device='cpu', low=float('nan'))",
    "torch.testing.make_tensor(2, dtype=torch.int64, device='cpu', requires_grad=True)",
    "torch.xpu.is_available(), torch.xpu.device_count()",
    "isinstance(a[0], torch.cuda.FloatTensor), issubclass(torch.cuda.FloatTensor, int), repr(torch.cuda.LongTensor)",
    "torch.cuda.FloatTensor(2)",
    "torch.mps.is_available(), torch.mps.device_count()", "torch.serialization.DEFAULT_PROTOCOL",
    "type(a[0]) in torch.utils._foreach_utils._foreach_supported_types",
    "torch._disable_dynamo(lambda x: x + 1)(2)", "torch._disable_dynamo(recursive=False)(lambda x: x + 1)(2)",
    "torch.random.default_generator is torch.default_generator",
    "issubclass(torch._C._LinAlgError, torch.linalg.LinAlgError)", "torch.has_mps", "torch.serialization.pickle",
    *(f"torch._assert({condition}, 'no')" for condition in ("a[0].sum() > -99", "False", "[]", "torch.ones(2)")),
    *(f"torch._softmax_backward_data(grad_output=a[1], output=a[1].softmax(0), dim={dim}, input_dtype=torch.{dtype})"
      for dim, dtype in ((-2, "float32"), (2, "float32"), (0, "float16"))),
    *(f"torch.nn._reduction.get_enum({reduction!r})" for reduction in ("none", "mean", "sum", "elementwise_mean", "x")),
    *(f"torch.nn._reduction.legacy_get_{kind}({average}, {reduces})"
      for kind in ("string", "enum") for average, reduces in ((None, None), (False, True), (True, False))),
    "torch.ones(2, 1).lu_solve(*(a[1] + torch.eye(2)).lu())", "torch.lu_solve(torch.ones(2), *torch.eye(2).lu())",
    "a[1].add(torch.eye(2)).lu()", "torch.lu(a[1] + torch.eye(2), get_infos=True)", "torch.zeros(2, 2).lu()",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("call", CALLS)
def test_what_programs_ask_for_gives_what_pytorch_gives(call: str) -> None:
    agree(call)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_older_closeness_compares_as_pytorchs() -> None:
    for actual, expected in (
        ([1.0, 2.0], [1.0, 2.00001]),
        ([1], [1.0]),
        ([1.0], [1.1]),
        ([float("nan")], [float("nan")]),
    ):
        for options in ({}, {"rtol": 0.2, "atol": 0.0}, {"equal_nan": False}):
            outcomes = []
            for library in (tensorglass, torch):
                try:
                    library.testing.assert_allclose(library.tensor(actual), expected, **options)
                    outcomes.append(None)
                except AssertionError as error:
                    outcomes.append(str(error))
            assert outcomes[0] == outcomes[1]


def test_checkpoints_stop_early_only_where_they_may() -> None:
    counts = []
    for library in (tensorglass, torch):
        from_library = __import__(f"{library.__name__}.utils.checkpoint", fromlist=["checkpoint"])
        for enable in (True, False):
            calls: list[int] = []

            def block(x: Any, calls: list[int] = calls) -> Any:
                y = x.sin().exp()
                calls.append(0)
                return y

            with from_library.set_checkpoint_early_stop(enable):
                result = from_library.checkpoint(block, library.ones(2, requires_grad=True), use_reentrant=False)
            result.sum().backward()
            counts.append(len(calls))
        assert from_library.get_device_states(library.ones(2)) == ([], [])
        from_library.set_device_states([], [])
    assert counts[:2] == counts[2:]


def test_what_is_kept_may_be_overwritten_where_that_is_allowed() -> None:
    grads = []
    for library in (tensorglass, torch):
        x = library.tensor([0.5, 2.0], requires_grad=True)
        with library.autograd.graph.allow_mutation_on_saved_tensors():
            y = x * 1
            z = (y.sin() * y).sum()
            y.zero_()
            z.backward()
        grads.append(x.grad.tolist())
    assert grads[0] == pytest.approx(grads[1])


def test_a_private_name_that_is_missing_gets_advice_too() -> None:
    for ask in (lambda: tensorglass._nonsense, lambda: tensorglass.nn._nonsense, lambda: tensorglass.cuda._nonsense):
        with pytest.raises(AttributeError) as caught:
            ask()
        assert caught.value.__notes__
    with pytest.raises(AttributeError) as caught:
        _ = tensorglass._repr_html_
    assert not hasattr(caught.value, "__notes__")
    assert "_foreach_add" not in pytorch_names()


@pytest.mark.parametrize("device", [0, "cuda:1", "cpu", "cuda", None, 1.5])
@pytest.mark.parametrize("allow_cpu", [False, True])
def test_devices_have_pytorchs_numbers(device: Any, allow_cpu: bool) -> None:
    found = []
    for library in (tensorglass, torch):
        try:
            found.append(library._utils._get_device_index(device, allow_cpu=allow_cpu))
        except ValueError as error:
            found.append(str(error))
    assert found[0] == found[1]


@pytest.mark.parametrize("with_indices", [False, True])
def test_lists_of_tensors_are_grouped_by_their_dtypes(with_indices: bool) -> None:
    found = []
    for library in (tensorglass, torch):
        group = importlib.import_module(f"{library.__name__}.utils._foreach_utils")._group_tensors_by_device_and_dtype
        tensors = [library.ones(1), library.ones(2).double(), library.ones(3)]
        groups = group([tensors, [each * 2 for each in tensors], []], with_indices=with_indices)
        found.append({str(key[1]): ([shown(part) for part in lists], where) for key, (lists, where) in groups.items()})
    assert found[0] == found[1]


def test_private_names_that_layers_and_functions_of_programs_import() -> None:
    found = []
    for library in (tensorglass, torch):
        modules = importlib.import_module(f"{library.__name__}.nn.modules.module")
        functional = importlib.import_module(f"{library.__name__}.nn.functional")
        function = importlib.import_module(f"{library.__name__}.autograd.function")

        class Doubled(function.InplaceFunction):  # type: ignore[misc, name-defined]  # of either library
            @staticmethod
            def forward(ctx: Any, x: Any, inplace: bool) -> Any:
                return x.mul_(2) if inplace else x * 2

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                return grad * 2, None

        x = library.ones(2, requires_grad=True)
        Doubled.apply(x, False).sum().backward()
        keys = modules._IncompatibleKeys(["a"], [])
        found.append([
            modules._addindent("a\nb\n\nc", 4), modules._addindent("a", 2), repr(keys), functional._pair(3),
            functional.has_torch_function((x,)), x.grad.tolist(),
        ])  # fmt: skip
    assert found[0] == found[1]


def test_layers_derived_from_transformers_call_their_blocks_with_pytorchs_arguments() -> None:
    found = []
    for library in (tensorglass, torch):

        class Twice(library.nn.TransformerDecoderLayer):  # type: ignore[misc, name-defined]  # of either library
            def forward(self, x: Any, memory: Any) -> Any:
                x = x + self._sa_block(x, attn_mask=None, key_padding_mask=None)
                return x + self._mha_block(x, memory, None, None) + self._ff_block(x)

        library.manual_seed(0)
        layer = Twice(4, 2, dim_feedforward=8).eval()
        found.append(layer(library.ones(2, 1, 4), library.ones(3, 1, 4)).tolist())
        assert library._C._is_tracing() is False
    assert torch.allclose(torch.tensor(found[0]), torch.tensor(found[1]))


def test_one_process_holds_a_baton_at_a_time(tmp_path: Path) -> None:
    def turns(library: Any) -> list[Any]:
        module = importlib.import_module(f"{library.__name__}.utils.file_baton")
        one, other = (module.FileBaton(str(tmp_path / "lock"), wait_seconds=0.01) for _ in range(2))
        seen = [one.try_acquire(), other.try_acquire(), (tmp_path / "lock").exists()]
        one.release()
        other.wait()
        seen += [(tmp_path / "lock").exists(), other.try_acquire()]
        other.release()
        return seen

    assert turns(tensorglass) == turns(torch) == [True, False, True, False, True]
