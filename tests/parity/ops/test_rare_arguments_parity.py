"""Rarely given arguments that differed in a sweep over all operators, in all their forms and dtypes.

One line is one program, step by step.
"""

from __future__ import annotations

import pytest
from parity.steps import disagreement, lines

VALUES = r"""
x=torch.tensor(2.,requires_grad=True) ;; torch.msort(x) ;; torch.tensor(3).msort() ;; torch.tensor(1j).msort()
x=(torch.arange(50)*.13-3.1).to(torch.float16) ;; x.histc(5,-3,3) ;; x.histc(33,-.1,.7) ;; x.histc(7)
x=(torch.arange(50)*.13-3.1).to(torch.bfloat16) ;; x.histc(5,-3,3) ;; x.histc(33,-.1,.7) ;; x.histc(7)
x=(torch.arange(50)*.13-3.1).to(torch.float32) ;; x.histc(5,-3,3) ;; x.histc(33,-.1,.7) ;; x.histc(7)
x=(torch.arange(50)*.13-3.1).to(torch.float64) ;; x.histc(5,-3,3) ;; x.histc(33,-.1,.7) ;; x.histc(7)
x=torch.tensor([1,2]) ;; x.nan_to_num_()._version ;; torch.arange(3.).bfloat16().float_power(torch.tensor([True]))
x=torch.arange(6.).reshape(2,3) ;; torch.norm(x,"nuc").round(decimals=4) ;; x.norm("nuc",(0,1),True).round(decimals=4)
x=torch.arange(6.).reshape(2,3) ;; x.norm("nuc",0) ;; x.norm("nuc",dtype=torch.float64)
x=torch.arange(6.).reshape(2,3) ;; x.norm("two") ;; x[0].norm("nuc")
x=torch.arange(6.).reshape(2,3) ;; y=torch.empty(()) ;; torch.norm(x*0,"nuc",out=y)
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
x=torch.ones(0,0) ;; torch.linalg.norm(x,-math.inf)
x=torch.ones(2,0,3) ;; torch.linalg.norm(x,math.inf,(1,2)).tolist() ;; torch.linalg.norm(x,1,(2,1),True).tolist()
x=torch.ones(2,0) ;; torch.searchsorted(x,torch.ones(2,3)) ;; torch.searchsorted(x,x) ;; torch.searchsorted(x[:0],x[:0])
torch.igamma(torch.tensor([0.5,3,8,1.25]),torch.tensor([7.5,4,9.5,6])).round(decimals=5)
torch.arange(0,-8,-4,dtype=torch.float32) ;; torch.arange(0,-1,-0.25) ;; torch.arange(-0.,2) ;; torch.arange(3,-2,-1.)
x=torch.zeros(5,0,5) ;; torch.unique_consecutive(x,dim=1) ;; torch.unique(x,dim=1) ;; torch.unique(x.mT,dim=2)
x=torch.unique_consecutive(torch.zeros(5,0,5),dim=1,return_counts=True) ;; x[0] ;; x[1]
x=torch.tensor([1+1j,2-3j]).conj() ;; y=x.repeat_interleave(torch.tensor([2,1])) ;; y.is_conj() ;; y.tolist()
g=torch.manual_seed(0).initial_seed() ;; x=torch.zeros(3,dtype=torch.complex64).conj() ;; x.normal_() ;; x.uniform_()
g=torch.manual_seed(0).initial_seed() ;; x=torch.zeros(3,dtype=torch.complex64).conj() ;; x.is_conj()
x=torch.tensor([1+9j,1.1+8j,1.2+9.5j,3-7j,0.5+6j,2+2j]) ;; torch.logcumsumexp(x,0).imag.round(decimals=3)
x=torch.tensor([[1.7,2.3,3.1],[0.3,7.7,-3.3]]) ;; y=x.flip(1)*1.37 ;; torch.cross(x.bfloat16(),y.bfloat16(),dim=1)
x=torch.tensor([[1.7,2.3,3.1],[0.3,7.7,-3.3]]) ;; y=x.flip(1)*1.37 ;; torch.linalg.cross(x.half(),y.half())
torch.logspace(0.1,2.7,5,dtype=torch.float16)
torch.linspace(2,300,1,dtype=torch.int8) ;; torch.linspace(-300,2,0,dtype=torch.uint8) ;; torch.logspace(-3,2,0)
torch.linspace(0,1,1,dtype=torch.bool) ;; torch.logspace(0,1,0,dtype=torch.bool)
torch.linspace(0,1,1,dtype=torch.bool) ;; torch.linspace(-2,1,9,dtype=torch.half)
x=torch.ones(2,2,1) ;; y=torch.ones(2,1,2) ;; torch.tensordot(x,y,([0,1],[2,0])) ;; torch.inner(x[:1,0],x[1,0])
x=torch.ones(2,2,1,dtype=torch.bool) ;; y=torch.ones(2,1,2,dtype=torch.bool) ;; torch.tensordot(x,y,([0,1],[2,0]))
x=torch.ones((),dtype=torch.uint16) ;; x.aminmax(dim=0) ;; x.reshape(2*[1]).argmax(0) ;; x.reshape(1).argmin(-1,True)
x=torch.ones(2,2,dtype=torch.uint8) ;; torch.all(x,out=torch.empty(0,dtype=torch.bool)) ;; torch.any(x,1,out=x[0]==0)
x=torch.tensor([1.,2,4]).half() ;; y=torch.histogram(x,x) ;; y.hist ;; torch.histogram(x,x,weight=x,density=True).hist
x=torch.eye(2) ;; y=torch.linalg.eig(x,out=(torch.empty(0,dtype=torch.cdouble),torch.empty(0,dtype=torch.cdouble)))[1]
x=torch.eye(2) ;; y=torch.linalg.eig(x,out=(torch.empty(0,dtype=torch.cfloat),torch.empty(0,dtype=torch.cfloat)))[1]
x=torch.arange(-30,30)/10 ;; torch.histc(x,34,-1.4,-1.1) ;; torch.histc(x,10,0,3) ;; torch.histc(x.double(),7,-0.3,2.1)
x=torch.arange(-30,30).half()/10 ;; torch.histc(x,25,-2.9,1.2) ;; torch.histc(x.bfloat16(),26,0.6,4.3)
"""

