"""Storages, old constructors and shared memory: each expression prints and refuses as in PyTorch."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="PyTorch, the oracle, is not installed: pip install '.[parity]'")


def outcome(library: Any, expression: str) -> tuple[str, list[str]]:
    """What an expression prints (or how the refusal reads), and the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(expression, {"torch": library, "np": np})
            text = f"{value!r} {value.stride() if isinstance(value, (torch.Tensor, tensorglass.Tensor)) else ''}"
        except Exception as error:
            text = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return text, [str(warning.message).split(" (Triggered")[0] for warning in caught]


STORAGES = r"""
torch.FloatStorage(3).size()
torch.FloatStorage(3)._size(), torch.FloatStorage(3)._dtype, torch.FloatStorage(3)._is_shared()
torch.LongStorage._new_shared(2), torch.LongStorage._new_shared(2)._is_shared()
torch.FloatStorage.from_file("/dev/zero", False, 3)
torch.FloatStorage([1,2,3])
torch.FloatStorage([1,2,3]).tolist()
torch.FloatStorage()
torch.LongStorage([1,2.7])
torch.FloatStorage((1,2))
torch.FloatStorage(-1)
torch.FloatStorage("a")
torch.FloatStorage([1,"a"])
torch.FloatStorage(torch.ones(3))
torch.BoolStorage([1,0,2])
torch.ComplexFloatStorage([1,2j])
torch.HalfStorage([1.5])
torch.BFloat16Storage([1.5])
torch.ByteStorage([1,300])
torch.CharStorage([-1])
torch.FloatStorage(wrap_storage=torch.UntypedStorage(8)).size()
torch.FloatStorage(wrap_storage=torch.FloatStorage(2))
torch.TypedStorage(3, dtype=torch.float32).size()
torch.TypedStorage([1,2], dtype=torch.int16)
torch.TypedStorage(3).dtype
torch.TypedStorage().size()
torch.TypedStorage(wrap_storage=torch.UntypedStorage(8), dtype=torch.int32).size()
torch.TypedStorage(wrap_storage=3, dtype=torch.int32)
torch.TypedStorage(wrap_storage=torch.UntypedStorage(7), dtype=torch.int32).size()
torch.TypedStorage(3, dtype=torch.float32, device="cpu").device
torch.arange(4.).storage()
torch.arange(4.).storage()[1]
torch.arange(4.).storage()[-1]
torch.arange(4.).storage()[4]
torch.arange(4.).storage()[-5]
torch.arange(4.).storage()[1:3]
torch.arange(4.).storage()[::2]
[s:=torch.arange(4.).storage(), s.__setitem__(0, 9), s][2]
[s:=torch.arange(4.).storage(), s.__setitem__(slice(1,3), 9), s][2]
[s:=torch.arange(4.).storage(), s.__setitem__(slice(None,None,2), 9), s][2]
[s:=torch.arange(4.).storage(), s.__setitem__(0, "a"), s][2]
[s:=torch.arange(4.).storage(), s.__setitem__(0, torch.tensor(7.)), s][2]
[s:=torch.arange(4.).storage(), s.__setitem__(slice(0,2), [5,6]), s][2]
[s:=torch.arange(4.).storage(), s.fill_(7), s][2]
[s:=torch.arange(4).storage(), s.fill_(7.5), s][2]
[s:=torch.arange(4).storage(), s.fill_("a"), s][2]
torch.arange(4.).storage().byte()
torch.arange(4.).storage().double()
torch.arange(4.).storage().bool()
torch.arange(4.).storage().long()
torch.arange(4.).storage().complex_float()
torch.arange(4.).storage().complex_double()
torch.arange(4.).storage().bfloat16()
torch.arange(4.).storage().half()
torch.arange(4.).storage().int()
torch.arange(4.).storage().short()
torch.arange(4.).storage().char()
torch.arange(4.).storage().float()
[s:=torch.arange(4.).storage(), s.float() is s][1]
[s:=torch.arange(4.).storage(), s.float().data_ptr()==s.data_ptr()][1]
[a:=torch.arange(4.), a.storage().data_ptr == a[1:].storage().data_ptr][1]
[a:=torch.arange(4.), a.storage().data_ptr() == a[1:].storage().data_ptr()][1]
torch.arange(4.).storage().type()
torch.arange(4.).storage().size()
len(torch.arange(4.).storage())
torch.arange(4.).storage().nbytes()
torch.arange(4.).storage().element_size()
torch.arange(4.).storage().dtype
torch.arange(4.).storage().device
torch.arange(4.).storage().is_cuda
torch.arange(4.).storage().is_sparse
torch.arange(4.).storage().is_shared()
torch.arange(4.).storage().is_pinned()
torch.arange(4.).storage().resizable()
torch.arange(4.).storage().get_device()
torch.arange(4.).storage().cpu()
torch.arange(4.).storage().filename
torch.arange(4.).storage().clone()
torch.arange(4.).storage().untyped()
torch.arange(4.).storage().copy_(torch.ones(4).storage())
torch.arange(4.).storage().copy_(torch.ones(4, dtype=torch.int64).storage())
torch.arange(4.).storage().copy_(torch.ones(3).storage())
torch.arange(4.).storage().copy_(torch.ones(4))
torch.arange(4.).storage().copy_([1])
torch.arange(4.).storage().resize_(2)
torch.arange(4.).storage().resize_(-2)
torch.arange(4.).storage().tolist()
list(torch.arange(4.).storage())
isinstance(torch.arange(4.).storage(), torch.FloatStorage)
isinstance(torch.arange(4.).storage(), torch.LongStorage)
isinstance(torch.arange(4.).storage(), torch.TypedStorage)
isinstance(torch.FloatStorage(1), torch.FloatStorage)
torch.FloatStorage
torch.FloatStorage.dtype
torch.arange(4.).storage() == torch.arange(4.).storage()
[x:=torch.arange(4.), x.storage() == x.storage()][1]
hash(torch.arange(4.).storage())>0
torch.is_storage(torch.arange(4.).storage())
torch.arange(4.).storage_type()
torch.arange(4.).storage().to("cpu")
torch.arange(4.).storage().to(device="cpu").device
torch.arange(0.).storage()
torch.arange(2).bool().storage()
torch.UntypedStorage(3).fill_(1)
torch.UntypedStorage([1,2,300])
torch.UntypedStorage([1,-2])
torch.UntypedStorage([1,2.5])
torch.UntypedStorage(-1)
torch.UntypedStorage("a")
torch.UntypedStorage(2.5)
torch.UntypedStorage()
torch.UntypedStorage([1,2])[5]
torch.UntypedStorage([1,2])[-1]
torch.UntypedStorage([1,2])["a"]
torch.UntypedStorage([1,2])[1.5]
torch.UntypedStorage([1,2,3])[::2]
torch.UntypedStorage([1,2,3])[1:]
torch.UntypedStorage([1,2,3])[5:]
[s:=torch.UntypedStorage([1,2,3]), t:=s[1:], t.fill_(9), s][3]
[s:=torch.UntypedStorage([1,2,3]), s.__setitem__(0,300), s][2]
[s:=torch.UntypedStorage([1,2,3]), s.__setitem__(0,2.5), s][2]
[s:=torch.UntypedStorage([1,2,3]), s.__setitem__(0,-1), s][2]
[s:=torch.UntypedStorage([1,2,3]), s.__setitem__(slice(0,2),7), s][2]
[s:=torch.UntypedStorage([1,2,3]), s.__setitem__(slice(0,3,2),7), s][2]
torch.UntypedStorage([1,2]).fill_(300)
torch.UntypedStorage([1,2]).fill_(2.5)
torch.UntypedStorage([1,2]).copy_(torch.UntypedStorage([3]))
torch.UntypedStorage([1,2]).copy_(torch.UntypedStorage([3,4]))
torch.UntypedStorage([1,2]).copy_([3])
torch.UntypedStorage([1,2]).copy_(torch.ones(2).storage())
torch.UntypedStorage([1,2]).resize_(-1)
torch.UntypedStorage([1,2]).resize_(1)
torch.UntypedStorage([1,2]).float()
torch.UntypedStorage([1,2]).byte()
torch.UntypedStorage([1,0]).bool()
torch.UntypedStorage([1,0]).type()
torch.UntypedStorage([1,0]).new()
torch.UntypedStorage([1,0]).is_pinned()
torch.UntypedStorage([1,0]).is_shared()
torch.UntypedStorage([1,0]).filename
torch.UntypedStorage([1,2,3,4]).byteswap(torch.int16)
[s:=torch.UntypedStorage([1,2,3,4]), s.byteswap(torch.int16), s][2]
torch.UntypedStorage([1,0]).get_device()
torch.UntypedStorage([1,0]).untyped()
torch.UntypedStorage([1,0]).is_cuda
torch.UntypedStorage([1,0]).is_sparse
torch.UntypedStorage([1,0]).tolist()
list(torch.UntypedStorage([1,0]))
torch.UntypedStorage([1,0]).cpu()
torch.UntypedStorage([1,0]).device
torch.UntypedStorage([1,0]).element_size()
torch.UntypedStorage([1,0]).nbytes()
torch.UntypedStorage([1,0]).size()
torch.UntypedStorage([1,0]).resizable()
torch.UntypedStorage([1,0]) == torch.UntypedStorage([1,0])
[x:=torch.ones(2), x.untyped_storage()==x.untyped_storage(), x.untyped_storage() is x.untyped_storage()]
torch.UntypedStorage([1,0]).to(device="cpu")
torch.from_numpy(np.arange(3)).untyped_storage().resizable()
torch.from_numpy(np.arange(3)).untyped_storage().resize_(3)
torch.UntypedStorage(0)
torch.UntypedStorage(0).data_ptr()
torch.UntypedStorage([1,2])[np.int64(1)]
torch.UntypedStorage([1,2])[-3]
torch.UntypedStorage([1,2]).resize_(np.int64(2)).nbytes()
torch.UntypedStorage([1,2]).fill_(np.int64(2))
torch.UntypedStorage([1,2]).foo
torch.UntypedStorage([1,2,3]).byteswap(torch.int16)
torch.UntypedStorage([1,2,3]).byteswap(3)
[s:=torch.UntypedStorage([1,2,3,4,5,6,7,8]), s.byteswap(torch.complex64), s][2]
[s:=torch.UntypedStorage([1,2]), s.__setitem__(np.int64(1), 9), s][2]
[s:=torch.UntypedStorage([1,2]), s.__setitem__([0], 1.5), s][2]
[s:=torch.UntypedStorage([1,2]), s.__setitem__(5, np.float32(1)), s][2]
torch.from_numpy(np.arange(3)).untyped_storage().resize_(-1)
torch.FloatStorage([1,2]).foo
torch.FloatStorage([1,2]).resize_(None)
torch.ComplexFloatStorage([1+2j,3]).byte()
torch.LongTensor(torch.arange(3).untyped_storage())._version
[s:=torch.FloatStorage([1,2,3]), s.__setitem__(-9, 9), s][2]
[s:=torch.FloatStorage([1,2,3]), s.__setitem__(True, 9), s][2]
[s:=torch.FloatStorage([1,2,3]), s.__setitem__(False, 9), s][2]
[s:=torch.FloatStorage([1,2,3]), s.__setitem__(0, 1+2j), s][2]
[s:=torch.FloatStorage([1,2,3]), s.__setitem__(0, 1+0j), s][2]
[s:=torch.FloatStorage([1,2,3]), s.__setitem__(slice(0,2), torch.tensor([5.,6.])), s][2]
[s:=torch.FloatStorage([1,2,3]), s.__setitem__([0], torch.tensor([5.,6.])), s][2]
[s:=torch.LongStorage([1,2,3]), s.__setitem__(0, float("nan")), s][2]
[s:=torch.ByteStorage([1,2,3]), s.__setitem__(0, -1), s][2]
[s:=torch.ByteStorage([1,2,3]), s.__setitem__(0, 256), s][2]
[s:=torch.HalfStorage([1,2,3]), s.__setitem__(0, 1e10), s][2]
[s:=torch.FloatStorage([1,2,3]), s.fill_(torch.tensor([4.,5,6])), s][2]
[x:=torch.arange(3.), x.storage().fill_(4), x._version]
""".strip().split("\n")

