"""The subjects of PyTorch's own test suite, in programs of ours. One line is one program."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from parity.steps import disagreement, lines

import tensorglass

STORAGES = r"""
x=torch.arange(6.) ;; y=torch.tensor(x.untyped_storage(),dtype=torch.float32) ;; y[0]=7 ;; x ;; y._version
x=torch.arange(6.) ;; torch.tensor(x.untyped_storage()).dtype ;; torch.tensor(x.untyped_storage()).shape
x=torch.arange(6.) ;; torch.as_tensor(x.storage()) ;; x.new_tensor(x.untyped_storage())
x=torch.arange(6.) ;; torch.tensor(x.storage(),requires_grad=True)
x=torch.arange(6) ;; torch.tensor(x.storage())
x=torch.arange(6.) ;; torch.tensor(x.storage(),dtype=torch.int64)
x=torch.arange(6.) ;; torch.tensor(x.untyped_storage(),requires_grad=True)
x=torch.ones(3) ;; x.set_(x.untyped_storage(),1,(3,))
x=torch.ones(3) ;; x.set_(x.untyped_storage(),1,(3,),(1,))
x=torch.ones(2,3).t() ;; x.set_(torch.ones(6).untyped_storage(),0,(3,2)) ;; x.stride()
x=torch.ones(3) ;; x.set_(torch.ones(2),0,(4,)).untyped_storage().nbytes() ;; x.zero_()
x=torch.ones(3) ;; x.set_(torch.ones(5)[1:],2,(3,))
x=torch.ones(3) ;; x.set_(torch.ones(5)[1:],2,(2,)) ;; x.storage_offset()
x=torch.ones(3) ;; y=torch.ones(3) ;; x.storage()._cdata==x[1:].storage()._cdata
x=torch.ones(3) ;; y=torch.ones(3) ;; x.untyped_storage()._cdata==y.untyped_storage()._cdata
x=torch.ones(30).storage() ;; y=x.__sizeof__()-torch.ones(0).storage().__sizeof__()
import sys ;; sys.getsizeof(torch.ones(30).untyped_storage()) ;; sys.getsizeof(torch.ones(0).untyped_storage())
x=torch.ones(3).untyped_storage() ;; x.mark=5 ;; x.mark
"""

MEMORY_FORMATS = r"""
x=torch.ones(1,2,3,4).contiguous(memory_format=torch.channels_last) ;; x.roll(1,1).stride() ;; x.roll((1,2),(3,1))
x=torch.ones(1,2,3,4).contiguous(memory_format=torch.channels_last)[...,::2] ;; x.roll(1,3).stride() ;; x.roll(1,3)
x=torch.arange(48.).view(2,4,3,2).permute(0,3,1,2) ;; x.roll(1,1) ;; x.roll((1,2),(3,1)) ;; x.roll(-1,0)
x=torch.arange(24.).view(2,3,4).permute(2,0,1) ;; x.roll(1,1).stride() ;; x.roll(1).stride()
x=torch.ones(0,1,2,0) ;; torch.renorm(x,1,0,5).stride() ;; torch.renorm(torch.ones(0,3),1,1,5).stride()
"""

PRODUCTS = r"""
x=torch.tensor([1+2j,3j]) ;; y=x.conj() ;; torch.vdot(x,y) ;; torch.vdot(x,y).is_conj() ;; torch.dot(y,y).is_conj()
x=torch.tensor([1+2j,3j],requires_grad=True) ;; y=torch.vdot(x,x.conj()) ;; torch.autograd.grad(y,x,torch.ones_like(y))
"""

REFUSALS = r"""
x=torch.zeros(4,5,3) ;; x.index_add_(1,torch.tensor([7]),torch.ones(4,1,3))
x=torch.zeros(4,5,3) ;; x.index_add_(2,torch.tensor([7]),torch.ones(4,5,1))
x=torch.zeros(4,5) ;; x.index_add_(0,torch.tensor([7]),torch.ones(1,5),alpha=2)
x=torch.zeros(4,5) ;; x.index_add_(0,torch.tensor([7],dtype=torch.int32),torch.ones(1,5))
x=torch.zeros(3) ;; x.bernoulli_(torch.ones(3,dtype=torch.complex64))
x=torch.zeros(3) ;; x.masked_scatter_(torch.ones(3,dtype=torch.uint8),torch.ones(3))
x=torch.zeros(2,3) ;; x.diff(dim=0,prepend=torch.tensor([[0,1]]))
x=torch.zeros(2,0) ;; x.multinomial(3,True)
x=torch.zeros(0) ;; x.multinomial(3,True)
x=torch.arange(9).view(3,3) ;; torch.arange(2) in x
x=torch.arange(9).view(3,3) ;; np.int64(4) in x ;; np.float64(4.5) in x
x=torch.ones((torch.tensor(3.),4))
x=torch.ones((torch.tensor([1,2]),4))
x=torch.ones((np.array(3.),4))
x=torch.zeros(4) ;; x.unflatten("a",(2,2))
x=torch.zeros(4) ;; x.unflatten(0,2)
x=torch.zeros(4) ;; torch.unflatten(x,1.5,(2,2))
x=torch.Size([1,2])*1.5
x=torch.Size([1,2])*None
x=torch.ones(2,3) ;; torch.max(x,dim=0,other=x)
x=torch.ones(2,3) ;; torch.min(x,other=x,dim=0)
x=torch.tensor([7,2]) ;; x.__div__(2) ;; x.__div__(torch.tensor([2.,4.])) ;; x.__idiv__(2)
x=torch.tensor([7.,2.]) ;; y=x.__idiv__(2) ;; y is x ;; x ;; x._version ;; x.__div__.__name__
x=torch.zeros(2,dtype=torch.bool) ;; x.masked_fill(torch.tensor([True,False]),1j)
"""

MATRICES = r"""
x=torch.linalg.matrix_norm(torch.ones(2,3,4),0,(0,0))
x=torch.linalg.matrix_norm(torch.ones(3),3.5)
x=torch.linalg.matrix_norm(torch.ones(2,3,4),"fro",(0,0))
x=torch.linalg.matrix_norm(torch.ones(2,3,4,dtype=torch.int64),1,(0,9))
x=torch.linalg.matrix_norm(torch.ones(2,3,4,dtype=torch.int64),"fro",(0,1,2))
x=torch.linalg.matrix_norm(torch.ones(2,3,4,dtype=torch.float16),2,(0,0))
x=torch.linalg.matrix_norm(torch.ones(2,3,4,dtype=torch.float16),"fro",(0,0))
x=torch.ones(2,3,4) ;; torch.norm(x,"fro",(0,1)) ;; torch.norm(x,"fro",()) ;; torch.norm(x,"fro",[0,1,2])
x=torch.ones(2,3,4) ;; x.norm("fro",(0,1,1))
x=torch.ones(2,3,4) ;; x.norm(torch.tensor(3)) ;; torch.norm(x,torch.tensor(3.)) ;; torch.norm(x,torch.tensor([3.]))
x=torch.ones(2,3,4) ;; torch.linalg.vector_norm(x,torch.tensor(3)) ;; torch.linalg.vector_norm(x,torch.tensor([3]))
x=torch.ones(2,3) ;; torch.linalg.vector_norm(x,torch.tensor(3.,requires_grad=True))
x=torch.mv(torch.tensor(1.),torch.ones(2))
x=torch.tensor(1.).mv(torch.tensor(1.))
x=torch.mv(torch.ones(2),torch.ones(2))
x=torch.linalg.cond(torch.ones(3,4),"x")
x=torch.linalg.cond(torch.ones(3,3),"x")
x=torch.linalg.cond(torch.ones(3,4),3)
x=torch.ones(2,4,3) ;; torch.linalg.lstsq(x,torch.ones(4,2))
x=torch.ones(2,4,3) ;; torch.linalg.lstsq(x,torch.ones(3,4))
x=torch.arange(24.).view(2,4,3).cos() ;; torch.linalg.lstsq(x,torch.ones(2,4)).solution.shape
x=torch.fft.rfftfreq(-1) ;; torch.fft.rfftfreq(0) ;; torch.fft.rfftfreq(5)
x=torch.histogram(torch.ones(3),torch.tensor([1.]))
x=torch.testing.assert_close(torch.ones(2),torch.zeros(2),rtol=0,atol=0.5)
"""


@pytest.mark.parametrize("program", lines(STORAGES))
def test_storages_are_shared_read_and_refused_as_pytorchs(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(MEMORY_FORMATS))
def test_rolled_and_shortened_tensors_lie_in_memory_as_pytorchs(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(PRODUCTS))
def test_products_of_conjugated_vectors_are_conjugated_where_pytorchs_are(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(REFUSALS))
def test_what_is_refused_is_refused_in_pytorchs_words(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(MATRICES))
def test_norms_solutions_and_bins_are_refused_in_pytorchs_words(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("call", ["x[0]", "x.__setitem__(0, 1)", "-x", "x + 1", "1 + x", "x.sum()", "x == 1"])
def test_a_class_that_passes_on_everything_is_told_so(call: str) -> None:
    def told(library: Any) -> Any:
        class Passing(library.Tensor):  # type: ignore[name-defined]  # either library's
            @classmethod
            def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                return NotImplemented

        try:
            return repr(eval(call, {"x": library.ones(2).as_subclass(Passing)}))
        except TypeError as error:
            return str(error).splitlines()[0].partition(";")[0]

    assert told(tensorglass) == told(torch)
