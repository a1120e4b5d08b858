"""Differences found by random programs: gradients where something is infinite, elements of overwritten tensors,
tensors without elements, and which of a call's several errors is raised. One line is one program, step by step.
"""

from __future__ import annotations

import pytest
from parity.steps import disagreement, lines

GRADIENTS = r"""
x=torch.arange(3.,requires_grad=True) ;; torch.autograd.grad((x**False).sum(),x)[0]
x=torch.arange(3.,requires_grad=True) ;; torch.autograd.grad(torch.float_power(x,False).sum(),x)[0]
x=torch.arange(3.,requires_grad=True) ;; torch.autograd.grad((x**0).sum(),x)[0]
x=torch.arange(3.,requires_grad=True) ;; torch.autograd.grad(x.pow(False).sum(),x)[0]
x=torch.arange(3.,requires_grad=True) ;; torch.autograd.grad((x**True).sum(),x)[0]
x=torch.arange(6.,requires_grad=True) ;; y=x[2:4] ;; z=torch.kron(y,y) ;; z.sum().backward() ;; x.grad.tolist()
x=torch.tensor([1+2j,3j]).conj() ;; torch.kron(x,x) ;; torch.kron(x,torch.ones(2))
x=torch.arange(6.).reshape(2,3).t() ;; torch.kron(x,x)
x=torch.ones(2,requires_grad=True) ;; torch.kron(x,x,out=torch.empty(4))
x=torch.tensor([0.5,-1.5,0,1j],requires_grad=True) ;; torch.autograd.grad(x.norm(0.5),x)[0].tolist()
x=torch.tensor([0.5,-1.5,0,1],requires_grad=True) ;; torch.autograd.grad(x.norm(0),x,allow_unused=True)
x=torch.tensor([0.5,float('nan'),0,1],requires_grad=True) ;; torch.autograd.grad(x.norm(float('inf')),x)[0].tolist()
x=torch.tensor([[2.,2],[0,1]],requires_grad=True) ;; y=torch.cdist(x,x+1,p=float('inf')).sum() ;; y.backward() ;; x.grad
x=torch.ones(3,4).t().requires_grad_() ;; torch.autograd.grad(x.masked_select(x>0).sum(),x)[0].stride()
x=torch.tensor([3.,1]).max(0) ;; x.values.mul_(2) ;; x.indices.add_(1) ;; x
x=torch.tensor([3.,1]).min(0) ;; x[0].sqrt_() ;; x[1].neg_()
torch.cat([torch.zeros(0),torch.tensor(1.)])
torch.cat([torch.zeros(0),torch.zeros(0),torch.ones(2),torch.tensor(1.)])
torch.cdist(torch.ones(2,2).half(),torch.ones(2,2))
torch.permute(torch.ones(2,3),1,0)
torch.permute(torch.ones(3),0)
torch.permute(torch.ones(2,3),[1,0])
torch.reshape(torch.ones(2,3),3,2)
torch.reshape(torch.ones(3),-1)
torch.reshape(torch.ones(3),shape=3)
torch.flip(torch.ones(3),0)
torch.flip(torch.ones(3),dims=0)
torch.tile(torch.ones(3),2)
torch.tile(torch.ones(3),2,2)
torch.repeat_interleave(torch.tensor([2,1,3]),dim=0)
x=torch.ones(2,requires_grad=True) ;; x.sum(dtype=torch.int32)
x=torch.ones(2,requires_grad=True) ;; x.prod(0,dtype=torch.int64)
x=torch.ones(2,requires_grad=True) ;; x.cumsum(0,dtype=torch.int32)
x=torch.ones(2,requires_grad=True) ;; x.cumprod(0,dtype=torch.bool)
x=torch.ones(2,requires_grad=True) ;; x&=1
x=torch.ones(2,requires_grad=True) ;; x<<=x
x=torch.ones(2,requires_grad=True) ;; x.conj_physical_()
x=torch.ones(2) ;; x.conj_physical_()
x=torch.ones(2,2,0,3,requires_grad=True) ;; x@x.mT ;; x.mT@x ;; x@torch.ones(3) ;; torch.ones(0)@x.mT[0,0].mT
x=torch.ones(2,0,3,requires_grad=True) ;; x@x
x=torch.ones(2,requires_grad=True) ;; torch.eq(x,x,out=torch.empty(2)) ;; torch.logical_and(x,x,out=x)
x=torch.ones(2,requires_grad=True) ;; torch.bitwise_and(x,x,out=x)
x=torch.ones(2,requires_grad=True) ;; torch.bitwise_and(x,x,out=torch.empty(2))
x=torch.ones(2,requires_grad=True) ;; torch.square(x,out=x)
x=torch.ones(2,requires_grad=True) ;; torch.sin(torch.ones(2),out=x)
x=torch.ones(2,requires_grad=True) ;; torch.sum(torch.ones(2,2),0,out=x)
x=torch.ones(2,requires_grad=True) ;; torch.matmul(torch.ones(2,2),torch.ones(2),out=x)
x=torch.ones(2,requires_grad=True) ;; torch.max(torch.ones(2,2),0,out=(x,torch.ones(2,dtype=torch.int64)))
x=torch.ones(2,requires_grad=True) ;; torch.bitwise_or(torch.tensor([1,2]),1,out=x)
x=torch.ones(2,requires_grad=True) ;; torch.argmax(torch.ones(2,2),0,out=x)
x=torch.ones(3,requires_grad=True) ;; torch.linalg.cross(x,x,out=x)
x=torch.ones(2,requires_grad=True) ;; x.igamma(x).sum().backward()
x=torch.tensor([[4.,1],[1,3]],requires_grad=True) ;; torch.autograd.grad(x.det(),x)[0].stride()
x=torch.tensor([[4.,1],[1,3]],requires_grad=True) ;; torch.autograd.grad(x.slogdet()[1],x)[0].stride()
x=torch.tensor([[4.,1],[1,3]],requires_grad=True) ;; torch.autograd.grad(torch.linalg.cholesky(x).sum(),x)[0].stride()
x=torch.tensor([[4.,1],[1,3]],requires_grad=True) ;; y=x.cfloat() ;; torch.autograd.grad(y.det().real,x)[0].stride()
x=torch.ones(3,2).triu(-1).requires_grad_() ;; torch.autograd.grad(torch.linalg.qr(x)[1].sum(),x)[0].stride()
x=torch.ones(2,3).triu().requires_grad_() ;; torch.autograd.grad(torch.linalg.qr(x)[1].sum(),x)[0].stride()
x=torch.ones(2,3).triu().requires_grad_() ;; torch.autograd.grad(torch.linalg.pinv(x).sum(),x)[0].stride()
x=torch.eye(3,2).requires_grad_() ;; y=torch.linalg.lstsq(x,torch.ones(3))[0].sum() ;; y.backward() ;; x.grad
x=torch.ones(2,requires_grad=True) ;; torch.special.zeta(x+1,x).sum().backward()
"""

