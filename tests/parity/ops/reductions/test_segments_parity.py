"""`segment_reduce` beside PyTorch's: its results, its gradients, and what it refuses."""

from __future__ import annotations

import pytest
from parity.steps import disagreement, lines

import tensorglass

RESULTS = r"""
x=torch.arange(12.).reshape(6,2) ;; [torch.segment_reduce(x,each,lengths=torch.tensor([2,0,3,1])) for each in EVERY]
x=torch.arange(12.).reshape(6,2) ;; [torch.segment_reduce(x,each,offsets=torch.tensor([0,2,2,5,6])) for each in EVERY]
x=torch.arange(6.) ;; [torch.segment_reduce(x,each,lengths=torch.tensor([2,0,4]),initial=3) for each in EVERY]
x=torch.arange(6.) ;; [torch.segment_reduce(x,each,offsets=torch.tensor([1,3,3,5])) for each in EVERY]
x=torch.arange(6.).half() ;; [torch.segment_reduce(x,each,lengths=torch.tensor([2,3,1])) for each in EVERY]
x=torch.arange(6.).double() ;; torch.segment_reduce(x,"mean",lengths=torch.tensor([2,4],dtype=torch.int32),unsafe=True)
x=torch.arange(24.).reshape(2,4,3) ;; torch.segment_reduce(x,"max",lengths=torch.tensor([[1,3],[2,2]]),axis=1)
x=torch.arange(24.).reshape(2,4,3) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([[1,3],[0,4]]),axis=-2)
x=torch.arange(24.).reshape(2,4,3) ;; torch.segment_reduce(x,"sum",offsets=torch.tensor([[1,3],[0,4]]),axis=1)
x=torch.arange(24.).reshape(2,4,3).permute(1,2,0) ;; torch.segment_reduce(x,"min",lengths=torch.tensor([1,3]))
x=torch.arange(6.)[::2] ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([2,1]),unsafe=True)
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([2,1]),unsafe=True)
x=torch.tensor([1,math.nan,3,4]) ;; [torch.segment_reduce(x,each,lengths=torch.tensor([2,2])) for each in EVERY]
x=torch.zeros(0,2) ;; torch.segment_reduce(x,"max",lengths=torch.tensor([0,0]))
x=torch.zeros(3,0) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([1,2]))
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",offsets=torch.tensor([0]))
"""

GRADIENTS = r"""
x=torch.arange(12.).reshape(6,2).requires_grad_() ;; [GRAD(x,each,lengths=torch.tensor([2,0,3,1])) for each in EVERY]
x=torch.tensor([1.,2,2,0,0,7,7],requires_grad=True) ;; [GRAD(x,each,lengths=torch.tensor([3,4])) for each in EVERY]
x=torch.tensor([1.,5,2,0,3,0],requires_grad=True) ;; [GRAD(x,e,lengths=torch.tensor([3,3]),initial=5) for e in EVERY]
x=torch.tensor([1.,5,2,0,3,0],requires_grad=True) ;; [GRAD(x,each,offsets=torch.tensor([1,3,5])) for each in EVERY]
x=torch.tensor([1,math.nan,2,4],requires_grad=True) ;; [GRAD(x,each,lengths=torch.tensor([3,1])) for each in EVERY]
x=torch.tensor([N,N,2,N,0,2,0,0,N,N,N,0],requires_grad=True) ;; GRAD(x,"prod",lengths=torch.tensor([3,3,3,3]))
x=torch.tensor([I,0,2,I,N,0,0,0,I],requires_grad=True) ;; GRAD(x,"prod",lengths=torch.tensor([3,3,3]),initial=2)
x=torch.arange(24.).reshape(2,4,3).requires_grad_() ;; GRAD(x,"sum",offsets=torch.tensor([[1,3],[0,4]]),axis=1)
x=torch.arange(6.,requires_grad=True) ;; torch.segment_reduce(x,"max",lengths=torch.tensor([6])).grad_fn.name()
"""

REFUSALS = r"""
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum") ;; torch.segment_reduce(x,"x") ;; torch.segment_reduce(x,"x",axis=5)
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",indices=x) ;; torch.segment_reduce(x,"x",lengths=torch.tensor([6]))
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([2,1])) ;; torch.segment_reduce([1.],"sum")
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([2,-1,5]))
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([2.,4.])) ;; torch.segment_reduce(x,3)
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",offsets=torch.tensor([2.,4.]))
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",offsets=torch.tensor([],dtype=torch.int64))
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",lengths=[6]) ;; torch.segment_reduce(x,"sum",torch.tensor([6]))
x=torch.arange(6) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([6]))
x=torch.arange(6.).reshape(2,3) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([3]),axis=1)
x=torch.arange(6.) ;; torch.segment_reduce(x,"sum",lengths=torch.tensor([6]),initial=1j)
"""

_EVERY = '["sum","mean","prod","max","min","amax","amin"]'
_GRAD = "(lambda x,*given,**named: torch.autograd.grad(torch.segment_reduce(x,*given,**named).sum(),x)[0])"


@pytest.mark.parametrize("program", lines(RESULTS) + lines(GRADIENTS) + lines(REFUSALS))
def test_segments_are_reduced_as_in_pytorch(program: str) -> None:
    program = program.replace("EVERY", _EVERY).replace("GRAD(", f"{_GRAD}(")
    assert disagreement(f"N,I=math.nan,math.inf ;; {program}") is None


def test_segments_beyond_the_data_are_refused() -> None:

    x = tensorglass.arange(6.0)
    with pytest.raises(IndexError, match="beyond the 6 that there are"):
        tensorglass.segment_reduce(x, "sum", lengths=tensorglass.tensor([4, 3]), unsafe=True)
    with pytest.raises(IndexError, match="beyond the 6 that there are"):
        tensorglass.segment_reduce(x, "sum", offsets=tensorglass.tensor([0, 7]))
    with pytest.raises(RuntimeError, match="leading dimensions of lengths"):
        tensorglass.segment_reduce(x.view(2, 3), "sum", lengths=tensorglass.tensor([[3]]), axis=1)
