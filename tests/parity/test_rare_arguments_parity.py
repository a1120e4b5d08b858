"""What a sweep over all operators has found, in all their forms and dtypes: arguments that are rarely given.

One line is one program, step by step.
"""

from __future__ import annotations

import pytest

from tests.parity.steps import disagreement, lines

VALUES = r"""
x=torch.arange(6.).reshape(2,3) ;; torch.norm(x,"nuc").round(decimals=4) ;; x.norm("nuc",(0,1),True).round(decimals=4)
x=torch.arange(6.).reshape(2,3) ;; x.norm("nuc",0) ;; x.norm("nuc",dtype=torch.float64)
x=torch.arange(6.).reshape(2,3) ;; x.norm("two") ;; x[0].norm("nuc")
x=torch.arange(6.).reshape(2,3) ;; y=torch.empty(()) ;; torch.norm(x*0,"nuc",out=y)
x=torch.tensor([1+1j,2-3j,3j,4.]).conj() ;; y=x.unsafe_chunk(2) ;; y[0].untyped_storage().nbytes()
x=torch.tensor([1+1j,2-3j,3j,4.]).conj() ;; x.unsafe_split(3) ;; x.unsafe_split_with_sizes([1,3])
x=torch.tensor([[1+1j,2],[3j,4.]]).conj() ;; y=torch.diagonal_scatter(x,x[0]) ;; y.is_conj()
x=torch.arange(4.) ;; x.diff(n=0,prepend=x,append=x) ;; torch.diff(x,n=1,prepend=x)
torch.linalg.vander(torch.tensor(2.),N=3) ;; torch.linalg.vander(torch.tensor(2))
x=torch.arange(4,dtype=torch.uint8) ;; x.index_add(0,torch.tensor([1]),x[3:],alpha=-1)
x=torch.arange(4,dtype=torch.uint8) ;; x.index_add_(0,torch.tensor([0]),x[3:],alpha=-300)
x=torch.arange(4,dtype=torch.int8) ;; x.index_add(0,torch.tensor([1]),x[3:],alpha=200)
x=torch.arange(4.) ;; edges=torch.tensor([0.,9,2,9,4])[::2] ;; y=torch.histogram(x,edges) ;; z=y.bin_edges
y=torch.ones(1,1,1) ;; torch.linspace(2,3,1,out=y) ;; torch.logspace(2,3,1,out=y) ;; torch.linspace(2,3,2,out=y)
y=torch.ones(0,2) ;; torch.linspace(2,3,0,out=y) ;; torch.logspace(2,3,0,out=y) ;; torch.logspace(2,3,1,out=y)
torch.linspace(0,10**9+7,3,dtype=torch.int64) ;; torch.linspace(-5,2**31-1,4,dtype=torch.int32)
torch.linspace(3,16777217,9,dtype=torch.int64) ;; torch.linspace(16777217,16777219,3,dtype=torch.int32)
x=torch.ones(0,0) ;; [torch.linalg.norm(x,each).tolist() for each in (1,2,math.inf,"nuc","fro")]
x=torch.ones(0,0) ;; torch.linalg.norm(x,-2) ;; torch.linalg.norm(x,-1) ;; torch.linalg.norm(x,-math.inf)
x=torch.ones(2,0,3) ;; torch.linalg.norm(x,math.inf,(1,2)).tolist() ;; torch.linalg.norm(x,1,(2,1),True).tolist()
x=torch.ones(2,0) ;; torch.searchsorted(x,torch.ones(2,3)) ;; torch.searchsorted(x,x) ;; torch.searchsorted(x[:0],x[:0])
torch.igamma(torch.tensor([0.5,3,8,1.25]),torch.tensor([7.5,4,9.5,6])).round(decimals=5)
"""

