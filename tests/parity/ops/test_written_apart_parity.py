"""`out=` that overlaps an input: which operators refuse it, which overwrite it, and with what result."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

import tensorglass

CALLS = (
    "torch.mul(x,y,out={})", "torch.add(y,x,alpha=2,out={})", "torch.addcmul(x,y,y,out={})",
    "torch.lerp(y,x,0.5,out={})", "torch.sin(x,out={})", "torch.where(y>2,x,y,out={})",
    "torch.where(y>2,y,x,out={})", "torch.where(y>2,x,x[0],out={})",
    "torch.cumsum(x,0,out={})", "torch.cumprod(x,1,out={})", "torch.logcumsumexp(x,1,out={})",
    "torch.diff(x.view(-1),out={})",
    "torch.msort(x,out={})", "torch.kron(x[:1],y[:1],out={})", "torch.kron(x,y,out={})", "torch.cross(x,y,out={})",
    "torch.linalg.cross(y,x,out={})", "torch.index_select(x,0,i[0],out={})", "torch.gather(x,0,i,out={})",
    "torch.take(x,i,out={})", "torch.take_along_dim(x,i,0,out={})", "torch.masked_select(x,x>2,out={})",
    "torch.cat([x[:1],x[1:]],out={})", "torch.cat([x,y],out={})", "torch.stack([x[0],y[0]],out={})",
    "torch.hstack([x,y],out={})", "torch.column_stack([x],out={})", "torch.scatter(x,0,i,y,out={})",
    "torch.scatter(y,0,i,x,out={})", "torch.scatter_add(x,0,i,y,out={})", "torch.index_add(x,1,i[0],y,out={})",
    "torch.index_copy(x,0,i[0,:2],y,out={})", "torch.addmm(x,y@y.t(),y,out={})", "torch.nan_to_num(x,out={})",
)  # fmt: skip
PLACES = ("x", "s[:6].view(2,3)", "s[3:9].view(2,3)", "s[6:12].view(2,3)")


def _tried(library: Any, call: str, operand: str = "s[:6].view(2,3)") -> Any:
    """The elements that a call gives, or how it is refused."""
    names = {"torch": library, "s": library.arange(14.0) + 1, "y": library.arange(6.0).view(2, 3)}
    names |= {"i": library.tensor([[0, 1, 0], [1, 0, 1]])}
    names["x"] = eval(operand, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning that the output was resized
        try:
            result = eval(call, names)
            return [*result.shape, *result.reshape(-1).tolist()]
        except RuntimeError as error:
            return str(error).splitlines()[0]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("call", CALLS)
def test_an_out_over_an_operand_is_refused_or_written_as_pytorch_has_it(call: str, place: str) -> None:
    written = call.format(place)
    assert _tried(tensorglass, written) == pytest.approx(_tried(torch, written))


@pytest.mark.parametrize(
    "call", ["torch.sin(x,out=x[:1])", "torch.mul(x,2,out=x[:1])", "torch.nan_to_num(x,out=x[:1])"]
)
def test_an_out_that_is_resized_over_an_operand_with_gaps_gets_the_result(call: str) -> None:
    with_gaps = "s[:12].view(2,6)[:,::2]"  # for which PyTorch does not detect the overlap
    assert isinstance(_tried(torch, call, with_gaps), list)
    elsewhere = call.replace("x[:1]", "torch.empty(0)")
    assert _tried(tensorglass, call, with_gaps) == pytest.approx(_tried(torch, elsewhere, with_gaps))


IN_PLACE = (
    "i.index_add_(0,i,j)", "i.index_copy_(0,i,j)", "i.index_fill_(0,i,7)", "i.index_fill_(0,i[1:2],7)",
    "i.index_put_((i,),j)", "i.index_put_((i,),j,accumulate=True)", "i.index_put_((j,),i)",
    "i.put_(i,j)", "i.scatter_(0,i,j)", "i.scatter_(0,i,7)", "i.scatter_add_(0,i,j)", "i.scatter_reduce_(0,i,j,'sum')",
    "i.__setitem__(i,7)", "i.__setitem__(i,j)", "i.__setitem__(i[:2],7)", "i[:2].__setitem__(i[2:],7)",
    "m.__setitem__(m,False)", "m.__setitem__(m,n[:2])", "m[1:].__setitem__(m[:-1],False)", "q.__setitem__(q[0],False)",
    "m.masked_fill_(m,False)", "m[1:].masked_fill_(m[:-1],False)", "q.masked_fill_(q.t(),False)",
    "q.masked_fill_(q[0],False)", "m.masked_scatter_(m,n)", "i.expand(3,3).fill_(i[0])", "i.expand(3,3).fill_(7)",
)  # fmt: skip


@pytest.mark.parametrize("call", IN_PLACE)
def test_a_write_that_finds_its_places_among_the_cells_written_is_refused_where_pytorch_does(call: str) -> None:
    def tried(library: Any) -> Any:
        i, m = library.tensor([2, 1, 0]), library.tensor([True, False, True])
        q = library.tensor([[True, False], [True, True]])
        names = {"i": i, "j": i.clone(), "m": m, "n": m.clone(), "q": q}
        try:
            eval(call, names)
        except RuntimeError as error:
            return str(error).splitlines()[0]
        return i.tolist(), m.tolist(), q.tolist()

    assert tried(tensorglass) == tried(torch)