VALUES = r"""
x=torch.arange(4.).reshape(2,2) ;; a=x.rot90() ;; b=x.rot90(2) ;; c=x.rot90(-1) ;; d=torch.linalg.matrix_rank(x)
x=torch.arange(4.) ;; b=torch.constant_pad_nd(x,(1,1))
x=torch.arange(4.) ;; a=torch.addr(torch.ones(4,4).t(),x,x)
x=torch.hann_window(4) ;; x.untyped_storage().nbytes() ;; torch.hamming_window(4,False).untyped_storage().nbytes()
x=torch.func.jacfwd(torch.sin)(torch.ones(2,3)) ;; y=torch.func.hessian(lambda v:(v**3).sum())(torch.ones(2))
s=torch.manual_seed(0).seed and 0 ;; x=torch.rand(2,out=torch.empty(2)) ;; y=torch.normal(x,1.,out=torch.empty(2))
x=torch.tensor([[1+2j,3j],[1,2j]]).conj() ;; y=x.clone().conj() ;; z=y.cumsum_(0)
x=torch.tensor([[1+2j,3j],[1,2j]]) ;; y=torch.zeros(2,dtype=torch.complex64).conj() ;; torch.sum(x,0,out=y)
x=torch.tensor([[1+2j,3j],[1,2j]]) ;; y=torch.zeros(2,dtype=torch.complex64).conj() ;; torch.prod(x,0,out=y)
x=torch.tensor([1+2j,3j]) ;; y=torch.zeros(2,dtype=torch.complex64).conj() ;; torch.where(x==3j,x,-x,out=y)
x=torch.tensor(1+math.nan*1j).conj() ;; x.nan_to_num()
x=torch.tensor([math.nan,0.,math.nan,1.,0.],dtype=torch.bfloat16) ;; x.unique() ;; x.unique(return_inverse=True)
x=torch.tensor([[1.,2,1],[3,4,3]]) ;; y=x.unique(dim=1) ;; x.reshape(2,1,3).unique(dim=2).stride() ;; x.unique(dim=0)
x=torch.tensor([[1e30,2.]]) ;; x.norm(dim=0) ;; x.norm(dim=1) ;; x[0,:1].norm() ;; x[0,0].norm(3) ;; x[0,:1].norm(0)
x=torch.tensor([[3.,math.nan],[4,1]]) ;; x.renorm(2,0,1.)
torch.true_divide(1,2) ;; torch.floor_divide(7,2)
x=torch.tensor([2j,0]).requires_grad_() ;; x.abs().sum().backward(create_graph=True) ;; x.grad.real.sum().backward()
"""