GRADIENTS = r"""
x=torch.tensor([1.5,2.5],requires_grad=True) ;; torch.autograd.grad(x.float_power(torch.tensor([True,False])).sum(),x)
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
x=torch.tensor([[4,2j],[-2j,2]],requires_grad=True) ;; torch.autograd.grad(x.cholesky(),x,x.detach()-1j)[0]+0
x=torch.tensor([3.,9,20]).half().requires_grad_() ;; x.float_power((x+1)*0+3.5).sum().backward() ;; x.grad
x=torch.tensor([1.,2]).half().requires_grad_() ;; ((x+6)*0+7).float_power(x+2).sum().backward() ;; x.grad
x=torch.tensor([[2.,1],[4,2]],requires_grad=True) ;; y=torch.linalg.eigh(x)[1]**2 ;; y[0,0].backward()
x=torch.ones(2,2,requires_grad=True) ;; x.sort()[0].grad_fn.name() ;; x.sort(stable=False)[0].grad_fn.name()
x=torch.tensor([[2.,1],[4,3]],requires_grad=True) ;; torch.sort(x,stable=True)
x=torch.ones(2,requires_grad=True) ;; x.__rsub__(x).grad_fn.name() ;; x.__rdiv__(2).grad_fn.name() ;; x.__rdiv__(x)
x=torch.ones(2,3,requires_grad=True) ;; y=torch.tensordot(x,x.t(),([0,1],[1,0])) ;; y.grad_fn.next_functions[0]
x=torch.ones(1,3,requires_grad=True) ;; y=x.inner(x[0]) ;; y.grad_fn.next_functions[0][0].name() ;; y.backward()
x=torch.ones(1,3,requires_grad=True) ;; y=x.inner(x[0]) ;; x.grad
x=torch.ones(4,requires_grad=True)[::2] ;; y=x.inner(x) ;; y.grad_fn.next_functions[0][0].name() ;; y._is_view()
x=torch.ones(5,2,3,requires_grad=True) ;; y=x[:1].mT*2 ;; g=(x@y).grad_fn ;; g.next_functions[0]
x=torch.ones(1,2,3,requires_grad=True) ;; y=torch.ones(5,3,4,requires_grad=True) ;; (x@y).sum().backward() ;; x.grad
x=torch.ones(1,2,3,requires_grad=True) ;; y=torch.ones(5,3,4,requires_grad=True) ;; y.grad
x=torch.ones(1,2,3,requires_grad=True) ;; y=torch.ones(5,3,4) ;; (x@y).grad_fn.name() ;; (y.mT@x.mT).grad_fn.name()
x=torch.ones(2,2,requires_grad=True) ;; y=torch.linalg.multi_dot([x,x+1,x]).grad_fn ;; y.next_functions[0][0]
x=torch.ones(2,requires_grad=True) ;; y=torch.cov(torch.eye(2),aweights=x).grad_fn ;; y.next_functions[0][0]
x=torch.ones(2,requires_grad=True) ;; y=torch.cov(torch.eye(2),aweights=x,correction=2) ;; y.grad_fn.next_functions[0]
x=torch.ones(4,requires_grad=True) ;; y=torch.column_stack((x[::2],x[:2])) ;; y.grad_fn.next_functions
x=torch.ones(3,requires_grad=True) ;; y=torch.special.ndtr(x,out=torch.empty(0)) ;; y.grad_fn.name()
x=torch.ones(3,requires_grad=True) ;; y=torch.special.ndtr(x,out=torch.empty(0)) ;; y.sum().backward() ;; x.grad
x=torch.tensor([[2,1j],[1,3]],requires_grad=True) ;; torch.linalg.svd(x)[0][0,0].imag.backward()
x=torch.ones(3,2,requires_grad=True) ;; y=x[0,:0]*1 ;; torch.linalg.householder_product(x,y).sum().backward() ;; x.grad
x=torch.ones(2).cfloat().requires_grad_() ;; (x*1).scatter_reduce_(0,torch.tensor([1]),x,"prod")[1].backward() ;; x.grad
x=torch.arange(12.).reshape(3,4).sin().half().requires_grad_() ;; x.softmax(1)[:,1].sum().backward() ;; x.grad
x=torch.arange(12.).reshape(3,4).sin().bfloat16().requires_grad_() ;; x.softmax(0)[:,1].sum().backward() ;; x.grad
"""

