"""NumPy's arrays and scalars with tensors: every call has PyTorch's outcome, or its error."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

PRELUDE = """
import array as pyarray, decimal, fractions, io, warnings
import numpy as np

warnings.simplefilter("ignore")
a = np.arange(6.).reshape(2, 3)
b = bytearray(range(16))
t, f, i = torch.arange(3.), torch.tensor([1.5, 2.5]), torch.arange(4)
bo, c, m = torch.tensor([True, False]), torch.tensor([1 + 2j]), torch.arange(6.).reshape(2, 3)
h, bf = torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.bfloat16)
g = torch.ones(2, requires_grad=True)
"""

CALLS = r"""
np.array([1, 2, 3]) / torch.arange(1, 4)
a / torch.tensor([1.0, 2.0, 4.0])
"text" / t
t == np.array(["a", "b", "c"])
i[:2] == np.array([1, 2], dtype=object)
(torch.LongTensor(np.arange(6)[::2]), torch.Tensor(a.astype(np.float32).T))
[torch.LongTensor(held).zero_().sum() and held.tolist() for held in [np.arange(3)]]
torch.LongTensor(np.arange(3)).untyped_storage().data_ptr() == 0
(lambda held: (torch.LongTensor(held).zero_(), held.tolist()))(np.arange(3))
(lambda held: (torch.Tensor(held).zero_(), held.tolist()))(np.ones(3))
(lambda held: (t.new(held).zero_(), held.tolist()))(np.ones(3, np.float32))
torch.Tensor(np.int32(3)).shape
torch.LongTensor(np.array(3)).shape
torch.Tensor(np.float64(2.5))
torch.Tensor(np.array(2.5))
torch.asarray(np.float64(2.5), copy=False)
(lambda held: (torch.asarray(held).zero_(), held.tolist()))(np.array(2.5))
(lambda held: (torch.asarray(held, copy=False).zero_(), held.tolist()))(np.array(2.5))
torch.tensor([np.zeros((0, 3))])
torch.tensor([np.array([1, 2], dtype=object)])
torch.eye(np.array([1, 2]))
torch.eye(np.array(2))
torch.eye(np.int64(2))
[each(np.ones((1, 2))[::-1]) for each in (torch.from_numpy, torch.as_tensor)]
torch.from_numpy(np.ones((1, 2))[::-1])
[torch.full((2,), np.longdouble(2.5)), torch.scalar_tensor(np.longdouble(2.5))]
[t + np.longdouble(2.5), t.fill_(np.longdouble(2))]
torch.full((2,), np.array(2.5))
torch.full_like(t, np.array(2.5))
torch.scalar_tensor(np.array(2.5))
torch.arange(np.array(2))
torch.linspace(0, 1, np.array(3))
t.split(np.int64(2))
t.split(np.array([1, 2]))
t.split(torch.tensor(2))
m.sum(np.int64(1))
m.sum(np.array([0, 1]))
m.sum((np.int64(0), np.int32(1)))
m.transpose(np.int64(0), np.int64(1))
torch.roll(t, np.int64(1))
torch.roll(t, np.array([1]))
torch.repeat_interleave(t, np.int64(2))
torch.repeat_interleave(t, np.array([1, 2, 3]))
m.index_fill(0, torch.tensor([0]), np.float32(7))
t.masked_fill(t > 1, np.int64(7))
torch.add(t, np.ma.array([1, 2, 3]))
torch.add(t, np.matrix([1, 2, 3]))
c.conj().zero_()
torch.from_numpy(np.arange(6).reshape(2,3)[:, ::-1])
torch.from_numpy(np.matrix([[1,2],[3,4]]))
torch.from_numpy(np.ma.masked_array([1,2],[0,1]))
torch.from_numpy(np.arange(4,dtype='<i4'))
torch.from_numpy(np.frombuffer(b'12345678',dtype=np.int32))
torch.from_numpy(np.zeros((2,0,3))).stride()
torch.from_numpy(np.broadcast_to(np.arange(3.),(2,3)))
torch.from_numpy(5)
torch.from_numpy([1])
torch.as_tensor(a,dtype=torch.float32).dtype
torch.as_tensor(t) is t
torch.as_tensor(t, dtype=torch.float64).dtype
torch.as_tensor(np.float32(3))
torch.as_tensor(np.int8(3))
torch.as_tensor(np.bool_(True))
torch.as_tensor([np.float32(1), 2])
torch.as_tensor([np.arange(2), np.arange(2)])
torch.as_tensor(np.arange(3)[::-1])
torch.as_tensor(5)
torch.as_tensor([[1,2],[3]])
torch.as_tensor('a')
torch.as_tensor(None)
torch.as_tensor(g) is g
torch.as_tensor(range(3))
torch.as_tensor(b)
torch.as_tensor(bytes(b'ab'))
torch.as_tensor(memoryview(b))
torch.as_tensor(pyarray.array('i',[1,2]))
torch.tensor(pyarray.array('d',[1,2]))
torch.tensor(np.float16(1.5))
torch.tensor(np.arange(3,dtype=np.uint8))
torch.tensor(np.arange(3)[::-1])
torch.tensor([np.float64(1),np.float32(2)])
torch.tensor([np.int32(1),np.int8(2)])
torch.tensor(fractions.Fraction(1,2))
torch.tensor(np.longdouble(1))
torch.tensor(np.datetime64('2020'))
torch.tensor(np.str_('a'))
torch.tensor([np.bool_(True)])
torch.asarray(a,dtype=torch.float32,copy=False)
torch.asarray(a,dtype=torch.float32).dtype
torch.asarray([1,2],copy=False)
torch.asarray([1,2])
torch.asarray(5)
torch.asarray(np.float32(3))
torch.asarray(b)
torch.asarray(b,dtype=torch.uint8)
torch.asarray(b,dtype=torch.int32)
torch.asarray(b,dtype=torch.uint8).untyped_storage().nbytes()
torch.asarray(memoryview(b),dtype=torch.int16)
torch.asarray(pyarray.array('i',[1,2]))
torch.asarray(pyarray.array('i',[1,2]),dtype=torch.int32)
torch.asarray(t) is t
torch.asarray(t,copy=True) is t
torch.asarray(g) is g
torch.asarray(i,requires_grad=True)
torch.asarray(np.arange(3)[::-1])
torch.asarray(np.arange(3)[::-1],copy=True)
torch.asarray(None)
torch.asarray('a')
torch.asarray([t,t])
torch.asarray([i[0],i[1]])
torch.asarray(a,device='cpu').dtype
torch.asarray()
torch.asarray(c.conj())
torch.frombuffer(b,dtype=torch.uint8).tolist()
torch.frombuffer(b,dtype=torch.int32)
torch.frombuffer(b,dtype=torch.int32,offset=4,count=2)
torch.frombuffer(b,dtype=torch.int32,offset=3)
torch.frombuffer(b,dtype=torch.int32,count=9)
torch.frombuffer(b,dtype=torch.int32,offset=20)
torch.frombuffer(b,dtype=torch.int32,offset=-1)
torch.frombuffer(b'abcd',dtype=torch.uint8)
torch.frombuffer(b,dtype=torch.bool)
torch.frombuffer(bytearray(),dtype=torch.uint8)
torch.frombuffer(b)
torch.frombuffer('abc',dtype=torch.uint8)
torch.frombuffer([1],dtype=torch.uint8)
torch.frombuffer(b,dtype=torch.float32,requires_grad=True)
torch.frombuffer(b,dtype=torch.int8,requires_grad=True)
torch.frombuffer(a,dtype=torch.float64)
torch.frombuffer(a.T,dtype=torch.float64)
torch.frombuffer(a[:, ::2],dtype=torch.float64)
torch.frombuffer(b,dtype=torch.complex64)
torch.frombuffer(b,dtype=torch.bfloat16)
torch.frombuffer(pyarray.array('d',[1,2]),dtype=torch.float64)
torch.frombuffer(b,dtype='int8')
torch.frombuffer(b,dtype=torch.int32,count=0)
f.numpy()
f.numpy().dtype
c.numpy()
c.conj().numpy()
c.conj().numpy(force=True)
h.numpy()
bf.numpy()
bf.numpy(force=True)
g.numpy()
g.numpy(force=True)
g.detach().numpy()
g.numpy(5)
t.numpy(force=5)
m.t().numpy().strides
m[:, ::2].numpy().strides
t.expand(2,3).numpy().strides
t.expand(2,3).numpy().flags.writeable
torch.zeros(2,0).numpy().shape
np.asarray(f)
np.asarray(g)
np.asarray(bf)
np.asarray(c.conj())
np.asarray(f,dtype=np.float64).dtype
np.asarray(f,dtype=np.float64,copy=False)
np.asarray([t,t]).dtype
np.sin(f)
np.add(f,1)
np.add(f,f)
np.add(a[0],t)
np.add.reduce(m)
np.argmax(m)
np.cumsum(m)
np.matmul(m,m.t())
np.concatenate([t,t])
np.stack([t,t])
np.where(bo,f,f)
np.exp(h)
np.isnan(f)
np.greater(f,2)
np.sqrt(i)
np.linalg.norm(m)
np.linalg.inv(torch.eye(2))
np.allclose(f,f)
np.array_equal(f,f)
np.testing.assert_allclose(f,f)
np.transpose(m)
np.reshape(m,(3,2))
np.squeeze(m)
np.ravel(m)
np.sort(t)
np.unique(i)
np.round(f)
np.clip(f,0,2)
np.shape(m)
np.ndim(m)
np.zeros_like(f)
np.ones_like(f)
np.full_like(f,3)
np.tile(t,2)
np.repeat(t,2)
np.outer(f,f)
np.einsum('ij->j',m)
np.fft.fft(t)
np.histogram(t)
np.interp(1.5,t,t)
np.isin(t,[1])
np.vstack([t,t])
np.sin(g)
np.float32(2)*f
np.float64(2)*f
f*np.float64(2)
np.int64(2)*f
np.int64(2)*i
np.float32(2)*i
i*np.float32(2)
np.float16(2)*f
np.uint8(3)+i
i+np.uint8(3)
np.float64(1)-g
np.float64(1)/f
np.float64(2)**f
f**np.float64(2)
np.int64(7)//i[1:]
np.int64(7)%i[1:]
np.float64(2)<f
np.float64(2)==f
f==np.float64(1.5)
f<np.float32(2)
np.int64(3)&i
i&np.int64(3)
np.int64(1)<<i
i<<np.int64(1)
a+torch.ones(2,3)
torch.ones(2,3)+a
a*torch.ones(2,3)
torch.ones(2,3)*a
a-torch.ones(2,3)
torch.ones(2,3)-a
a@torch.ones(3,2,dtype=torch.float64)
torch.ones(3,2,dtype=torch.float64)@a
a<torch.ones(2,3)
torch.ones(2,3)<a
a==torch.ones(2,3)
torch.ones(2,3)==a
a!=torch.ones(2,3)
torch.ones(2,3)!=a
-a+t
a**torch.ones(2,3)
a[i[:2]]
a[:, i[:2]]
a[bo]
a[i[0],i[1]]
a[i[1]]
m[np.int64(1)]
m[np.int64(0),np.int32(1)]
list(range(5))[i[2]]
torch.zeros(np.int64(2),np.int32(3)).shape
torch.zeros((np.int64(2),3)).shape
torch.ones(3).sum(np.int64(0))
torch.arange(np.int64(3))
torch.arange(np.float32(3))
torch.arange(0,1,np.float64(0.5))
torch.full((2,),np.float32(2))
torch.full((2,),np.int64(2))
torch.linspace(np.float64(0),np.float64(1),np.int64(3))
m.view(np.int64(3),np.int64(2)).shape
m.clone().fill_(np.float64(3))
m.clone().mul_(np.float64(3))
m.clone().add_(a)
torch.add(m,np.float64(1))
torch.add(m,a)
torch.mul(np.float64(2),m)
torch.where(bo,np.float64(1),f)
torch.clamp(f,np.float64(2))
torch.clamp(f,max=np.float32(2))
torch.pow(f,np.int64(2))
torch.tensor(3.).item()==np.float32(3)
float(np.float32(3)*torch.tensor(2.))
np.float64(f[0])
np.float32(f[0])
np.int64(i[2])
int(np.int64(i[2]))
np.zeros(i[3])
np.zeros((i[1],i[2])).shape
f.__array_priority__
f.__array__().dtype
f.__array__(np.float64).dtype
f.__array_wrap__(np.ones(2,bool))
f.__array_wrap__(np.ones(2))
isinstance(f.numpy(),np.ndarray)
torch.is_tensor(a)
torch.Tensor(a)
torch.Tensor(np.arange(3))
torch.FloatTensor(np.arange(3.))
torch.LongTensor(np.arange(3))
torch.tensor(a.tolist()).dtype
np.ascontiguousarray(m.t()).strides
sum(f.numpy())
max(f)
sorted(f.tolist())
np.add(t, 1, out=np.zeros(3,np.float32))
np.add(a[0], 1, out=t)
np.multiply.outer(f,f)
np.save(io.BytesIO(), f)
torch.asarray(np.array(3), dtype=torch.float64, copy=False)
torch.asarray(np.array(3), dtype=torch.int64, copy=False)
np.vectorize(lambda x: x+1)(f)
np.apply_along_axis(sum, 0, m)
""".strip().splitlines()


@pytest.mark.parametrize("call", CALLS)
def test_the_call_has_pytorchs_outcome(call: str) -> None:
    assert disagreement(f"attempt(lambda: repr({call}))", PRELUDE) is None


ASARRAY = """
x, leaf = torch.zeros(2), torch.ones(2, requires_grad=True)
inner = leaf * 2
see(torch.asarray(leaf) is leaf, torch.asarray(x, requires_grad=True) is x, x.requires_grad)
see(torch.asarray(inner, copy=True), torch.asarray(inner, dtype=torch.float64), torch.asarray(leaf, copy=True))
see(torch.asarray(inner, requires_grad=False), inner)
see(torch.asarray(leaf, requires_grad=False) is leaf, leaf.requires_grad)
see(torch.asarray(torch.zeros(2), requires_grad=True, dtype=torch.float64))

class Offered:
    array = np.arange(3.0)
    def __dlpack__(self, **wishes): return self.array.__dlpack__(**wishes)
    def __dlpack_device__(self): return self.array.__dlpack_device__()

see(torch.asarray(Offered()).data_ptr() == Offered.array.ctypes.data, torch.asarray(Offered.array.__dlpack__()))

class Described:
    array = np.arange(3.0)
    __array_interface__ = array.__array_interface__
    def __len__(self): return 3
    def __getitem__(self, index): return self.array[index]

see(torch.asarray(Described()), torch.as_tensor(Described()))
"""


def test_asarray_shares_what_pytorch_shares_and_keeps_gradients() -> None:
    assert disagreement(ASARRAY, PRELUDE) is None