OLD_CONSTRUCTORS = r"""
torch.Tensor(2,3).shape
torch.Tensor([1,2])
torch.Tensor()
torch.Tensor(torch.arange(3.).storage())
torch.Tensor(torch.arange(3).storage())
torch.Tensor(torch.arange(3.).untyped_storage())
torch.Tensor(torch.Size([2,3])).shape
torch.Tensor([[1,2],[3,4]])
torch.Tensor(2.5)
torch.Tensor("a")
torch.Tensor(torch.ones(2))
torch.Tensor(torch.ones(2,dtype=torch.int64))
torch.FloatTensor([1,2])
torch.LongTensor([1,2])
torch.LongTensor(3).shape
torch.LongTensor([1.7,2])
torch.FloatTensor(torch.arange(3.))
torch.DoubleTensor([1])
torch.ByteTensor([1,255])
torch.BoolTensor([1,0])
torch.IntTensor(np.arange(3))
torch.FloatTensor(2,3).dtype
isinstance(torch.ones(1), torch.FloatTensor)
isinstance(torch.ones(1), torch.LongTensor)
isinstance(torch.ones(1), torch.Tensor)
torch.ones(1).type()
torch.ones(1).type("torch.LongTensor")
torch.ones(1).type(torch.LongTensor)
torch.ones(1).type(torch.float64)
torch.Tensor(-1)
torch.Tensor(None)
torch.Tensor([1], dtype=torch.int64)
torch.Tensor([1.0], requires_grad=True)
torch.Tensor(2, 3, dtype=torch.int64)
torch.LongTensor([1], dtype=torch.int64)
torch.Tensor(data=[1, 2])
torch.Tensor(size=(2, 3)).shape
""".strip().split("\n")

