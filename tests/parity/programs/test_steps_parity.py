"""Headers rewritten, views as other dtypes, NumPy's arrays, Python's operators, `out=` pairs: programs step by step."""

from __future__ import annotations

import pytest
from parity.steps import disagreement, lines

PROGRAMS = r"""
~torch.ones(2) ;; ~torch.tensor([1, 0]) ;; ~torch.tensor([True, False]) ;; torch.tensor([1]).__invert__()
x=torch.arange(6.) ;; x.set_() ;; x
x=torch.arange(6.) ;; x.set_(torch.ones(2).untyped_storage()) ;; x
x=torch.arange(6.) ;; x.set_(torch.ones(2).untyped_storage(),1,(1,)) ;; x
x=torch.arange(6.) ;; x.set_(torch.ones(4).untyped_storage(),1,(2,),(1,)) ;; x
x=torch.arange(6.) ;; x.set_(torch.ones(4).untyped_storage(),-1,(2,),(1,))
x=torch.arange(6.) ;; x.set_(torch.ones(4).untyped_storage(),0,(2,2),(1,))
x=torch.arange(6.) ;; x.set_(torch.ones(4,dtype=torch.int64))
x=torch.arange(6.) ;; x.set_(torch.ones(4,dtype=torch.int64).storage())
x=torch.arange(6.) ;; x.set_(3)
x=torch.arange(6.) ;; x.set_(source=torch.ones(2)) ;; x
x=torch.arange(6.) ;; y=torch.ones(3)[1:] ;; x.set_(y) ;; x.storage_offset() ;; x
x=torch.arange(6.) ;; y=x[2:] ;; y.set_(torch.ones(2)) ;; y ;; x
x=torch.arange(6.) ;; y=x.view(2,3) ;; x.set_(torch.ones(2)) ;; y
x=torch.arange(6.) ;; x.as_strided_((2,2),(1,2),1) ;; x
x=torch.arange(6.) ;; x.as_strided_((2,2),(1,2),10)
x=torch.arange(6.) ;; x.as_strided((2,2),(1,))
x=torch.arange(6.) ;; x.as_strided((-2,),(1,))
x=torch.arange(6.) ;; x.as_strided((2,),(1,),-1)
x=torch.arange(6.) ;; x[2:].as_strided((2,),(1,)) ;; x[2:].as_strided((2,),(1,),0)
x=torch.arange(6.) ;; x.resize_(2,2) ;; x ;; x.untyped_storage().nbytes()
x=torch.arange(6.) ;; x.resize_((2,)) ;; x.resize_(6) ;; x
x=torch.arange(6.) ;; x[1:].resize_(3) ;; x
x=torch.arange(6.) ;; x.resize_('a')
x=torch.arange(6.) ;; x.resize_()
x=torch.arange(6.,requires_grad=True) ;; x.resize_(2)
x=torch.arange(6.).reshape(2,3) ;; x.view(torch.float64)
x=torch.arange(6.).reshape(3,2) ;; x.view(torch.float64) ;; x.t().view(torch.float64)
x=torch.arange(6.).reshape(3,2) ;; x.t().view(torch.int32) ;; x.t().view(torch.int16)
x=torch.tensor(1.) ;; x.view(torch.int32) ;; x.view(torch.int16)
x=torch.arange(6.) ;; x[1:].view(torch.float64)
x=torch.arange(6.) ;; x.view(torch.complex64) ;; x.view(torch.bool).shape ;; x.view(torch.bfloat16).shape
x=torch.tensor([True,False]) ;; x.view(torch.uint8) ;; x.view(torch.int16)
x=torch.arange(6) ;; x.view(2,-1,3) ;; x.view(-1,-1) ;; x.view(4) ;; x.view(-1,4) ;; x.view(0,-1) ;; x.view()
x=torch.arange(6) ;; x.view('a')
x=torch.arange(6) ;; x.view(2.0,3)
x=torch.arange(6) ;; x.view([2,3]) ;; x.view(torch.Size([3,2])) ;; x.view(size=(2,3)) ;; x.view(dtype=torch.float64)
x=torch.ones(2,3).t() ;; x.numpy() ;; np.asarray(x,dtype=np.float64) ;; x.numpy(force=True)
x=torch.ones(1).expand(3) ;; x.numpy().strides ;; x.numpy().flags.writeable
x=torch.ones(2,requires_grad=True) ;; np.array(x) ;; np.asarray(x.detach())
x=torch.ones(2) ;; x==np.ones(2) ;; np.ones(2)==x ;; x>np.zeros(2) ;; np.zeros(2)<x
x=torch.ones(2) ;; x+=np.ones(2) ;; x
x=torch.ones(2) ;; a=np.ones(2) ;; a+=x ;; a
x=torch.ones(2) ;; int(x)
x=torch.ones(2) ;; float(x)
x=torch.ones(0) ;; bool(x)
x=torch.ones(0) ;; x.item()
x=torch.ones(1,1) ;; x.item(), int(x), bool(x), float(x)
x=torch.tensor(3) ;; [1,2,3,4][x] ;; range(x) ;; 'a'*x ;; len(x)
x=torch.tensor(3) ;; iter(x)
x=torch.tensor([3,4]) ;; list(x) ;; 3 in x ;; 5 in x ;; 'a' in x
x=torch.tensor([3,4]) ;; x in [x] ;; x.__contains__(torch.tensor(3)) ;; None in x
x=torch.tensor([3,4]) ;; [3] in x
x=torch.tensor([3,4]) ;; hash(x)==id(x) ;; {x:1}[x] ;; x==x ;; x is x ;; x!=x ;; x==None ;; x=='a' ;; x==[3,4]
x=torch.tensor([3,4]) ;; x<'a'
x=torch.tensor([3,4]) ;; x<None
x=torch.tensor([3,4]) ;; reversed(x) ;; sorted(x) ;; max(x) ;; sum(x) ;; min(x,default=3)
x=torch.tensor(3.7) ;; f'{x:.2f}' ;; f'{x}' ;; '%d'%x ;; format(x,'>8') ;; f'{torch.ones(2):.2f}'
x=torch.tensor([True]) ;; -x
x=torch.tensor(1.) ;; x[0]
x=torch.tensor(1.) ;; x[None] ;; x[...] ;; x[True] ;; x[False] ;; x[()] ;; x[:]
x=torch.ones(2) ;; x.real ;; x.imag
x=torch.ones(2) ;; x.T ;; x.mT
x=torch.ones(2,3) ;; x.H ;; x.mH ;; x.T ;; torch.ones(2,3,4).T ;; torch.ones(2,3,4).mT.shape ;; torch.ones(2,3,4).H
torch.can_cast(torch.float32,torch.int8), torch.can_cast(torch.int8,torch.bool), torch.can_cast(torch.bool,torch.int8)
torch.can_cast(3,torch.int8)
torch.promote_types(float,int)
torch.result_type(torch.ones(1),None)
x=torch.zeros(2) ;; torch.sort(torch.tensor([3,1]),out=(x,x))
x=torch.zeros(2) ;; torch.max(torch.ones(2,2),1,out=(x,))
x=torch.zeros(2) ;; torch.sort(torch.tensor([3.,1]),out=(x,torch.zeros(2)))
x=torch.zeros(2) ;; torch.sort(torch.tensor([3.,1]),out=[x,torch.zeros(2,dtype=torch.int64)]) ;; x
x=torch.ones(2) ;; x.data=torch.zeros(3) ;; x ;; x.data=3
x=torch.ones(2) ;; y=x.data ;; y.add_(1) ;; x._version ;; y._version
x=torch.ones(2) ;; y=x.detach() ;; y.add_(1) ;; x._version ;; y._version
x=torch.ones(2,3) ;; y=x[0] ;; x.t_() ;; y ;; x.shape
x=torch.ones(1).expand(3) ;; x.add_(1)
x=torch.ones(1).expand(3) ;; x[0]=1
x=torch.arange(4.) ;; x[1:].copy_(x[:-1]) ;; x
x=torch.arange(4.) ;; x[1:].add_(x[:-1])
x=torch.ones(2) ;; x.copy_(torch.ones(3))
x=torch.ones(2) ;; x.copy_([1,2])
x=torch.ones(2) ;; x.is_set_to(x.view(2)) ;; x.is_set_to(x[1:]) ;; x.is_same_size(torch.zeros(2))
"""


@pytest.mark.parametrize("program", lines(PROGRAMS))
def test_every_step_shows_what_it_shows_in_pytorch(program: str) -> None:
    assert disagreement(program) is None
