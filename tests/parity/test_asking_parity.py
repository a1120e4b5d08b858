"""What tensors, dtypes, layouts and limits say of themselves, and that they cannot be told otherwise."""

from __future__ import annotations

import pytest

from tests.parity.steps import disagreement, lines

NAMED = r"""
torch.strided, isinstance(torch.strided, torch.layout), torch.zeros(2).layout is torch.strided
torch.layout()
torch.memory_format()
torch.dtype()
copy.deepcopy(torch.strided) is torch.strided, pickle.loads(pickle.dumps(torch.channels_last)) is torch.channels_last
torch.strided.foo
torch.channels_last.foo
torch.zeros(2, layout=3)
torch.Size([1]).foo
[each.abbr for each in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)]
[each.abbr for each in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)]
torch.float32.foo
torch.float32.foo = 3
torch.float32.itemsize = 3
torch.finfo().foo
torch.finfo(torch.float16).max = 3 ;; torch.finfo(torch.float16)
torch.iinfo(torch.int8).eps
torch.finfo(torch.float32) == torch.finfo(torch.complex64), torch.finfo(torch.bfloat16), torch.iinfo(torch.int64)
torch.newaxis, torch.ones(2)[:, torch.newaxis].shape
torch.is_signed(torch.ones(2)), torch.ones(2, dtype=torch.uint8).is_signed(), torch.is_signed(torch.tensor(True))
torch.is_signed(3)
torch.is_neg(torch.ones(2)), torch.ones(2).is_neg() ;; x = torch.ones(2) ;; x.resolve_neg() is x
torch.is_neg(3)
torch.ones(2, dtype=torch.int8).new([1, 2])
torch.ones(2, dtype=torch.int8).new(2, 3).shape, torch.ones(2).new().dtype, torch.ones(2).new(size=(2, 3)).shape
torch.ones(2).new('a')
torch.ones(2).new(1.5)
torch.ones(2).new(torch.ones(2, dtype=torch.int64))
x = torch.ones(2) ;; torch.ones(3).new(x) ;; torch.ones(3).new(x.untyped_storage())
"""


@pytest.mark.parametrize("program", lines(NAMED))
def test_things_say_of_themselves_what_they_say_in_pytorch(program: str) -> None:
    assert disagreement(program) is None


ORDERED = (
    "torch.tensor(3)", "torch.ones(2, 1, 1)", "torch.ones(2, 1, 3).transpose(0, 2)", "torch.ones(2).expand(3, 2)",
    "torch.ones(2, 3)[:, ::2]", "torch.ones(2, 2, 2, 2)", "torch.ones(2, 1, 1, 2)", "torch.ones(0, 2, 3)",
    "torch.ones(2, 3, 4, 5).permute(0, 2, 3, 1)", "torch.ones(2, 3, 4).permute(2, 0, 1)", "torch.ones(3, 3).t()",
    "torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last)", "torch.ones(2, 3, 4)[:, :, 0]",
)  # fmt: skip


@pytest.mark.parametrize("tensor", ORDERED)
def test_dim_order_finds_the_order_in_memory(tensor: str) -> None:
    for check in ("", "ambiguity_check=True", "ambiguity_check=[torch.contiguous_format, torch.channels_last]",
                  "ambiguity_check=3"):  # fmt: skip
        assert disagreement(f"{tensor}.dim_order({check})") is None
