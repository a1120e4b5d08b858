"""Explicit arguments: None for a dimension, negative tolerances, dtypes beside `out=`, probabilities and counts."""

from __future__ import annotations

import pytest
from parity.steps import disagreement, lines

X = "x=torch.tensor([[1.,2.],[3.,4.]])"
FORMS = (
    "max", "min", "prod", "median", "nanmedian", "squeeze", "argmax", "argmin", "amax", "sum", "mean", "all", "any",
    "var", "std", "cumsum", "sort", "argsort", "kthvalue", "mode", "softmax", "count_nonzero", "flip",
)  # fmt: skip


@pytest.mark.parametrize("said", ["None", "dim=None", "dim=None,keepdim=True", "[0]", "0.0", "dim=[]"])
@pytest.mark.parametrize("name", FORMS)
def test_a_dimension_is_read_or_refused_as_by_pytorch(name: str, said: str) -> None:
    given = f"1,{said}" if name == "kthvalue" else said
    assert disagreement(f"{X} ;; x.{name}({given})") is None
    assert disagreement(f"{X} ;; torch.{name}(x,{given})") is None


OTHER_DTYPES = r"""
x=torch.ones(3) ;; torch.sum(x,0,dtype=torch.float64,out=torch.empty(0))
x=torch.ones(3) ;; torch.prod(x,0,dtype=torch.float64,out=torch.empty(0))
x=torch.ones(3) ;; torch.mean(x,0,dtype=torch.float64,out=torch.empty(0))
x=torch.ones(3) ;; torch.nansum(x,0,dtype=torch.float64,out=torch.empty(0))
x=torch.ones(3) ;; torch.cumsum(x,0,dtype=torch.float64,out=torch.empty(0))
x=torch.ones(3) ;; x.cumprod_(0,dtype=torch.float64) ;; x.cumsum_(0,dtype=torch.complex64) ;; x.cumsum_(0)
x=torch.ones(3) ;; torch.nanmean(x,dtype=torch.int64) ;; torch.nanmean(x,dtype=torch.float64)
x=torch.ones(2,3) ;; torch.mv(x,x[0],out=torch.empty(0,dtype=torch.float64))
x=torch.arange(2) ;; torch.logical_not(x,out=torch.empty(2,dtype=torch.uint8))
x=torch.ones(2,dtype=torch.uint16) ;; x+2**70 ;; x<2**70 ;; x.add(1,alpha=2**70) ;; torch.result_type(x,2**70)
x=torch.tensor([1.,6e4]).half() ;; x.add(x,alpha=-1.5) ;; x.sub(-x/2,alpha=1.5) ;; (x*0.3).add(x*0.7,alpha=0.1)
x=torch.tensor([1.1,3e38]).bfloat16() ;; x.add(x,alpha=-1.5) ;; (x*0.3).sub(x*0.7,alpha=0.1)
x=torch.hann_window(1,dtype=torch.complex64) ;; torch.hann_window(4,dtype=torch.complex64)
x=torch.ones(2,2,dtype=torch.uint8) ;; x.addmm(x,x,alpha=-2) ;; x.addmv(x,x[0],beta=-1) ;; x.addmm(x,x,alpha=300)
x=torch.hann_window(0) ;; torch.kaiser_window(4,dtype=torch.float64)
x=torch.eye(2) ;; torch.slogdet(x,out=(torch.empty(0),torch.empty(0))) ;; torch.argsort(x,stable=True,out=x)
x=torch.eye(2) ;; torch.aminmax(x,out=(torch.empty(0),torch.empty(0)))
x=torch.tensor([3,1,2]) ;; torch.argsort(x,stable=True,dim=0,descending=True,out=torch.empty(0,dtype=torch.int64))
"""

VALUES_REFUSED = r"""
x=torch.ones(2) ;; x.isclose(x,rtol=-1.) ;; x.isclose(x,atol=-1.5) ;; x.allclose(x,rtol=-0.5)
x=torch.ones(3) ;; x.repeat_interleave(2,output_size=5) ;; x.repeat_interleave(2,output_size=6)
x=torch.ones(2,3) ;; torch.roll(x,(1,2),()) ;; torch.roll(x[:0],(1,2),(0,)) ;; x.diff(prepend=torch.ones(2))
x=torch.tensor(1) ;; torch.cummax(x,4) ;; x.unique(dim=0) ;; torch.fft.fftn(x,dim=(0,))
x=torch.ones(2,3) ;; torch.fft.ifftn(x,out=torch.empty(0)) ;; torch.linalg.svd(x,driver='gesvd') ;; x.renorm(2,0,1j)
x=torch.full((2,2,2),math.nan) ;; torch.linalg.pinv(x) ;; torch.linalg.svdvals(x[0]) ;; torch.linalg.matrix_rank(x[0])
x=torch.tensor([math.inf]) ;; torch.histogram(x,2) ;; torch.histc(x,min=1j)
x=torch.ones(2,0) ;; torch.cov(x,fweights=torch.zeros(0,dtype=torch.int64))
"""

CHANCES = r"""
s=torch.manual_seed(0).seed and 0 ;; x=torch.rand(2,3).t() ;; torch.bernoulli(x,0.5) ;; torch.bernoulli(x)
x=torch.ones(2) ;; torch.bernoulli(x,0.5,out=torch.empty(0)) ;; torch.bernoulli(x,p=0.5,out=x)
x=torch.ones(2,dtype=torch.complex64) ;; torch.bernoulli(x) ;; x.bernoulli_() ;; x.random_() ;; x.random_(3)
x=torch.ones(2) ;; x.bernoulli_(torch.ones(3)) ;; (x>0).geometric_(0.5) ;; torch.randint(3,(2,),dtype=torch.cfloat)
x=torch.arange(3) ;; x.exponential_(-1) ;; x.cauchy_(0,-1) ;; x.log_normal_(0,-1) ;; x.exponential_() ;; x[:0].normal_()
x=torch.ones(3) ;; torch.normal(x,1.,out=torch.empty(0)) ;; torch.normal(1.,x.cfloat())
x=torch.ones(3) ;; torch.normal(x,1.,out=torch.empty(2)) ;; torch.bernoulli(x.long())
x=torch.ones(3) ;; torch.normal(0,1,size=2) ;; torch.randint_like(x,x)
x=torch.tensor([1.,2,3]) ;; torch.multinomial(-x,2) ;; torch.multinomial(-x,2,True) ;; torch.multinomial(x/0,2,True)
x=torch.ones(0,3) ;; torch.multinomial(x,2,True) ;; torch.multinomial(torch.ones(3),1,out=torch.empty(0))
"""


@pytest.mark.parametrize("program", lines(OTHER_DTYPES))
def test_a_dtype_beside_out_is_taken_or_refused_as_by_pytorch(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(VALUES_REFUSED))
def test_values_that_make_no_sense_are_refused_in_pytorchs_words(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("program", lines(CHANCES))
def test_what_cannot_be_drawn_is_refused_in_pytorchs_words(program: str) -> None:
    assert disagreement(program) is None