DIMS = r"""
x=torch.ones(2,3) ;; x.any([]) ;; x.all(()) ;; x.any([],True) ;; x.any(dim=None) ;; x.sum([]) ;; x.amax([])
x=torch.ones(2,3,dtype=torch.uint8) ;; x.any([]) ;; x.all((),True)
x=torch.ones(2,3) ;; x.logsumexp([],True)
x=torch.ones(0) ;; x.amax([])
x=torch.tensor(3.) ;; y=x.sum_to_size(()) ;; y
x=torch.ones(2,3) ;; y=x.sum_to_size(()) ;; z=x.sum_to_size((1,3)) ;; v=x.sum_to_size((2,3))
x=torch.ones(2,3) ;; x.norm(2,[1.5])
x=torch.ones(2,3) ;; x.norm([1])
x=torch.ones(2,3) ;; x.var(0,0)
torch.tensor(3.).repeat()
x=torch.ones(2,1) ;; torch.add(x,torch.ones(3),out=x)
x=torch.ones(2,1) ;; torch.where(x>0,x,torch.ones(3),out=x)
x=torch.ones(2,3) ;; x.sub(torch.ones(2),alpha=True)
x=torch.ones(2,dtype=torch.int32) ;; x.lerp_(x,0.5)
x=torch.ones(3,dtype=torch.int32) ;; x.renorm(2,0,1.)
x=torch.ones(2) ;; x.scatter(0,torch.zeros(0,dtype=torch.int64),2j)
x=torch.ones(2,2) ;; x.addmm(1,2,3,4,5)
x=torch.ones(2,2) ;; x.add(x,2,3)
x=torch.ones(2,2) ;; x.add(1,2,3,4)
torch.add(torch.ones(2),1,2,3)
x=torch.ones(2,2) ;; x.addmm(x,'a')
x=torch.ones(2,2) ;; torch.addmm(x,x,x,beta=[1])
torch.resolve_neg(None)
"""

WRITES = r"""
x=torch.tensor(3.) ;; x[None]=x ;; x
x=torch.arange(4.) ;; x[0:2]=x[1] ;; x[:]=x[2] ;; x
x=torch.arange(6.).reshape(2,3) ;; x[x>3]=x[0,1] ;; x
x=torch.arange(6.).reshape(2,3) ;; x[[0]]=x[0,1]
x=torch.arange(3.).expand(2,3) ;; x.index_copy_(0,torch.tensor([0,1,2]),torch.ones(2,3))
x=torch.zeros(0) ;; x.index_fill_(0,torch.tensor([0]),10**20)
x=torch.zeros(2,0,3) ;; x.index_fill(1,torch.tensor([],dtype=torch.int64),1.)
"""

