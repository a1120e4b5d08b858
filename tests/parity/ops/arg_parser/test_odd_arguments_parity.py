"""Arguments of other kinds than are expected: what PyTorch converts, and what it refuses, in which words.

One line is one program, step by step.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from parity.agreement import torch
from parity.steps import disagreement, lines

import tensorglass

#: Arguments from two of PyTorch's signatures in one call: `keepdim` without `dim`, for example.
TOGETHER = r"""
x=torch.ones(2,3) ;; x.sum(keepdim=True) ;; x.mean(keepdim=True) ;; x.prod(keepdim=False) ;; torch.sum(x,keepdim=True)
x=torch.ones(2,3) ;; x.max(keepdim=True) ;; torch.min(x,keepdim=True) ;; x.median(keepdim=True)
x=torch.ones(2,3) ;; x.nanmedian(keepdim=True) ;; torch.median(x,keepdim=True)
x=torch.ones(2,3) ;; x.amax(keepdim=True) ;; x.any(keepdim=True) ;; x.std(keepdim=True) ;; x.argmax(keepdim=True)
x=torch.ones(2,3) ;; x.sum(axis=0,keepdim=True) ;; x.mean(1,keepdim=True) ;; x.max(axis=1,keepdim=True)
x=torch.ones(2,3) ;; x.sum(None,True) ;; x.sum(None,keepdim=True) ;; x.sum(dim=None,keepdim=True)
x=torch.ones(2,3) ;; x.std(dim=True) ;; x.var(dim=False) ;; torch.std_mean(x,dim=True) ;; x.std(True) ;; x.std(dim=1)
x=torch.ones(2,3) ;; x.std(unbiased=True,correction=1)
x=torch.ones(2,3) ;; x.var(0,unbiased=True,correction=1) ;; x.std(0,True,correction=1)
x=torch.ones(2,3) ;; torch.var_mean(x,unbiased=False,correction=1)
x=torch.ones(2,3) ;; x.std(0,correction=0) ;; x.std(0,correction=None)
x=torch.ones(2,3) ;; x.max(other=None) ;; torch.min(x,other=None) ;; x.max(other=x) ;; torch.max(x,other=1)
x=torch.ones(2,3) ;; x.max(dim=torch.tensor(1)) ;; x.min(dim=torch.tensor(0)) ;; x.max(torch.tensor(1))
torch.kaiser_window(5,True,beta=3.) ;; torch.kaiser_window(5,periodic=True,beta=3)
torch.kaiser_window(5,beta="3") ;; torch.kaiser_window(5,beta=None)
torch.hamming_window(5,True,.3,beta=.3)
"""

#: Arguments that may be left out but not be None, and arguments that take a single type.
SAID = r"""
torch.eye(3,None) ;; torch.eye(3,m=2) ;; torch.squeeze(torch.ones(1,2),{}) ;; torch.ones(1,2).squeeze(np.int64(0))
x=torch.ones(2) ;; x.clone(memory_format=False) ;; x.clone(memory_format=None) ;; x.resize_(2,memory_format=False)
x=torch.ones(2) ;; i=torch.tensor([0]) ;; torch.index_put(x,(i,),x[0],[]) ;; torch.put(x,i,x[:1],1)
x=torch.ones(2) ;; i=torch.tensor([0]) ;; x.put(i,x[:1],True)
x=torch.ones(2) ;; i=torch.tensor([0]) ;; torch.scatter_reduce(x,0,i,x,"sum",include_self=1)
x=torch.ones(2) ;; i=torch.tensor([0]) ;; x.index_put((i,),x[1],1)
torch.ones(2).sort(stable=())
x=torch.ones(2) ;; torch.bernoulli(x,None) ;; torch.bernoulli(x,p=None)
x=torch.ones(2) ;; x.set_(None) ;; torch.max(x,torch.tensor(0),True)
x=torch.ones(3) ;; torch.trapezoid(x,None) ;; torch.trapezoid(x,dx=None) ;; torch.cumulative_trapezoid(x,x=None)
x=torch.ones(3) ;; torch.isin(1,3) ;; torch.isin([1],x) ;; torch.searchsorted(x,[1.]) ;; torch.bucketize((),x)
"""

#: Options of layers as tensors of one number, and as NumPy's integers, alone and in tuples.
OPTIONS = r"""
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.adaptive_max_pool2d(x,(torch.tensor(2),None))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.adaptive_max_pool2d(x,(torch.tensor([2]),3))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.adaptive_avg_pool2d(x,(np.int64(2),torch.tensor(3)))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.interpolate(x,(torch.tensor(2),3))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.interpolate(x,(np.int32(2),np.int64(3)))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.interpolate(x,(2.,3))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,4,4) ;; F.lp_pool1d(x,2,torch.tensor(2))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.lp_pool2d(x,2,torch.tensor(2))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.local_response_norm(x,torch.tensor([2]))
F=torch.nn.functional ;; x=torch.arange(16.).view(1,1,4,4) ;; F.local_response_norm(x,np.int64(3))
"""

#: The same with tensors of subclasses.
DERIVED = r"""
S=type("S",(torch.Tensor,),{}) ;; x=torch.ones(2,3).as_subclass(S) ;; torch.flip(input=x,dims=(0,))
S=type("S",(torch.Tensor,),{}) ;; x=torch.ones(2,3).as_subclass(S) ;; x.repeat(repeats=(2,1))
S=type("S",(torch.Tensor,),{}) ;; x=torch.eye(2).as_subclass(S) ;; torch.linalg.vector_norm(input=x) ;; x.sum(axis=0)
S=type("S",(torch.Tensor,),{}) ;; x=torch.eye(2).as_subclass(S) ;; torch.linalg.matrix_power(input=x,n=2)
S=type("S",(torch.Tensor,),{}) ;; x=torch.eye(2).as_subclass(S) ;; x.cumsum("x")
"""

#: Operators with several overloads in PyTorch, and calls that are close to none of them, or to one.
SEVERAL = r"""
torch.rand(2,3,foo=1) ;; torch.randn(foo=1) ;; torch.rand(2,"x")
torch.rand("x") ;; torch.rand((2,"x")) ;; torch.rand()
torch.rand(2,dtype=3) ;; torch.rand(2,device=3.) ;; torch.rand(2,generator=3) ;; torch.randn((2,),requires_grad=1)
torch.randint(5,(2,),foo=1) ;; torch.randint(size=(2,))
torch.randint(5,(2,),generator=1) ;; torch.randint(5,(2,),dtype=1)
x=torch.ones(2) ;; torch.eq(x,other="x") ;; torch.eq(x,other=None) ;; torch.eq(x,1,input=1) ;; torch.round(x,input=1)
x=torch.ones(2) ;; x.gcd(x,other=1) ;; torch.eq(x,other=1,foo=2) ;; x.i0_(self=True)
x=torch.ones(2) ;; x.round(1) ;; torch.add(x,other=x)
x=torch.ones(2) ;; x.clamp(x,1.) ;; x.clamp(min=x,max=1.) ;; torch.clip(x,min=1,max=x)
x=torch.ones(2) ;; x.clamp_(1,x) ;; x.clamp(1j,x)
x=torch.ones(2) ;; x.clamp(x,x+1) ;; x.clamp(max=x) ;; x.clamp(0,0.5)
x=torch.ones(2) ;; x.clamp(0,None) ;; x.clamp(None,x) ;; x.clamp()
x=torch.ones(2) ;; x.div(2,rounding_mode=1) ;; x.div(2,rounding_mode=None) ;; torch.div(x,x,rounding_mode=[])
x=torch.ones(2) ;; torch.aminmax(x,out=x) ;; torch.aminmax(x,out=[x]) ;; torch.meshgrid(x,indexing=3)
x=torch.ones(2) ;; torch.cartesian_prod([x]) ;; torch.cartesian_prod(()) ;; torch.constant_pad_nd(x[0],(1,2))
torch.fft.fftshift(torch.tensor(1),0) ;; torch.rot90(torch.ones(2),"x")
torch.blackman_window(5) ;; torch.blackman_window(6,dtype=torch.float64) ;; torch.hamming_window(5).dtype
"""

#: Keywords that functions take and methods do not.
METHODS = r"""
x=torch.ones(2) ;; x.add(1,out=x) ;; x.sin(out=x) ;; x.sum(0,out=x) ;; x.matmul(x,out=x) ;; x.cumsum(0,out=x)
x=torch.ones(2) ;; x.gather(0,torch.tensor([1]),out=x) ;; x.softmax(0,out=x) ;; x.eq(1,out=x) ;; x.clamp(1,out=x)
x=torch.ones(2) ;; x.var(0,out=x) ;; x.sort(out=(x,x)) ;; x.max(0,out=(x,x)) ;; x.add_(1,out=x) ;; x.isin(x,out=x)
"""

#: Numbers that are 0-dim tensors or NumPy's.
NUMBERS = r"""
x=torch.arange(6.).reshape(2,3) ;; x.norm(2,np.int64(1))
x=torch.arange(6.).reshape(2,3) ;; torch.linalg.norm(x,2,torch.tensor(1)) ;; x.sum(np.int32(0))
x=torch.arange(6.).reshape(2,3) ;; x.roll(torch.tensor(1))
x=torch.arange(6.).reshape(2,3) ;; x.roll(1,torch.tensor(0)) ;; x.roll(np.int64(1),np.int64(1))
x=torch.arange(6.).reshape(2,3) ;; torch.fft.fft2(x,dim=torch.tensor(1)) ;; torch.fft.fftshift(x,torch.tensor(1))
x=torch.arange(6.).reshape(2,3) ;; torch.fft.irfft(x,n=np.int64(1)).shape ;; torch.fft.rfftn(x,(np.int64(1),)).shape
x=torch.tensor([0.25,0.5]) ;; x.logit(torch.tensor(0.25))
x=torch.tensor([0.25,0.5]) ;; x.logit(torch.tensor([0.25])) ;; x.logit(np.float32(0.25))
x=torch.tensor([math.nan,1]) ;; x.nan_to_num(torch.tensor(3.)) ;; x.nan_to_num(torch.ones(2)) ;; x.nan_to_num("1")
x=torch.tensor([math.nan,math.inf]) ;; x.half().nan_to_num(nan=1e30)
x=torch.tensor([math.nan,math.inf]) ;; x.nan_to_num(nan=1e300) ;; x.nan_to_num(math.inf)
x=torch.arange(6.).reshape(2,3) ;; x.cumsum(torch.tensor([1]))
x=torch.arange(6.).reshape(2,3) ;; x.cumsum(torch.tensor(1)) ;; x.sort(dim=torch.tensor([1]))
x=torch.arange(6.).reshape(2,3) ;; x.diff(torch.tensor([1]))
x=torch.arange(6.).reshape(2,3) ;; torch.cat([x],torch.tensor([0]))
x=torch.arange(3) ;; x.bincount(3) ;; x.bincount(None,np.int64(5)) ;; torch.bincount(x,minlength=torch.tensor(5))
x=torch.arange(3.) ;; torch.combinations(x,True) ;; torch.combinations(x,r=np.int64(2)) ;; x.cov(correction=1.5)
x=torch.arange(3.) ;; x.diag(torch.tensor(1)) ;; x.argsort(stable=1) ;; x.sort(stable=1)
x=torch.arange(6.).reshape(2,3) ;; torch.cosine_similarity(x,x,None)
x=torch.arange(6.).reshape(2,3) ;; torch.linalg.vecdot(x,x,dim=()) ;; x.mvlgamma("1")
x=torch.arange(3.) ;; x.sum(dtype=np.int64(1)) ;; x.sum(dtype=3) ;; x.softmax(0,dtype=x) ;; x.sum(dtype=float).dtype
x=torch.arange(3.) ;; torch.log_softmax(x,0,dtype=3) ;; torch.softmax(x,0,float).dtype ;; x.cumsum(0,dtype=3)
x=torch.ones(3) ;; torch.special.round(x.long()) ;; torch.special.round(x*1.26,decimals=1) ;; x.round(decimals=True)
x=torch.tensor([1.26],requires_grad=True) ;; x.round(decimals=0) ;; x.round()
x=torch.tensor([1.26],requires_grad=True) ;; torch.special.round(x) ;; x.round(decimals=1)
torch.manual_seed(0) and 0 ;; x=torch.ones(3)/2 ;; x.clone().uniform_(0,torch.tensor(1))
torch.manual_seed(0) and 0 ;; x=torch.ones(3) ;; x.clone().exponential_(torch.tensor(2.))
torch.manual_seed(0) and 0 ;; x=torch.ones(3)/2 ;; x.clone().normal_(None) ;; torch.bernoulli(x,torch.tensor(0.5))
x=torch.ones(3) ;; x.cauchy_([1],1) ;; x.log_normal_([1])
torch.manual_seed(0) and 0 ;; x=torch.ones(3)/2 ;; x.clone().geometric_(torch.tensor(0.5)) ;; x.clone().normal_(0,0)
torch.manual_seed(0) and 0 ;; x=torch.ones(3)/2 ;; x.clone().normal_(1,False)
torch.hann_window(np.int64(3)).shape ;; torch.fft.fftfreq(np.int64(3)).shape
torch.kaiser_window(5,True,torch.tensor([3.]))
x=torch.ones(2) ;; torch.normal(x,1.,foo=1) ;; torch.normal(x,1.,(2,)) ;; torch.normal(1.,x,dtype=torch.float64)
torch.tensor(1.,requires_grad=1) ;; torch.tensor(1.,pin_memory=None) ;; torch.ones(2).new_tensor([1],dtype=None)
x=torch.ones(2) ;; x.type(torch.int64,memory_format=None) ;; torch.unflatten(1,1,(3,)) ;; torch.finfo(np.int64(1))
torch.typename(torch.float64) ;; torch.typename(torch.Size([1]))
torch.typename(torch.Generator()) ;; torch.typename(3)
torch.testing.assert_close(torch.ones(2),torch.ones(2),rtol=torch.tensor(1),atol=np.float32(0))
"""

#: Operators with more results than their node has outputs.
NUMBERED = r"""
x=torch.eye(3,requires_grad=True) ;; [each.output_nr for each in torch.linalg.lu(x)]
x=torch.eye(3,requires_grad=True) ;; [each.output_nr for each in torch.lu_unpack(*torch.linalg.lu_factor(x))]
x=torch.eye(3,requires_grad=True) ;; (x@torch.linalg.lu(x)[1]+torch.linalg.lu(x)[2]*3).sum().backward() ;; x.grad
x=torch.zeros(3,requires_grad=True) ;; y=x.register_post_accumulate_grad_hook(lambda p: p.add_(p.grad,alpha=-1)) and 0
"""

RANDOM = r"""
torch.manual_seed(0) and 0 ;; x=torch.zeros(3) ;; x.random_(5,None) ;; x.random_(0,None) ;; x.random_(-5,to=None)
torch.manual_seed(0) and 0 ;; x=torch.zeros(3,dtype=torch.int64) ;; x.random_(5,None) ;; x.random_(-2**63,None)
torch.manual_seed(0) and 0 ;; x=torch.zeros(3,dtype=torch.uint8) ;; x.random_(200,None) ;; x.random_(300,None)
torch.manual_seed(0) and 0 ;; x=torch.zeros(3,dtype=torch.bool) ;; x.random_(1,None) ;; x.random_(0,None)
torch.manual_seed(0) and 0 ;; x=torch.zeros(3,dtype=torch.half) ;; x.random_(100,None) ;; x.random_(100000,None)
x=torch.zeros(3) ;; x.random_(2**24,None) ;; x.random_(None) ;; x.random_(None,5) ;; x.random_(to=None)
x=torch.zeros(3,requires_grad=True).clone() ;; x.random_(5,None).grad_fn.name() ;; x.random_(5).grad_fn.name()
"""

#: Python functions given to operators: they are called outside of kernels, and may use tensors.
CALLED = r"""
x=torch.ones(3) ;; x.apply_(lambda a: torch.tensor(a)*2)
x=torch.ones(3) ;; x.apply_(lambda a: torch.tensor([a,a])) ;; x.apply_(lambda a: "x")
x=torch.ones(3) ;; x.apply_(lambda a: None) ;; x.apply_(lambda a: 1j) ;; x.apply_(lambda a: 1e300)
x=torch.ones(3,dtype=torch.int8) ;; x.apply_(lambda a: 300) ;; x.apply_(lambda a: "x") ;; x.apply_(lambda a: 2.5)
x=torch.ones(3,dtype=torch.uint8) ;; x.apply_(lambda a: -1) ;; x.apply_(lambda a: -300) ;; x.apply_(lambda a: None)
x=torch.ones(3,dtype=torch.int64) ;; x.apply_(lambda a: 2**70)
x=torch.ones(3,dtype=torch.int64) ;; x.apply_(lambda a: torch.tensor(2.))
x=torch.ones(3,dtype=torch.bool) ;; x.apply_(lambda a: None) ;; x.apply_(lambda a: 2) ;; x.apply_(lambda a: "x")
x=torch.ones(3,dtype=torch.cfloat) ;; x.apply_(lambda a: 1j) ;; x.apply_(lambda a: 2) ;; x.apply_(lambda a: "x")
x=torch.ones(3).expand(2,3) ;; x.apply_(lambda a: a+1)
"""

NAMES = r"""
torch.Storage is torch.FloatStorage ;; torch.Storage(3).dtype ;; isinstance(torch.ones(1).storage(),torch.Storage)
torch.set_default_dtype(torch.float64) ;; torch.Storage is torch.DoubleStorage
torch.set_default_dtype(torch.float64) ;; torch.set_default_dtype(torch.float32)
torch.storage.TypedStorage is torch.TypedStorage ;; "Storage" in dir(torch)
"""


@pytest.mark.parametrize("program", lines(TOGETHER))
def test_parameters_of_different_signatures_do_not_go_together(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(SAID))
def test_what_may_be_left_out_may_not_be_none(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(OPTIONS))
def test_an_option_of_a_layer_may_be_a_tensor_of_one_number(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(DERIVED))
def test_arguments_beside_derived_tensors_are_read_in_the_same_way(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(SEVERAL))
def test_refusals_say_what_came_near_to_one_signature_or_to_several(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(METHODS))
def test_methods_take_no_out(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(NUMBERS))
def test_other_kinds_of_numbers_are_converted_or_refused(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(NUMBERED))
def test_results_are_numbered_and_named_as_pytorchs(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(RANDOM))
def test_random_numbers_from_one_on_are_pytorchs(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(CALLED))
def test_functions_that_are_applied_may_answer_what_pytorchs_may(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(NAMES))
def test_names_lead_to_what_they_lead_to_in_pytorch(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("library", [tensorglass, torch])
def test_a_hook_after_accumulation_may_return_its_leaf(library: object) -> None:
    leaf = library.zeros(2, requires_grad=True)
    leaf.register_post_accumulate_grad_hook(lambda tensor: tensor.add_(tensor.grad, alpha=-1))
    leaf.backward(library.ones(2))
    assert leaf.tolist() == [-1.0, -1.0]


@pytest.mark.parametrize("call", ["sum(dtype=torch.int64)", "prod(dtype=int)", "cumsum(0, dtype=torch.float32)",
                                  "mean(dtype=torch.float32)", "softmax(0, dtype=torch.float32)"])  # fmt: skip
def test_numpys_own_warning_of_lost_parts_is_never_seen(call: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        warnings.simplefilter("ignore", UserWarning)
        eval(f"torch.tensor([1 + 2j]).{call}", {"torch": tensorglass})
    assert disagreement(f"torch.tensor([1 + 2j]).{call}") is None