INTEROP = r"""
torch.from_numpy(np.arange(10)[2:]).storage_offset()
torch.from_numpy(np.arange(10)[2:]).untyped_storage().nbytes()
torch.from_numpy(np.arange(12).reshape(3,4)[:, ::2]).stride()
torch.from_numpy(np.arange(12).reshape(3,4)[:, ::2]).untyped_storage().nbytes()
torch.from_numpy(np.arange(12).reshape(3,4).T)
torch.from_numpy(np.array(3.5))
torch.from_numpy(np.zeros((0,3))).stride()
torch.from_numpy(np.zeros((3,0))).stride()
torch.from_numpy(np.broadcast_to(np.arange(3.), (2,3)).copy()).stride()
torch.from_numpy(np.lib.stride_tricks.as_strided(np.arange(3.), (2,3), (0,8))).stride()
torch.from_numpy(np.arange(3)[::-1])
torch.from_numpy(np.array(["a"]))
torch.from_numpy(np.arange(4.).astype('>f4'))
torch.from_numpy([1,2])
torch.from_numpy(3)
torch.from_numpy(np.float32(3))
torch.from_numpy(torch.ones(2))
torch.from_numpy(np.zeros(3, dtype=[("a","i4"),("b","i2")])["a"])
torch.from_numpy(np.zeros(3, dtype=np.longdouble))
torch.from_numpy(np.array([True,False]))
torch.from_numpy(np.array([1,2],dtype=np.float16))
torch.ones(3).numpy()
torch.ones(3, requires_grad=True).numpy()
torch.ones(3, requires_grad=True).numpy(force=True)
torch.ones(3, dtype=torch.bfloat16).numpy()
torch.ones(3, dtype=torch.bfloat16).numpy(force=True)
torch.ones(3, dtype=torch.complex64).conj().numpy()
torch.ones(3, dtype=torch.complex64).conj().numpy(force=True)
torch.ones(2,3).t().numpy().strides
torch.tensor(3).numpy()
torch.zeros(0,3).numpy()
np.asarray(torch.ones(2))
np.asarray(torch.ones(2), dtype=np.int64)
np.array([torch.tensor(1), torch.tensor(2)])
np.asarray(torch.ones(2,requires_grad=True))
np.ones(2) + torch.ones(2)
torch.ones(2) * np.float64(2)
np.float64(2) * torch.ones(2)
torch.Tensor.__array_priority__
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, count=2)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, offset=2)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, offset=2, count=2)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, offset=3)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, offset=3, count=2)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, offset=9)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, offset=8)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, offset=-1)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, count=5)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, count=0)
torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, count=-2)
torch.frombuffer(bytearray(b""), dtype=torch.int16)
torch.frombuffer(bytearray(b"abc"), dtype=torch.int16)
torch.frombuffer("abcd", dtype=torch.int16)
torch.frombuffer([1,2], dtype=torch.int16)
torch.frombuffer(bytearray(b"abcd"), dtype=torch.float32, requires_grad=True)
torch.frombuffer(bytearray(b"abcd"), dtype=torch.int32, requires_grad=True)
torch.frombuffer(np.arange(4), dtype=torch.int64)
torch.frombuffer(__import__("array").array("i",[1,2]), dtype=torch.int32)
torch.as_tensor([1,2])
torch.as_tensor(3.5)
torch.as_tensor(np.arange(3), dtype=torch.float32)
torch.as_tensor(torch.arange(3), dtype=torch.float32)
torch.as_tensor([1,2], dtype=torch.float32, device="cpu")
torch.as_tensor(torch.ones(2, requires_grad=True))
torch.as_tensor("a")
torch.as_tensor([1], requires_grad=True)
torch.asarray([1,2])
torch.asarray(3)
torch.asarray("abc")
torch.asarray(bytearray(b"abcd"), dtype=torch.int16)
torch.asarray([1,2], copy=False)
torch.asarray(np.arange(3), copy=False, dtype=torch.float32)
torch.asarray(torch.arange(3), copy=False, dtype=torch.float32)
torch.asarray(torch.arange(3), copy=True)
torch.asarray(torch.arange(3), dtype=torch.float32)
torch.asarray(np.arange(3)[::-1])
torch.asarray(range(3))
torch.asarray(torch.arange(3.), requires_grad=True)
torch.asarray(torch.arange(3), requires_grad=True)
torch.asarray(torch.arange(3.,requires_grad=True), requires_grad=True)
torch.asarray(np.float32(3))
torch.asarray(None)
torch.asarray(np.arange(3), device="cpu")
torch.asarray(np.arange(3), dtype=float)
torch.from_dlpack(np.arange(3))
torch.from_dlpack(torch.arange(3))
torch.from_dlpack([1])
torch.ones(3, requires_grad=True).__dlpack__()
torch.ones(3, dtype=torch.complex64).conj().__dlpack__()
np.from_dlpack(torch.arange(3))
np.ones((2,2)) @ torch.ones(2,2)
torch.ones(2) > np.ones(2)
torch.ones(2).__array__(np.float64)
""".strip().split("\n")


@pytest.mark.parametrize("expression", STORAGES + OLD_CONSTRUCTORS + INTEROP)
def test_an_expression_comes_out_as_in_pytorch(expression: str) -> None:
    # The warning about typed storages comes once in a process, wherever that may be: it has a test of its own.
    ours, theirs = outcome(tensorglass, expression)[0], outcome(torch, expression)[0]
    if expression not in INTEROP:  # errors of old classes, which few people see
        ours, theirs = (re.sub(r"^(\w+Error): .*", r"\1", outcome) for outcome in (ours, theirs))
    assert ours == theirs