REFUSALS = r"""
torch.ones(2).new({}) ;; torch.ones(2).new(set())
torch.tensordot(torch.ones(2,3),torch.ones(3,2),torch.tensor([[1],[0],[0]]))
torch.tensordot(torch.ones(2,3),torch.ones(3,2),torch.tensor([[1],[0]]))
f=torch.nn.functional.smooth_l1_loss ;; x=torch.ones(3) ;; f(x*0,x,beta=torch.tensor(0.5)).item() ;; f(x,x,beta=x)
f=torch.nn.functional.smooth_l1_loss ;; x=torch.ones(3).requires_grad_() ;; f(x,x,beta=x[0]) ;; f(x,x,beta=x[0]*1j)
x=torch.ones(2) ;; torch.allclose(x,x,atol=torch.tensor(1j)) ;; torch.nan_to_num(x,torch.tensor(1j)) ;; torch.isin(x,1j)
x=torch.ones(2,2) ;; x[:,['a']] ;; x[['a'],0] ;; x[:,['a']]=1 ;; torch.tensor(['a'])
torch.nn.FractionalMaxPool2d(2,output_ratio=.5)(torch.tensor([1,2]))
torch.nn.LSTMCell(3,2)(torch.ones(2,3),torch.tensor([0,1]))
x=torch.nn.Parameter(torch.ones(1)) ;; torch.optim.lr_scheduler.CosineAnnealingLR(torch.optim.SGD([x],.1),0).base_lrs
torch.func.vmap(torch.sin)() ;; torch.func.vmap(torch.sin)(1)
torch.func.jacrev(lambda t: t)(torch.ones(2),y=2) ;; torch.func.jacfwd(lambda t: t)(torch.ones(2),y=2)
x=torch.ones(2) ;; x.where(x>0,'a') ;; x.where(x>0,None) ;; x.where(3,x) ;; x.where(None,'a')
w=torch.empty(0) ;; torch.cat([w,w],out=w) ;; v=torch.ones(1,4) ;; torch.cat([v,v],out=v.expand(2,4))
torch.cat([torch.ones(2,3),torch.ones(())],3)
torch.cat([torch.ones(()),torch.ones(2,3)],3)
torch.cat([torch.ones(2)],3)
x=torch.ones(2,3,requires_grad=True) ;; torch.cat([x,torch.ones(())],3) ;; torch.cat([x,torch.ones(2)],3)
x=torch.zeros(2,0) ;; x.norm(float('inf'))
x=torch.zeros(2,0) ;; x.norm(-1.,1)
x=torch.zeros(2,0,3) ;; x.index_select(1,torch.tensor([0]))
x=torch.zeros(2,0,3) ;; x.index_select(0,torch.tensor([5]))
x=torch.zeros(0) ;; x.index_select(0,torch.tensor([0]))
x=torch.zeros(3,2,dtype=torch.complex64) ;; x.index_select(1,torch.tensor([2]))
x=torch.tensor(3.) ;; torch.gradient(x,dim=-1)
x=torch.tensor(3.) ;; torch.cumulative_trapezoid(x)
x=torch.tensor(3.) ;; torch.linalg.cross(x,x)
x=torch.tensor([3,1]) ;; x.round() ;; x.round(decimals=1)
x=torch.tensor([3,1]) ;; x.round(decimals=0)
x=torch.tensor([True]) ;; x.round(decimals=1)
x=torch.ones(2) ;; x.clamp(2j)
x=torch.zeros(3,2,2) ;; x.index_select(2,torch.tensor([2]))
x=torch.zeros(3,2,2) ;; x.transpose(0,2).index_select(1,torch.tensor([2]))
x=torch.ones(2,dtype=torch.int64) ;; x.clamp(2j)
x=torch.ones(2,dtype=torch.int64) ;; x.clamp_(2j)
x=torch.ones(2) ;; x.clamp_min(2j)
x=torch.ones(2) ;; x.lerp(x,1j)
x=torch.ones(2) ;; x.lerp(x,torch.ones(2,dtype=torch.float64))
x=torch.ones(2,dtype=torch.uint8) ;; x.lerp(torch.ones(3,dtype=torch.uint8),0.5)
x=torch.ones(2,dtype=torch.complex64) ;; torch.div(x,torch.ones(3),rounding_mode='trunc')
x=torch.ones(2,dtype=torch.complex128) ;; torch.div(torch.ones(2),x,rounding_mode='floor')
torch.linspace(0,1j,3,dtype=torch.float32)
torch.meshgrid(torch.ones(2,2),torch.ones(2,dtype=torch.int64),indexing='ij')
x=torch.zeros(2,2,2,dtype=torch.bool) ;; x.trace()
torch.ones(2).repeat_interleave(2,3)
torch.block_diag(torch.tensor(1j,dtype=torch.complex128),torch.ones(2))
x=torch.ones(3,3) ;; x.addmm_(x,torch.ones(2,2,dtype=torch.int16))
x=torch.ones(3,3) ;; torch.addmm(x,torch.ones(2),torch.ones(2,2,dtype=torch.float64))
x=torch.ones(3,3) ;; torch.addbmm(x,torch.ones(2),x)
x=torch.ones(3,3) ;; torch.baddbmm(x,x,torch.ones(2,3,3))
x=torch.ones(2,3,4) ;; torch.baddbmm(torch.ones(2),x,x)
x=torch.ones(2,3,4) ;; x.baddbmm_(x,torch.ones(2))
x=torch.ones(2,3,4) ;; x @ torch.ones(3)
x=torch.ones(2,3,4) ;; x @ torch.ones(3,5)
x=torch.ones(2,3,4) ;; torch.ones(4) @ x.mT.contiguous().mT
x=torch.ones(2,3,4) ;; torch.ones(5,4) @ x
x=torch.ones(2,3,4) ;; torch.ones(5,4,requires_grad=True) @ x
x=torch.ones(2,3,4) ;; torch.ones(0,4) @ x[:,:0]
x=torch.ones(2,3,4) ;; torch.ones(3,2,4) @ x
"""


