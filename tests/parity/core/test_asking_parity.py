"""Attributes of tensors, dtypes, layouts and limits, which are PyTorch's, and which cannot be set where its cannot."""

from __future__ import annotations

import pytest
from parity.steps import disagreement, lines

NAMED = r"""
torch.strided, isinstance(torch.strided, torch.layout), torch.zeros(2).layout is torch.strided
torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc
torch.ones(2).layout == torch.sparse_coo, isinstance(torch.sparse_csc, torch.layout)
torch.zeros(2).layout in {torch.sparse_csr, torch.sparse_bsr}
pickle.loads(pickle.dumps(torch.sparse_coo)) is torch.sparse_coo, copy.copy(torch.sparse_bsc) is torch.sparse_bsc
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
x = torch.ones(2) ;; torch.ones(3).new(x) ;; torch.ones(3).new(x.untyped_storage())
"""


@pytest.mark.parametrize("program", lines(NAMED))
def test_things_say_of_themselves_what_they_say_in_pytorch(program: str) -> None:
    assert disagreement(program) is None


OWN_ATTRIBUTES = r"""
x = torch.ones(2) ;; x.foo = [3] ;; x.foo ;; x.__dict__ ;; del x.foo ;; x.__dict__ ;; x.foo
x = torch.ones(2) ;; x.foo = [3] ;; y = copy.deepcopy(x) ;; y.foo, y.foo is x.foo ;; z = copy.copy(x) ;; z.foo is x.foo
x = torch.ones(2) ;; x.foo = [3] ;; y = pickle.loads(pickle.dumps(x)) ;; y.foo ;; (x + 1).foo
x = torch.ones(2) ;; x.shape = 3 ;; x.dtype = torch.int8 ;; x.T = 3 ;; x.ndim = 3 ;; x.device = 'cpu' ;; x.is_leaf = 3
x = torch.ones(2) ;; x.itemsize = 3 ;; x.nbytes = 3 ;; x.mT = 3 ;; x.H = 3 ;; x.grad_fn = 3 ;; x.layout = 3
"""


@pytest.mark.parametrize("program", lines(OWN_ATTRIBUTES))
def test_a_tensor_takes_attributes_of_its_users_own_alone(program: str) -> None:
    assert disagreement(program) is None


COPIED = r"""
x = torch.ones(2) ;; y = copy.copy(x)
x = torch.ones(2) ;; y = copy.deepcopy(x)
x = torch.ones(2) ;; y = pickle.loads(pickle.dumps(x))
x = torch.ones(2) ;; x.add_(1) ;; y = copy.copy(x) ;; y.add_(1)
x = torch.ones(2, requires_grad=True) ;; y = copy.copy(x) ;; y.requires_grad, y.is_leaf
x = torch.ones(2, requires_grad=True) ;; y = copy.copy(x*2) ;; y.requires_grad, y.is_leaf
x = torch.ones(2, requires_grad=True) ;; y = pickle.loads(pickle.dumps(x*2)) ;; y.requires_grad, y.is_leaf
x = torch.tensor([1j]).conj() ;; y = copy.copy(x)
x = torch.tensor([1j]).conj() ;; y = pickle.loads(pickle.dumps(x))
x = torch.tensor([1j]).conj() ;; y = copy.deepcopy(x)
x = torch.ones(2,3).t()[1] ;; y = copy.copy(x) ;; z = copy.deepcopy(x) ;; w = pickle.loads(pickle.dumps(x))
x = torch.ones(2) ;; y = copy.deepcopy([x,x]) ;; y[0] is y[1] ;; y
x = torch.ones(2) ;; y = copy.deepcopy([x,x.view(2,1)]) ;; y[0].data_ptr()==y[1].data_ptr()
x = torch.ones(2, requires_grad=True) ;; copy.deepcopy(x * 2)
"""


@pytest.mark.parametrize("program", lines(COPIED))
def test_copies_by_pythons_means_share_and_count_as_pytorchs(program: str) -> None:
    assert disagreement(program) is None


ORDERED = (
    "torch.tensor(3)", "torch.ones(2, 1, 1)", "torch.ones(2, 1, 3).transpose(0, 2)", "torch.ones(2).expand(3, 2)",
    "torch.ones(2, 3)[:, ::2]", "torch.ones(2, 2, 2, 2)", "torch.ones(2, 1, 1, 2)", "torch.ones(0, 2, 3)",
    "torch.ones(2, 3, 4, 5).permute(0, 2, 3, 1)", "torch.ones(2, 3, 4).permute(2, 0, 1)", "torch.ones(3, 3).t()",
    "torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last)", "torch.ones(2, 3, 4)[:, :, 0]",
)  # fmt: skip


@pytest.mark.parametrize("tensor", ORDERED)
def test_dim_order_finds_the_order_in_memory(tensor: str) -> None:
    assert disagreement(f"{tensor}.dim_order()") is None


SIZES_THAT_MEET = r"""
torch.broadcast_shapes(3, (2, 1), [1])
torch.broadcast_shapes((2, 3), (2,))
torch.broadcast_shapes((2, 3), 2.5)
torch.broadcast_shapes((2, 3), (-1,))
"""


@pytest.mark.parametrize("program", lines(SIZES_THAT_MEET))
def test_sizes_meet_or_are_refused_as_in_pytorch(program: str) -> None:
    assert disagreement(program) is None


LISTS_OF_TENSORS = r"""
torch.broadcast_tensors(torch.ones(2, 3), 2)
torch.broadcast_tensors([torch.ones(2, 3), torch.ones(3)])
torch.atleast_1d(torch.ones(2), 3) ;; torch.atleast_2d([torch.ones(2), 3]) ;; torch.atleast_3d(3) ;; torch.atleast_1d()
torch.meshgrid(torch.ones(2), 3, indexing='ij') ;; torch.meshgrid([3], indexing='ij')
torch.cartesian_prod(torch.ones(2), 3) ;; torch.cartesian_prod(3)
torch.block_diag(torch.ones(2), 3) ;; torch.block_diag([torch.ones(2)])
torch.cat([torch.ones(2), 3]) ;; torch.stack([3]) ;; torch.hstack([torch.ones(2), None])
"""


@pytest.mark.parametrize("program", lines(LISTS_OF_TENSORS))
def test_what_is_no_tensor_among_tensors_is_refused_as_in_pytorch(program: str) -> None:
    assert disagreement(program) is None
