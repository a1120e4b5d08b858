"""Differences found by running long programs about tensors: parts of complex numbers that are set, ranges, nested data,
results written where they may not be, NumPy's small ints, and the names of functions. One line is one program.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from parity.steps import disagreement, lines

import tensorglass
from tensorglass.core.left_out import LeftOut, is_left_out

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

PARTS = r"""
x=torch.zeros(3,dtype=torch.complex64) ;; x.real=torch.arange(3) ;; x.imag=torch.ones(3).bool() ;; x
x=torch.zeros(3).cdouble() ;; x.real=2 ;; x.imag=-1.5 ;; x ;; x.real=1j ;; x.imag='a' ;; x.imag=torch.ones(2)
x=torch.arange(3.) ;; x.real=5 ;; x.imag=1 ;; x.real=torch.tensor([1j,2,3]) ;; x
x=torch.tensor([1+2j,3-1j]) ;; y=x.conj() ;; y.imag=torch.tensor([5.,6.]) ;; y.real=7 ;; x ;; y.resolve_conj()
x=torch.tensor([[1+2j,3j],[4,5]]).t() ;; x.imag=x.real ;; x[0].real=9 ;; x
x=torch.ones(2,dtype=torch.complex64,requires_grad=True) ;; x.real=1
x=torch.ones(2).cfloat().requires_grad_() ;; y=x*2 ;; y.real=x.imag*3 ;; y.abs().sum().backward() ;; x.grad
x=torch.ones(2).cfloat().requires_grad_() ;; y=(x*2).conj() ;; y.imag=x.real ;; y.sum().abs().backward() ;; x.grad
"""

RANGES = r"""
torch.arange(1,3,1.) ;; torch.arange(0,3,True) ;; torch.arange(0,3,1j)
x=torch.zeros(2,3) ;; torch.linspace(0,3,4,out=x.narrow(1,1,2)) ;; torch.logspace(0,3,4,base=2,out=x.t()[1:]) ;; x
x=torch.zeros(2,3) ;; torch.range(0,3,out=x[:,1:]) ;; torch.linspace(0,1,6,out=x) ;; torch.range(0,5,out=x.t())
x=torch.zeros(1).expand(4) ;; torch.linspace(0,3,4,out=x) ;; torch.arange(4,out=x) ;; torch.range(0,3,out=x)
torch.linspace(-2**31,2**31-4096,15,dtype=torch.int32) ;; torch.linspace(0,1000,7,dtype=torch.int64)
torch.linspace(-2**40,2**41,15,dtype=torch.int64) ;; torch.linspace(100,-28,9,dtype=torch.int8)
"""

DATA = r"""
torch.tensor([[7,np.array(5)],[np.array(9),5.]]) ;; torch.tensor([np.array(5),1])
torch.as_tensor([1,np.array(2.5)]) ;; torch.tensor([1,np.array(2j)])
torch.tensor([[1,2],[np.array(3),4]],dtype=torch.int8) ;; torch.asarray([True,np.array(1)])
torch.tensor([0,1]).new_tensor([1],pin_memory=False)
x=torch.tensor([1,2]) ;; y=torch.tensor(3+4j) ;; x.fill_(y) ;; x.float().fill_(y*1j) ;; x.bool().fill_(y.imag*1j)
x=torch.arange(9).view(3,3) ;; x.narrow(0,torch.tensor(True),1) ;; x.narrow(0,torch.tensor(1),1)
x=torch.tensor([1]) ;; torch.unravel_index(x,2.5) ;; torch.unravel_index(x,(2,2.5)) ;; torch.unravel_index(x,'ab')
g=torch.Generator() ;; g.manual_seed(2.5) ;; g.manual_seed(True) ;; g.manual_seed('a') ;; torch.manual_seed('a')
"""

PLACES = r"""
x=torch.ones(3,1,3,3).expand(3,3,3,3) ;; x.triu_(2) ;; x.tril_() ;; x.triu(1)
x=torch.arange(6.) ;; torch.cat([x[:2],x[3:]],out=x[1:]) ;; torch.cat([x[:2],x[3:]],out=x[:5])
x=torch.ones(2,3,4,5).contiguous(memory_format=torch.channels_last) ;; torch.cat([x,x],1,out=torch.empty(0))
x=torch.ones(2,2) ;; torch.nonzero(x,as_tuple=True,out=torch.empty(0,dtype=torch.int64)) ;; x.nonzero(as_tuple=True)
torch.empty(3,dtype=torch.int16).random_(0,2**40) ;; torch.empty(3,dtype=torch.half).random_(0,2**40)
torch.empty(2).uniform_(-3.4e38,3.4e38) ;; torch.empty(2,dtype=torch.float64).uniform_(-1.7e308,1.7e308)
"""

SMALL_INTS = r"""
n=np.uint8(3) ;; x=torch.arange(100.) ;; x.diag(n)[0,3] ;; torch.diag_embed(x[:30],n).sum() ;; x.repeat(300,n).sum()
n=np.uint8(20) ;; x=torch.arange(100.) ;; x.set_(x.storage(),n,(n,),(n//5,)) ;; x.repeat(n).sum() ;; x.roll(n//7)
x=torch.arange(24.).view(2,3,4) ;; i=torch.tensor(1) ;; x.sum(dim=i) ;; x.amax(dim=i) ;; x.mean(i,True) ;; x.sum(i*1.0)
"""

REDUCED = r"""
x=torch.eye(3,4)*2 ;; torch.norm(x,'nuc') ;; x.norm('nuc',dim=(0,1),keepdim=True) ;; x.norm('x') ;; x[0].norm('nuc')
x=(torch.eye(3)*2).requires_grad_() ;; x.norm('nuc').backward() ;; x.grad
x=torch.tensor(1) ;; torch.unique_consecutive(x,dim=0) ;; torch.unique(x,dim=0) ;; torch.unique_consecutive(x)
torch.unique(torch.zeros(0,3),dim=1) ;; torch.unique(torch.zeros(3,0),dim=0) ;; torch.unique(torch.zeros(0,3),dim=0)
x=torch.ones(4) ;; y=x.numpy() ;; x.resize_(9) ;; x.resize_(2) ;; x.untyped_storage().resizable()
"""


@pytest.mark.parametrize("program", lines(PARTS + RANGES + DATA + PLACES + SMALL_INTS + REDUCED))
def test_a_program_ends_as_in_pytorch(program: str) -> None:
    assert disagreement(program) is None


def test_data_may_be_whatever_offers_its_memory() -> None:
    for library in (tensorglass, torch):
        tensor = library.arange(3.0)
        offering = SimpleNamespace(__dlpack__=tensor.__dlpack__, __dlpack_device__=tensor.__dlpack_device__)
        assert library.tensor(offering).tolist() == library.as_tensor(offering).tolist() == [0.0, 1.0, 2.0]
        library.as_tensor(offering)[0] = 5
        library.tensor(offering)[1] = 5
        assert tensor.tolist() == [5.0, 1.0, 2.0]


def test_incomplete_gamma_functions_come_to_an_end_however_large_their_arguments_are() -> None:
    shapes = [7.0, 1e-30, 9e6, 1.1e7, 1e8, 1e10, 1e15]
    points = [[shape + step * shape**0.5 for shape in shapes] for step in (-3, -0.5, 0, 0.1, 2, 40)] + [[1e30] * 7]
    for name in ("igamma", "igammac"):
        ours, theirs = (
            getattr(library, name)(*(library.tensor(numbers, dtype=library.float64) for numbers in (shapes, points)))
            for library in (tensorglass, torch)
        )
        own = torch.tensor(ours.tolist(), dtype=torch.float64)
        torch.testing.assert_close(own, theirs, rtol=1e-6, atol=1e-9, equal_nan=True)


def test_what_is_joined_may_not_grow_into_the_result() -> None:
    for library in (tensorglass, torch):
        grown = library.zeros(0)
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
            library.cat([grown, library.ones(3)], out=grown)


@pytest.mark.parametrize("home", ["", "Tensor", "linalg", "fft", "special"])
def test_functions_and_methods_have_the_names_that_pytorch_gives_them(home: str) -> None:
    ours, theirs = (getattr(library, home) if home else library for library in (tensorglass, torch))
    kinds = (type(torch.add), type(torch.Tensor.add))
    names = [name for name in dir(theirs) if isinstance(getattr(theirs, name), kinds) and not name.startswith("_")]
    shared = [name for name in names if not is_left_out(getattr(ours, name, LeftOut)) and name not in _UNDER_ONE_NAME]
    assert len(shared) > 15
    assert [name for name in shared if getattr(ours, name).__name__ != getattr(theirs, name).__name__] == []


#: methods that are one function under two names, and a function that PyTorch prints under an internal name
_UNDER_ONE_NAME = ("ndimension", "nelement", "where", "to_dlpack")
