"""`to` in all its ways of being called, the methods named for dtypes, `type`, and the memory formats of copies."""

from __future__ import annotations

from random import Random

import pytest
from parity.steps import disagreement, torch

import tensorglass

TENSORS = (
    "torch.arange(6.).reshape(2, 3)", "torch.arange(6).reshape(2, 3).t()", "torch.tensor([1+2j, 3]).conj()",
    "torch.ones(2, 3, 2, 2).to(memory_format=torch.channels_last)", "torch.ones(2, 3)[:, ::2]",
    "torch.ones(1).expand(3)", "torch.tensor(2.7)", "torch.ones(2, 0, 3)", "torch.tensor([1.5, -2.7, 300.])",
    "torch.ones(2, 3, 1, 1)", "torch.ones(2, 1, 3, 3).to(memory_format=torch.channels_last)",
    "torch.ones(1, 2, 2, 2, 2).to(memory_format=torch.channels_last_3d)", "torch.ones(2, 3, 4).permute(2, 0, 1)",
    "torch.arange(24.).reshape(2, 3, 2, 2)[:, :, 1:]", "torch.ones(3, 2, 2, 2).permute(0, 2, 3, 1)",
)  # fmt: skip
DTYPES = (
    "torch.float32",
    "torch.int64",
    "torch.float16",
    "torch.bool",
    "torch.complex64",
    "float",
    "int",
    "torch.int8",
)
DEVICES = ("'cpu'", "torch.device('cpu')", "None", "'cuda'", "'cpu:0'", "'gpu'")
FORMATS = ("torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "torch.channels_last_3d", "None")
OTHERS = ("torch.ones(1)", "torch.tensor(1, dtype=torch.int8)")
WRONG = ("'float32'", "[1]", "np.float32", "str", "np.dtype('int8')")


def call_of_to(random: Random) -> str:
    """One way of calling `to`, mostly right."""
    arguments = random.choice((
        [random.choice(DTYPES)], [random.choice(DEVICES)], [random.choice(DEVICES), random.choice(DTYPES)], [],
        [random.choice(OTHERS)], [random.choice(WRONG)], [random.choice(DTYPES), random.choice(DEVICES)],
    ))  # fmt: skip
    if arguments:
        arguments += random.choices(("True", "False"), k=random.choice((0, 0, 0, 1, 2)))
    for name, values in (
        ("copy", ("True", "False", "1")),
        ("non_blocking", ("True", "False", "None")),
        ("memory_format", FORMATS),
        ("dtype", DTYPES),
        ("device", DEVICES),
    ):
        if random.random() < (0.1 if name in ("dtype", "device") else 0.3):
            arguments.append(f"{name}={random.choice(values)}")
    return f"to({', '.join(arguments)})"


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(20))
def test_to_reads_its_arguments_as_pytorch_does(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        # "cuda" and a format that does not fit are two errors; which of them is found first is not looked at.
        call = call_of_to(random)
        if "cuda" in call and "channels" in call:
            continue
        assert disagreement(f"x = {random.choice(TENSORS)} ;; y = x.{call} ;; y is x ;; y") is None


def test_a_number_stands_for_its_dtype() -> None:
    for number in ("True", "1.5", "2j", "3, True"):
        assert disagreement(f"x = torch.ones(2) ;; x.to({number})") is None


@pytest.mark.sweep
@pytest.mark.parametrize("tensor", TENSORS)
def test_copies_have_the_memory_format_asked_for(tensor: str) -> None:
    for chosen in FORMATS:
        for call in (
            f"x.contiguous(memory_format={chosen})", f"x.clone(memory_format={chosen})",
            f"x.is_contiguous(memory_format={chosen})", f"torch.zeros_like(x, memory_format={chosen})",
            f"torch.full_like(x, 7, memory_format={chosen})", f"x.double(memory_format={chosen})",
            f"torch.empty_like(x, memory_format={chosen}).stride()", "torch.cat([x, x]).stride()",
            f"torch.empty(2, 3, 2, 2, memory_format={chosen}).stride()",
            f"torch.zeros(1).resize_as_(x, memory_format={chosen}).stride()",
        ):  # fmt: skip
            assert disagreement(f"x = {tensor} ;; y = {call} ;; y is x ;; y") is None
        if "conj" not in tensor:
            resized = f"torch.zeros(48)[:x.numel()].resize_(x.shape, memory_format={chosen}).stride()"
            assert disagreement(f"x = {tensor} ;; {resized}") is None


KINDS = (
    "", "torch.int8", "'torch.FloatTensor'", "torch.FloatTensor", "torch.LongTensor", "'torch.foo'", "'foo'",
    "torch.Tensor", "3", "None", "torch.float32, True", "torch.float32, non_blocking=True",
    "'torch.BoolTensor'", "'FloatTensor'", "torch.float32, copy=True", "torch.ones(1)",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_type_reads_its_argument_as_pytorch_does(kind: str) -> None:
    for tensor in TENSORS[:3]:
        assert disagreement(f"x = {tensor} ;; y = x.type({kind}) ;; y is x ;; y") is None


@pytest.mark.parametrize("kind", [int, float])
def test_types_of_python_are_no_dtypes_to_type(kind: type) -> None:
    for library, error in ((tensorglass, TypeError), (torch, ValueError)):
        with pytest.raises(error):
            library.ones(2).type(kind)