REFUSALS = r"""
x=torch.ones(2,3) ;; x.aminmax(dim=[0]) ;; torch.aminmax(x,dim=(0,1)) ;; x.logsumexp(None) ;; x.logsumexp(dim=None)
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
x=torch.ones(3,requires_grad=True) ;; y=torch.zeros(3,requires_grad=True) ;; torch.msort(x,out=y*1)
x=torch.ones(3,requires_grad=True) ;; y=torch.zeros(3,requires_grad=True) ;; torch.msort(x*1,out=y)
x=torch.ones(3) ;; y=torch.zeros((),requires_grad=True) ;; torch.nanmean(x,out=y) ;; torch.diag(x,out=y)
x=torch.ones(3) ;; y=torch.zeros((),requires_grad=True) ;; torch.diag(x.diag(),out=y)
x=torch.ones(3) ;; y=torch.zeros(3,requires_grad=True) ;; torch.conj_physical(x,out=y) ;; torch.special.ndtr(x,out=y)
x=torch.ones(3) ;; y=torch.zeros(3,requires_grad=True) ;; torch.normal(x,x,out=y) ;; torch.normal(1.,y,out=x)
x=torch.ones(3) ;; y=torch.zeros(3,requires_grad=True) ;; torch.normal(y,1.,out=x)
x=torch.ones(2,0,0,dtype=torch.int64) ;; torch.linalg.solve_triangular(x,x,upper=True)
x=torch.ones(0,2,2).half() ;; torch.linalg.solve_triangular(x,x,upper=False,left=False) ;; torch.svd_lowrank(x)
x=torch.ones(0,2,2).half() ;; torch.pca_lowrank(x+0)
x=torch.ones(3,2) ;; torch.svd_lowrank(x.long(),q=2) ;; torch.svd_lowrank(x.bfloat16(),q=2)
x=torch.ones(3,2) ;; torch.pca_lowrank(x.int(),2,False)
torch.unique(torch.zeros(0,0,5),dim=1) ;; torch.unique(torch.zeros(0,0,5),dim=2)
torch.unique(torch.zeros(0,0,5),dim=1) ;; torch.unique(torch.ones(2,2)*1j,dim=1)
x=torch.ones(2,2) ;; x.long().norm("nuc") ;; x.bfloat16().norm("nuc",dtype=torch.float64)
x=torch.ones(2,2) ;; torch.norm(x,"nuc",out=x.long())
x=torch.eye(2) ;; torch.linalg.eig(x,out=(x*1j,x)) ;; torch.linalg.eigh(x,out=(x*1j,x.double()))
x=torch.eye(2) ;; torch.linalg.eigvals(x,out=x)
x=torch.eye(2) ;; torch.geqrf(x,out=(x.long(),x)) ;; torch.geqrf(x,out=(x*1,x.long()))
x=torch.ones(3,dtype=torch.int64) ;; torch.histogram(x,x)
x=torch.ones((),dtype=torch.complex64) ;; x.aminmax() ;; x.reshape(1).aminmax(dim=0)
torch.gradient(torch.ones(3,3),edge_order=3) ;; torch.multinomial(torch.zeros(2**24+1),3)
torch.gradient(torch.ones(3,3),edge_order=3) ;; torch.linspace(0,1,2,dtype=torch.bool)
x=torch.ones(2,requires_grad=True) ;; y=x*2 ;; y.to_dense() is y ;; y.to_dense(torch.float64) ;; y.to_dense("x")
torch.svd_lowrank(torch.ones(3)) ;; torch.histogram(torch.tensor(1.),torch.ones(2,device="meta"))
x=torch.ones(2,requires_grad=True) ;; torch.block_diag(x,"x") ;; torch.block_diag(x,x)
torch.as_tensor([1],torch.float32) ;; torch.as_tensor([1],dtype=torch.float32)
x=torch.ones(2) ;; x.register_hook(1,2)
F.softshrink(torch.ones(2),1+1j) ;; F.softshrink(torch.ones(2),-1+0j) ;; F.softshrink(torch.tensor([1.,2.]),1+0j)
m=torch.ones(2,device="meta") ;; torch.polar(m,m,out=torch.empty(2,dtype=torch.complex128,device="meta"))
x=torch.ones(2) ;; m=x.to("meta") ;; torch.bucketize(x,m).device ;; torch.bucketize(m,x).device
x=torch.ones(2) ;; m=x.to("meta") ;; torch.searchsorted(x,m).device ;; torch.searchsorted(m,x).device
x=torch.ones(2) ;; m=x.to("meta") ;; torch.bucketize(m,x,out=torch.empty(2,dtype=torch.int64))
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