@pytest.mark.parametrize("program", lines(GRADIENTS))
def test_gradients_are_pytorchs_where_something_is_infinite_or_equal(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(VALUES))
def test_conjugated_outputs_nan_and_single_elements_come_out_as_pytorchs(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(DIMS))
def test_empty_dims_and_misplaced_arguments_mean_what_pytorch_takes_them_for(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(WRITES))
def test_a_tensors_own_elements_are_written_to_it_as_pytorch_writes_them(program: str) -> None:
    assert disagreement(program) is None


ITSELF = r"""
v=torch.arange(6.) ;; w=v[::2] ;; w[w>0]=w ;; v
v=torch.arange(6.) ;; w=v[::2] ;; w[...,torch.tensor([1,0,2])]=w ;; v
v=torch.arange(6.) ;; w=v[::2] ;; w[[1,0,2]]=w ;; v
v=torch.arange(6.) ;; w=v[:3].expand(2,3) ;; w[...,torch.tensor([0,1,2])]=w ;; v
v=torch.arange(6.) ;; w=v.unfold(0,3,1) ;; w[w>3]=w ;; v
v=torch.arange(6.) ;; w=v[::2] ;; w.index_copy_(0,torch.tensor([1,0,2]),w) ;; v
v=torch.arange(6.) ;; w=v[::2] ;; w.scatter_add_(0,torch.tensor([1,0,2]),w) ;; v
v=torch.arange(6.) ;; w=v[::2] ;; w.index_put_((torch.tensor([1,0,2]),),w,accumulate=True) ;; v
v=torch.arange(6) ;; w=v[::2] ;; w[w]=1
v=torch.tensor([0,1,1,0]) ;; w=v[::2] ;; w.index_fill_(0,w,1)
v=torch.arange(6.,requires_grad=True) ;; w=(v*1)[::2] ;; w[...,[1,0,2]]=w
v=torch.empty(0) ;; v[v>0]=v ;; v.index_copy_(0,torch.tensor([],dtype=torch.int64),v)
v=torch.ones(4)[::2] ;; torch.gather(v,0,torch.tensor([0,1]),out=v)
v=torch.ones(4)[::2] ;; torch.cumsum(v,0,out=v) ;; torch.cat([v],0,out=v)
"""