GRADIENTS = r"""
x=torch.arange(6.).reshape(2,3).requires_grad_() ;; y=x.norm("nuc") ;; y.grad_fn.name()
x=torch.arange(6.).reshape(2,3).requires_grad_() ;; y=x.norm("nuc") ;; x.norm("nuc",(1,0),True).grad_fn.name()
x=torch.tensor([[3.,0],[0,-2]],requires_grad=True) ;; x.norm("nuc").backward() ;; x.grad.round(decimals=4)+0
x=torch.ones((),requires_grad=True) ;; y=torch.ones(1,1,requires_grad=True) ;; x.put(torch.tensor(0),y,True).backward()
x=torch.ones((),requires_grad=True) ;; y=torch.ones(1,1,requires_grad=True) ;; y.grad
x=torch.ones(2) ;; y=torch.ones(1,1,requires_grad=True) ;; x.put(torch.tensor([1]),y).sum().backward() ;; y.grad
x=torch.ones(2,3) ;; y=torch.ones((),requires_grad=True) ;; x.index_fill(1,torch.tensor([0,1,1]),y).sum().backward()
x=torch.ones(2,3) ;; y=torch.ones((),requires_grad=True) ;; y.grad
x=torch.tensor([1.,9,-2,3]) ;; y=(0.1*x).requires_grad_() ;; torch.autograd.grad((x%y).sum(),y)
x=torch.tensor([1.,9,-2,3]) ;; y=(0.1*x).requires_grad_() ;; torch.autograd.grad(x.fmod(y).sum(),y)
y=torch.zeros(2,requires_grad=True) ;; g=torch.autograd.grad((1%(y+0)).sum(),y)
x=torch.ones(2) ;; y=(x*0).requires_grad_() ;; g=torch.autograd.grad(x%y,y,x,create_graph=True)[0] ;; g.sum().backward()
x=torch.tensor([[4,2j],[-2j,2]],requires_grad=True) ;; y=x.cholesky() ;; torch.autograd.grad(y,x,x.detach()-1j)[0]+0
x=torch.tensor([3.,9,20]).half().requires_grad_() ;; x.float_power((x+1)*0+3.5).sum().backward() ;; x.grad
x=torch.tensor([1.,2]).half().requires_grad_() ;; ((x+6)*0+7).float_power(x+2).sum().backward() ;; x.grad
x=torch.tensor([[2.,1],[4,2]],requires_grad=True) ;; y=torch.linalg.eigh(x)[1]**2 ;; y[0,0].backward()
x=torch.ones(2,2,requires_grad=True) ;; x.sort()[0].grad_fn.name() ;; x.sort(stable=False)[0].grad_fn.name()
x=torch.tensor([[2.,1],[4,3]],requires_grad=True) ;; torch.sort(x,stable=True)
"""

REFUSALS = r"""
x=torch.arange(6.).reshape(2,3) ;; x.narrow(0,torch.tensor(True),1) ;; x.narrow(0,torch.tensor(1),1)
torch.arange(0,64,0.5,out=torch.empty(0,dtype=torch.int64)) ;; torch.arange(0,5,0.5,dtype=torch.int64)
torch.arange(0,5,0.)
i=torch.tensor([0,1,2]) ;; torch.gather(torch.arange(3),0,i,out=i) ;; torch.gather(torch.arange(3),0,i[1:],out=i[:-1])
i=torch.tensor([0,1,2]) ;; torch.take(torch.arange(3),i,out=i) ;; torch.take(torch.arange(3),i[1:],out=i[:-1])
i=torch.tensor([0,1,2]) ;; torch.index_select(torch.arange(3),0,i,out=i)
i=torch.tensor([0,1,2]) ;; torch.kthvalue(i,1,out=(i[0],torch.tensor(0)))
i=torch.tensor([0,1,2]) ;; torch.kthvalue(i,1,out=(torch.tensor(0),i[0]))
i=torch.arange(3.) ;; torch.topk(i,1,out=(i[:1],torch.tensor([0]))) ;; torch.sort(i,out=(i,torch.tensor([0,0,0])))
i=torch.arange(3.) ;; torch.mode(i,out=(i[0],torch.tensor(0))) ;; torch.cummax(i,0,out=(i,torch.tensor([0,0,0])))
i=torch.arange(3.) ;; torch.median(i,0,out=(i[0],torch.tensor(0))) ;; torch.max(i,0,out=(i[0],torch.tensor(0)))
"""


@pytest.mark.parametrize("program", lines(VALUES))
def test_rare_arguments_give_pytorchs_values_and_headers(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(GRADIENTS))
def test_gradients_of_rare_arguments_are_pytorchs(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(REFUSALS))
def test_what_pytorch_refuses_of_them_is_refused_in_its_words(program: str) -> None:
    assert disagreement(program) is None


LEAF = "x=torch.tensor([0.5,0.25,0.75]) ;; y=torch.zeros(3,requires_grad=True) ;; i=torch.tensor([0,2,1])"
WRITTEN = (
    "torch.cumsum(x,0,out=y)", "torch.cumprod(x,0,out=y)", "torch.logcumsumexp(x,0,out=y)",
    "torch.cummax(x,0,out=(y,i))", "torch.cummin(x,0,out=(y,i))", "torch.sort(x,out=(y,i))",
    "torch.topk(x,3,out=(y,i))", "torch.frexp(x,out=(y,i.int()))", "torch.gather(x,0,i,out=y)",
    "torch.kthvalue(x,1,out=(y[0],i[0]))", "torch.mode(x,out=(y[0],i[0]))", "torch.aminmax(x,out=(y[0],y[1]))",
    "torch.bernoulli(x,out=y)", "torch.arange(3,out=y)", "torch.linspace(0,1,3,out=y)", "torch.logspace(0,1,3,out=y)",
    "torch.zeros(3,out=y)", "torch.ones(3,out=y)", "torch.full((3,),2.,out=y)", "torch.rand(3,out=y)",
)  # fmt: skip


@pytest.mark.parametrize("call", WRITTEN)
def test_nothing_is_written_over_a_leaf_that_gradients_are_found_for(call: str) -> None:
    assert disagreement(f"{LEAF} ;; {call}") is None
