"""hardshrink, threshold and bounds by numbers: values, dtypes, refusals and derivatives are PyTorch's."""

from __future__ import annotations

import pytest
from parity.agreement import torch
from parity.steps import disagreement, lines

import tensorglass
from tensorglass.ops import OPERATORS

PROGRAMS = r"""
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.hardshrink(x) ;; x.hardshrink(0.4)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; x.hardshrink(lambd=-1)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.hardshrink(x,lambd=0)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.hardshrink(x,True)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.hardshrink(x,torch.tensor(0.4))
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.threshold(x,0,5)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.threshold(x,0.1,20.5)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.threshold(x,threshold=0,value=3)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.threshold(x,math.nan,1)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2,math.nan,math.inf]) ;; torch.threshold(x,0,True)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2]) ;; torch.hardshrink(x,1j)
x=torch.tensor([-1.,-0.5,-0.2,0,-0.0,0.3,0.5,2]) ;; x.hardshrink(torch.tensor([0.4]))
x=torch.tensor([-1,0,2]) ;; x.hardshrink()
x=torch.tensor([-1,0,2]).bool() ;; x.hardshrink()
x=torch.tensor([-1,0,2]).bool() ;; torch.threshold(x,0,1)
x=torch.tensor([-1,0,2]).cfloat() ;; x.hardshrink()
x=torch.tensor([-1,0,2]).cfloat() ;; torch.threshold(x,0,1)
x=torch.tensor([-1,0,2]).half() ;; x.hardshrink() ;; torch.threshold(x,0.3,1.1)
x=torch.tensor([-1,0.3,2]).bfloat16() ;; x.hardshrink(0.3) ;; torch.threshold(x,0.3,1.1)
x=torch.tensor([-1,0.3,2]).half() ;; x.hardshrink(0.3) ;; torch.threshold(x,0.3,1.1)
x=torch.ones(3) ;; torch.hardshrink(x,out=torch.empty(3))
x=torch.ones(3) ;; torch.hardshrink(x,0.2,out=torch.empty(3,dtype=torch.float64))
x=torch.ones(3) ;; torch.threshold(x,0,2,out=torch.empty(3))
x=torch.ones(3) ;; torch.threshold(x,0,2,out=torch.empty(3,dtype=torch.float64))
x=torch.ones(3) ;; torch.threshold(x,0,2,out=torch.empty(3,dtype=torch.int64))
x=torch.tensor([-1,0,2]) ;; torch.threshold(x,0,5) ;; torch.threshold(x.int(),0.5,5.7) ;; torch.threshold(x,-0.5,-5.7)
x=torch.tensor([-1,0,2]) ;; torch.threshold(x.to(torch.uint8),-1,300)
x=torch.tensor([-1,0,2]) ;; torch.threshold(x.to(torch.uint8),-1,3)
x=torch.tensor([-1,0,2]) ;; torch.threshold(x.int(),2**40,1)
x=torch.tensor([-1,0,2]) ;; torch.threshold(x.int(),1,2**40)
x=torch.tensor([1,0,2]).to(torch.uint16) ;; torch.hardshrink(x)
x=torch.ones(3) ;; torch.threshold(x,0,1j)
x=torch.ones(3) ;; torch.threshold(x,torch.tensor(1.),2) ;; torch.threshold(x,0,torch.tensor(1.,requires_grad=True))
x=torch.ones(3) ;; torch.threshold(3,0,5)
x=torch.ones(3) ;; torch.hardshrink(3)
x=torch.ones(3) ;; torch.threshold_(x,3,7) ;; x ;; hasattr(x,'threshold') ;; hasattr(x,'threshold_')
x=torch.ones(3) ;; torch.threshold(x,0)
y=torch.tensor([-1,.5,2]).requires_grad_() ;; r=torch.threshold_(y*1,0.7,5) ;; r ;; r.sum().backward() ;; y.grad
y=torch.tensor([-1,.5,2]).requires_grad_() ;; r=torch.threshold_(y*1,0.3,5) ;; r ;; r.sum().backward() ;; y.grad
x=torch.ones(3) ;; hasattr(x,'hardshrink_') ;; hasattr(torch,'hardshrink_')
x=torch.ones(2,3).t() ;; torch.threshold(x,0,2) ;; x.hardshrink() ;; x[::2].hardshrink()
x=torch.ones(2,3).t() ;; torch.threshold(x[::2],0,5)
y=torch.tensor([-1.,0.3,0.5,2,math.nan],requires_grad=True) ;; r=y.hardshrink() ;; r ;; r.sum().backward() ;; y.grad
y=torch.tensor([-1,.5,math.nan]).requires_grad_() ;; r=torch.threshold(y,0.3,5) ;; r ;; r.sum().backward() ;; y.grad
y=torch.ones(3,requires_grad=True) ;; y.hardshrink().sum().backward(create_graph=True) ;; g=y.grad ;; g.sum().backward()
y=torch.ones(3,requires_grad=True) ;; torch.threshold(y,-1,3).sum().backward(create_graph=True) ;; y.grad.sum()
y=torch.ones(2).bfloat16().requires_grad_() ;; r=torch.threshold(y,-0.7,3) ;; r.sum().backward() ;; y.grad
y=torch.ones(2).half().requires_grad_() ;; r=torch.hardshrink(y,0.7) ;; r.sum().backward() ;; y.grad
y=torch.ones(3,requires_grad=True) ;; torch.threshold_(y,0,1)
"""


@pytest.mark.parametrize("program", lines(PROGRAMS))
def test_elements_near_zero_or_below_a_bound_are_replaced_as_pytorch_does(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("lambd", [0.5, 0.0, -1.0])
def test_hardshrink_backward_passes_gradients_as_pytorchs_does(lambd: float) -> None:
    elements = [-1.0, -0.5, -0.2, 0.0, 0.5, 2.0, float("nan"), float("inf")]
    ours = tensorglass.tensor(elements)
    theirs = torch.tensor(elements)
    gradient = OPERATORS["hardshrink_backward"].function(ours + 1, ours, lambd=lambd)
    expected = torch.ops.aten.hardshrink_backward(theirs + 1, theirs, lambd)
    assert str(gradient) == str(expected)


BOUNDED = ("clamp(min={})", "clamp(max={})", "clamp({}, 0.0)", "clamp(-0.0, {})", "clamp_min({})", "clamp_max({})")


@pytest.mark.parametrize("call", [call.format(bound) for call in BOUNDED for bound in ("0.0", "-0.0", "0")])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("count", [1, 40, 900])
def test_a_zero_beside_a_bound_of_the_other_sign_stays_as_it_is(call: str, dtype: str, count: int) -> None:
    setup = f"x = torch.tensor([-0.0, 0.0, 1.0, -1.0] * {count}, dtype=torch.{dtype})"
    assert (
        disagreement(
            f"{setup} ;; torch.signbit(x.{call}).tolist() ;; torch.signbit(x.clone().{call.replace('(', '_(')})"
        )
        is None
    )
