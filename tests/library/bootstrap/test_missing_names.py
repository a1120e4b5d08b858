"""Names that the namespace does not have: Python's error, and a note on whether it is a typo or not implemented yet."""

from __future__ import annotations

import contextlib
import gc
import importlib
import subprocess
import sys
import weakref

import pytest

import tensorglass as torch


def notes_on(name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(torch, name)
    assert str(caught.value) == f"module 'tensorglass' has no attribute '{name}'"
    return "\n".join(getattr(caught.value, "__notes__", []))


def test_a_slip_of_the_keyboard_is_told_the_name_that_is_near() -> None:
    assert "Did you mean zeros" in notes_on("zeross")


def refusal(path: str, *arguments: object) -> str:
    """What is said of a use of a name that only PyTorch has; that there is such a name is PyTorch's answer too."""
    home, _, name = path.rpartition(".")
    module = importlib.import_module(f"tensorglass.{home}".rstrip("."))
    assert hasattr(module, name)
    with pytest.raises(NotImplementedError, match=rf"torch\.{path} is a name here, and no more") as caught:
        getattr(module, name)(*arguments)
    return notes_of(caught.value)


def test_a_name_that_only_pytorch_has_can_be_asked_for_and_says_at_its_use_what_to_do() -> None:
    assert refusal("lobpcg", torch.ones(3, 3)).startswith("Instead, compose it of what there is")
    assert refusal("sparse_coo_tensor", [[0]], [1.0]).startswith("torch.sparse_coo_tensor is out of scope here")
    assert "torch.linalg.lstsq" in refusal("lstsq")
    assert refusal("onnx.export").startswith("torch.onnx.export is out of scope here")


def test_a_value_that_only_pytorch_has_can_be_compared_and_printed() -> None:
    assert repr(torch.per_tensor_affine) == "torch.per_tensor_affine"
    assert torch.per_tensor_affine is torch.per_tensor_affine
    assert torch.per_tensor_affine != torch.per_tensor_symmetric


def test_the_inner_parts_of_transformed_functions_come_with_the_documented_ones() -> None:
    for module, name in (("vmap", "vmap_impl"), ("eager_transforms", "grad_impl")):
        function = getattr(importlib.import_module(f"tensorglass._functorch.{module}"), name)
        with pytest.raises(NotImplementedError) as refused:
            function()
        assert "Instead, use the documented functions of torch.func" in notes_of(refused.value)
    assert importlib.import_module("tensorglass._functorch.apis").vmap is torch.func.vmap
    assert "use the documented functions of torch.func" in refusal("_C._functorch.peek_interpreter_stack")


def test_a_name_that_is_out_of_scope_comes_with_what_to_do_instead() -> None:
    assert refusal("export.export") == (
        "torch.export.export is out of scope here, as are compilers and recorded programs in general. "
        "Instead, call the function itself: programs run as they are written."
    )
    with pytest.raises(AttributeError, match=r"module 'torch.nn' has no attribute 'quantized'") as caught:
        _ = torch.nn.quantized
    assert "Instead, compute in float16 or bfloat16" in notes_of(caught.value)


def test_asking_for_a_name_that_is_missing_keeps_nothing_of_the_caller_in_memory() -> None:
    def asks() -> weakref.ref[torch.UntypedStorage]:
        held = torch.ones(2)
        with contextlib.suppress(AttributeError):
            _ = torch.nn.no_such_layer
        return weakref.ref(held.untyped_storage())

    gc.disable()
    try:
        assert asks()() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("svdvals", "torch.linalg.svdvals"),
        ("view", "torch.Tensor.view"),
        ("bessel_j0", "torch.special.bessel_j0"),
    ],
)
def test_a_name_that_stands_elsewhere_is_told_where(name: str, place: str) -> None:
    assert place in notes_on(name)


def test_a_name_that_nobody_has_and_nothing_resembles_gets_no_guess() -> None:
    assert notes_on("qqqqqq") == "PyTorch has no such name either."


def test_asking_whether_there_is_a_name_stays_an_ordinary_question() -> None:
    assert hasattr(torch, "export")
    assert not hasattr(torch, "exports")
    assert getattr(torch, "__wrapped__", None) is None
    with pytest.raises(ImportError, match="cannot import name 'zeross'"):
        from tensorglass import zeross  # noqa: F401  # it is not there, which is the point


def notes_of(error: Exception) -> str:
    return "\n".join(getattr(error, "__notes__", []))


@pytest.mark.parametrize(
    ("module", "name", "near"), [("fft", "ffft", "fft"), ("special", "erff", "erf"), ("linalg", "invv", "inv")]
)
def test_modules_of_the_namespace_say_what_is_near_too(module: str, name: str, near: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'tensorglass.{module}' has no attribute '{name}'") as caught:
        getattr(getattr(torch, module), name)
    assert near in notes_of(caught.value)


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("cpu.Stream", "torch.autocast('cpu')"),
        ("jit.CompilationUnit", "programs run as they are written"),
        ("__future__", "module.to()"),
        ("distributed.all_reduce_coalesced", "call the operation for each tensor"),
        ("distributed.split_group", "DistributedDataParallel"),
    ],
)
def test_what_is_left_out_of_a_module_says_what_to_use_instead(path: str, instead: str) -> None:
    if path == "__future__":
        with pytest.raises(AttributeError) as caught:
            getattr(torch, path)
        told = notes_of(caught.value)
    else:
        told = refusal(path)
    assert told.startswith(f"torch.{path} is out of scope here")
    assert instead in told


@pytest.mark.parametrize(
    ("name", "instead"),
    [("to_sparse", "compute with dense tensors"), ("record_stream", "torch.cuda.synchronize"),
     ("_make_wrapper_subclass", "as_subclass"), ("narrow_copy", "clone() behind it")],
)  # fmt: skip
def test_a_method_that_only_pytorchs_tensors_have_can_be_asked_for_and_says_at_its_use_what_to_do(
    name: str, instead: str
) -> None:
    for holder in (torch.ones(2), torch.Tensor, torch.nn.Parameter(torch.ones(2))):
        assert hasattr(holder, name)
        with pytest.raises(NotImplementedError, match=rf"torch\.Tensor\.{name} is a name here, and no more") as refused:
            getattr(holder, name)(2)
        assert instead in notes_of(refused.value)


def test_of_a_slip_in_an_attribute_python_says_what_is_near() -> None:
    slip = "import tensorglass as torch; torch.zeros(2).reshap(1, 2)"
    shown = subprocess.run([sys.executable, "-c", slip], capture_output=True, text=True, check=False).stderr
    assert "'Tensor' object has no attribute 'reshap'. Did you mean: 'reshape'?" in shown


def test_asking_whether_a_tensor_has_an_attribute_stays_an_ordinary_question() -> None:
    x = torch.zeros(2)
    assert not hasattr(x, "to_sparser")
    assert not hasattr(torch.Tensor, "to_sparser")
    assert getattr(x, "_repr_html_", None) is None
    assert "reshape" in dir(x)
    assert "to_sparse" not in dir(x)


@pytest.mark.parametrize("kernel", ["_isclose", "sigmoid_backward", "tanh_backward", "threshold_backward"])
def test_what_operators_are_made_of_has_no_name_in_the_library(kernel: str) -> None:
    assert not hasattr(torch, kernel)
    assert not hasattr(torch.Tensor, kernel)
