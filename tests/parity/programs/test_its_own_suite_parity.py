"""Cases from PyTorch's own test suite: one line is one program, compared step by step."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pytest
from parity.steps import disagreement, lines

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

PROGRAMS = r"""
x=torch.arange(45.).view(5,3,3).expand(5,5,3,3) ;; x.triu_(1) ;; x.tril_() ;; x.triu(0) ;; x.tril_(-1)
x=torch.ones(3,1,3,3).expand(3,3,3,3) ;; x.triu_(2)
x=torch.ones(2,3,3,3).expand(4,2,3,3,3) ;; x.tril_()
x=torch.ones(2,1,3,3,3).expand(2,4,3,3,3) ;; x.tril_()
x=torch.ones(2,3) ;; torch.sort(x,0,True,True) ;; x.argsort(0,True,True) ;; x.sort(stable=True,dim=0) ;; x.argsort(1)
x=torch.arange(6.) ;; x.split(torch.tensor([3,3])) ;; x.split(torch.tensor(3.)) ;; x.split(torch.tensor([2]))
x=torch.arange(6.) ;; x.tensor_split(indices_or_sections=3) ;; x.tensor_split(indices=[3])
x=torch.arange(6.) ;; x.tensor_split(sections=2) ;; torch.hsplit(x,indices_or_sections=2) ;; x.hsplit(indices=[1])
x=torch.arange(6.) ;; torch.hsplit(x,sections=2) ;; torch.hsplit(input=x,indices=[1])
x=torch.arange(6.) ;; torch.broadcast_to(x,6) ;; torch.broadcast_to(x,(2,6)) ;; torch.broadcast_to(x,size=[6])
x=torch.tensor(3) ;; torch.unravel_index(x,(2,np.int64(3))) ;; torch.unravel_index(x,(True,7))
torch.ones(2,3).resize_(8,8,2**29,2**29) ;; torch.ones(2,3).resize_(2,4,2**29,2**29) ;; torch.ones(2,3).resize_(-1)
x=torch.ones(3,4) ;; i=torch.zeros(2,2,dtype=torch.long) ;; x.scatter_add(0,i,x[None]) ;; x.scatter_add(0,i,x[0,0])
x=torch.ones(3,dtype=torch.complex64) ;; x.unique_consecutive(dim=0) ;; x[None].unique_consecutive(dim=0)
x=torch.tensor([0j,1+1j,2j]) ;; x**-1 ;; x**-0.5 ;; x**(-1-1j) ;; x**2 ;; x[:1]**torch.tensor([-1.]) ;; x.pow_(-2)
x=torch.tensor(0j,dtype=torch.complex128) ;; x**-1 ;; torch.pow(x,-2,out=torch.zeros((),dtype=torch.complex128))
torch.set_default_dtype(torch.bfloat16) ;; torch.tensor([1,2j]) ;; torch.set_default_dtype(torch.float32)
torch.randint(2.5,(2,)) ;; torch.randint(3,2) ;; torch.randint(3) ;; torch.randint(1,2,3) ;; torch.randint(None,(2,))
torch.randint(low=0,high=3) ;; torch.randint(3,size=2) ;; torch.randint(3,(2.5,)) ;; torch.randint(0,3,(2.5,))
x=torch.ones(3) ;; x.mean(2**64) ;; x.sum((0,2**64)) ;; x.sum(dim=np.uint64(2**64-1)) ;; torch.eye(2**64)
x=torch.ones(3,3) ;; x.triu(2**64) ;; x.select(0,-2**63-1) ;; x.cumsum(2**64) ;; x.unsqueeze(2**64) ;; x.topk(2**64)
torch.asarray(np.uint64(3)) ;; torch.asarray(np.str_("a")) ;; torch.as_tensor(np.str_("a")) ;; torch.tensor([b"1"])
torch.FloatTensor(device="cuda") ;; x=torch.ones(1) ;; x.new([1,2],device="cpu")
torch.arange(1.2e-38,3.4e38) ;; torch.logspace(0,1,3,base=1j) ;; torch.logspace(0,1,3,base=2)
x=torch.ones(2) ;; y=torch.ones(2,dtype=torch.complex64) ;; y.clamp(x)
x=torch.arange(2) ;; x.div(0,rounding_mode="up") ;; (x>0).div(x,rounding_mode="") ;; (x*1j).div(x,rounding_mode="up")
x=torch.tensor(1.) ;; i=torch.tensor(0) ;; x.take_along_dim(i,-1) ;; x.take_along_dim(i,1)
x=torch.ones(3,2) ;; e=torch.zeros(0,2,dtype=torch.long) ;; x.scatter(0,e,x.long()) ;; x.scatter_add(0,e,x.long())
x=torch.ones(2,0) ;; i=torch.zeros(2,1,dtype=torch.long) ;; x.take_along_dim(i,1) ;; x.take_along_dim(i[:,:0],1)
x=torch.ones(5,5) ;; torch.from_dlpack(x[:0]) ;; torch.from_dlpack(x[:,:0].t()) ;; torch.from_dlpack(x[1:1,2:])
torch.tensor([[b"12"]],dtype=torch.int64) ;; torch.tensor([np.str_("a")]) ;; torch.tensor(list) ;; torch.tensor([dict])
"""


@pytest.mark.parametrize("program", lines(PROGRAMS))
def test_a_program_of_its_suite_shows_the_same(program: str) -> None:
    assert disagreement(program) is None


BOUNDS = (-70000, -300, -257, 0, 2, 255, 257, 300, 513, 65505, 2**24 + 3, 2**53 + 1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_whole_numbers_are_drawn_between_bounds_that_the_dtype_holds(dtype: str) -> None:
    for low in BOUNDS:
        for high in BOUNDS:
            drawn = f"torch.empty(4,dtype=torch.{dtype}).random_({low},{high})"
            assert disagreement(f"s=torch.manual_seed(1).seed and 0 ;; {drawn}") is None


@pytest.mark.parametrize("dtype", ["uint8", "float16", "bfloat16", "float32"])
@pytest.mark.parametrize("count", [0, 256, 257, 2049, 2050])
def test_a_permutation_has_as_many_numbers_as_its_dtype_tells_apart(dtype: str, count: int) -> None:
    permuted = f"torch.randperm({count},dtype=torch.{dtype})"
    assert disagreement(f"s=torch.manual_seed(1).seed and 0 ;; {permuted}.sum()") is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("bounds", ["-9,9", "0.1,0.7", "-1000,1000", "0,1", "-3,60000"])
def test_numbers_between_bounds_are_pytorchs_to_the_last_bit(dtype: str, bounds: str) -> None:
    drawn = f"torch.empty(50,dtype=torch.{dtype}).uniform_({bounds}).double().tolist()"
    assert disagreement(f"s=torch.manual_seed(1).seed and 0 ;; {drawn}") is None


class Unready:
    """A sequence that has a length and no elements to give."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int) -> Any:
        raise TypeError