@pytest.mark.parametrize("program", lines(ITSELF))
def test_a_tensor_written_over_itself_is_refused_however_it_lies(program: str) -> None:
    assert disagreement(program) is None


EMPTY = r"""
v=torch.arange(6.) ;; v[:0].index_fill_(0,torch.tensor([3]),1.)
v=torch.arange(6.).view(2,3) ;; v[:0].index_fill_(0,torch.tensor([3]),1.)
v=torch.arange(6.).view(2,3) ;; w=v[:0].index_fill_(0,torch.tensor([],dtype=torch.int64),1.)
a=torch.ones(2,2,dtype=torch.complex64) ;; b=torch.ones(0,2,3,dtype=torch.int64) ;; a@b ;; b.mT@a
a=torch.ones(1,3,dtype=torch.bool) ;; b=torch.ones(0,3,1) ;; a@b ;; b.mT@a.mT ;; b@a
a=torch.ones(2,3,dtype=torch.int64) ;; b=torch.ones(0,3,1) ;; a@b
a=torch.ones(2,0,dtype=torch.float64) ;; b=torch.ones(5,0,3) ;; a@b ;; b.mT@a.mT
torch.bmm(torch.ones(0,2,3,dtype=torch.int64),torch.ones(0,3,2))
torch.bmm(torch.ones(2,2,0,dtype=torch.complex64),torch.ones(2,0,2))
torch.bmm(torch.ones(2,2,1),torch.ones(2,1,0).int())
torch.bmm(torch.ones(2,2,1,dtype=torch.int64),torch.ones(2,1,2))
x=torch.zeros(0).requires_grad_() ;; x.as_strided((0,),(1,)).exp().sum().backward(None,True,True) ;; x.grad.is_leaf
"""


@pytest.mark.parametrize("program", lines(EMPTY))
def test_where_there_are_no_elements_is_asked_what_pytorch_asks(program: str) -> None:
    assert disagreement(program) is None


STEPS = r"""
x=torch.arange(4.).as_strided((1,),(2**61,)) ;; x+1 ;; x.tolist() ;; x.clone() ;; x.mul_(2)
x=torch.arange(4,dtype=torch.int8).as_strided((2,1),(1,2**63-1)) ;; x.sum(0) ;; x.numpy().tolist() ;; x.t()
x=torch.arange(4.).double().as_strided((1,2),(2**62,1)) ;; torch.cat([x,x]) ;; x.flip(0) ;; x[0] ;; x.expand(2,2)+x
"""


@pytest.mark.parametrize("program", lines(STEPS))
def test_steps_that_are_never_taken_may_be_of_any_length(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(REFUSALS))
def test_of_several_faults_the_one_is_told_that_pytorch_tells(program: str) -> None:
    assert disagreement(program) is None


INFINITE = ("inf", "nan", "1.0", "0.0")
POINTS = ([1.0, 2.0, 3.0, float("nan")], [0.0, -1.0, 2.0, 0.5], [0.0, 0.0], [float("inf"), -float("inf"), 1.0])
FUNCTIONS = (
    "x.clamp(0, 2)", "x.clamp_min(2.0)", "x.clamp(x * 0 + 2, x * 0 + 1)", "x.nan_to_num()", "x.logit(0.1)", "x.sinc()",
    "x.median()", "x.nanmedian()", "x.norm(float('inf'))", "x.norm(0.5)", "x.amax()", "x.max()",
    "torch.where(x > 1, x, 2 * x)", "torch.special.i1(x)", "torch.cdist(x[None], 2 * x[None])",
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("gradient", INFINITE)
def test_infinite_gradients_stop_where_pytorchs_do(function: str, gradient: str) -> None:
    for point in POINTS:
        x = f"torch.tensor({[f'{coordinate}' for coordinate in point]!r}".replace("'", "")
        step = f"x={x.replace('nan', 'math.nan').replace('inf', 'math.inf')}, dtype=torch.float64, requires_grad=True)"
        slope = f"torch.autograd.grad(y, x, torch.full_like(y, float('{gradient}')))[0]"
        assert disagreement(f"{step} ;; y={function} ;; torch.round({slope}, decimals=9).tolist()") is None