class Offered:
    """An object with NumPy's array interface, which PyTorch does not ask for."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"data": (0, False), "shape": (0,), "typestr": "<f8", "version": 3}


UNKNOWN = (
    Unready(1),
    Unready(0),
    [Unready(1)],
    Offered(),
    datetime.datetime(2020, 1, 1),
    [decimal.Decimal(1)],
    object(),
)


@pytest.mark.parametrize("unknown", UNKNOWN, ids=lambda value: type(value).__name__)
def test_data_of_unknown_types_is_read_or_refused_by_the_name_of_its_type(unknown: Any) -> None:
    def outcome(library: Any, name: str) -> Any:
        try:
            return getattr(library, name)(unknown).shape
        except Exception as error:  # whatever it is, the other library must raise the same
            return type(error), str(error).splitlines()[:1]

    for name in ("tensor", "as_tensor"):
        assert outcome(tensorglass, name) == outcome(torch, name)


@pytest.mark.parametrize("unknown", [datetime.timedelta(1), decimal.Decimal(1)], ids=lambda value: type(value).__name__)
def test_what_cannot_be_assigned_or_be_an_index_is_told_by_the_name_of_its_type(unknown: Any) -> None:
    for act in (lambda x: x.__setitem__(0, unknown), lambda x: x[unknown], lambda x: x.sum(unknown)):
        told = []
        for library in (tensorglass, torch):
            with pytest.raises((TypeError, IndexError)) as raised:
                act(library.ones(2))
            told.append((raised.type, str(raised.value).splitlines()[0]))
        assert told[0] == told[1]


@pytest.mark.parametrize(
    "refused",
    [
        "torch.Tensor(2,2.)",
        "torch.ones(1).new(2,2.5)",
        "torch.set_default_tensor_type(torch.float32)",
        "torch.LongTensor(torch.zeros(2))",
    ],
)
def test_old_ways_to_make_tensors_refuse_what_pytorch_refuses(refused: str) -> None:
    for library in (tensorglass, torch):
        with pytest.raises(TypeError):
            eval(refused, {"torch": library})


def test_the_old_way_to_set_the_default_dtype_is_advised_against() -> None:
    with pytest.warns(UserWarning, match="please use torch.set_default_dtype") as told:
        tensorglass.set_default_tensor_type(tensorglass.FloatTensor)
    assert len(told) == 1
