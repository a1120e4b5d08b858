"""Sizes, strides and offsets that no tensor can have are refused wherever they come in, in PyTorch's words.

A length is 0 or more, and what is counted fits into 64 bits: elements, bytes, and how far neighbors lie apart.
"""

from __future__ import annotations

import copy
import ctypes
import pickle
from typing import Any

import pytest
from parity.steps import disagreement, lines, torch

import tensorglass

HEADERS = r"""
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[-1],[0])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[-1],[1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[-1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[-2,-3],[1,1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2,-3],[0,0])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2**40,2**40])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2**40,2**40],[0,0])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2**40,2**40],[1,1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2**62],[1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2],[2**62])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2],[2**63])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2**63],[1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),2**62,[2],[1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),2**63,[2],[1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),-1,[0],[1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[2],[-1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[0],[-1])
torch.empty(0).set_(torch.arange(6.).untyped_storage(),0,[-1],[-1])
torch.empty(0).set_(torch.arange(6.),0,[-1],[0])
torch.empty(0).set_(torch.arange(6.),0,[-1])
torch.empty(0).set_(torch.arange(6.).storage(),0,[-1],[0])
torch.empty(0,requires_grad=True).set_(torch.arange(6.),0,[-1],[0])
torch.arange(6.).as_strided([-1],[0])
torch.arange(6.).as_strided([0,-1],[1,1])
torch.arange(6.).as_strided([1],[-1])
torch.arange(6.).as_strided([2],[2**62])
torch.arange(6.).as_strided([2**40,2**40],[0,0])
torch.arange(6.).as_strided([2**63],[0])
torch.arange(6.).as_strided([1],[2**63])
torch.arange(6.).as_strided([1],[1],2**63)
torch.arange(6.).as_strided([1],[1],2**62)
torch.arange(6.).as_strided([0],[1],2**62)
torch.arange(6.).as_strided([1],[1],-2**63)
torch.arange(6.).as_strided_([-1],[0])
torch.arange(6.).as_strided_([2**40,2**40],[0,0])
torch.arange(6.).resize_(-1)
torch.arange(6.).resize_(2,-3)
torch.arange(6.).resize_(2**40,2**40)
torch.arange(6.).resize_(2**62)
torch.arange(6.).resize_(2**63)
torch.arange(6.).resize_(0,2**62,4)
torch.arange(6.).resize_(1,2,3,-1,memory_format=torch.channels_last)
"""

VIEWS = r"""
torch.arange(6.).view(-2) ;; torch.arange(6.).view(-1,-1) ;; torch.arange(6.).view(2,-3) ;; torch.empty(0).view(0,-2)
torch.arange(6.).reshape(-2) ;; torch.arange(6.).reshape(2,-3) ;; torch.arange(6.).reshape(2**32,2**32)
torch.arange(6.).unflatten(0,(-2,3)) ;; torch.arange(6.).unflatten(0,(-2,-3)) ;; torch.arange(6.).unflatten(0,(-1,-1))
torch.ones(1).expand(-2) ;; torch.ones(1).expand(-1,1)
torch.ones(1).expand(2**40,2**40) ;; torch.ones(1).expand(2**63)
torch.ones(()).expand(-1) ;; torch.ones(1).broadcast_to((-2,))
torch.broadcast_shapes((-1,),(2,)) ;; torch.broadcast_shapes((-2,),(1,))
torch.arange(6.).unfold(0,-1,1) ;; torch.arange(6.).unfold(0,2,-1) ;; torch.arange(6.).unfold(0,2,2**63)
torch.arange(6.).narrow(0,0,-1) ;; torch.arange(6.).narrow(0,0,2**63) ;; torch.arange(6.).narrow(0,1,2**63-1)
torch.arange(6.).split(-1) ;; torch.arange(6.).split([-1,7])
torch.arange(6.).chunk(-1) ;; torch.arange(6.).tensor_split(-1)
torch.arange(6.).repeat(-1) ;; torch.arange(6.).tile((0,-1)) ;; torch.arange(6.).sum_to_size(-1)
torch.constant_pad_nd(torch.ones(3),(-4,0)) ;; torch.constant_pad_nd(torch.ones(3),(-2,-2))
torch.constant_pad_nd(torch.ones(3,4),(-4,-1,-4,0)) ;; torch.constant_pad_nd(torch.ones(3,4),(-2,-1,-1,-1))
torch.constant_pad_nd(torch.ones(3,4),(-5,1,3,0)) ;; torch.constant_pad_nd(torch.ones(3,4),(-2,-1,3,0))
"""

MAKING = r"""
torch.empty(-1) ;; torch.empty((0,-1)) ;; torch.empty(2**40,2**40) ;; torch.empty(2**63) ;; torch.empty(0,2**62,4)
torch.zeros(-1) ;; torch.zeros((-1,0)) ;; torch.zeros(2**40,2**40) ;; torch.zeros(2**63) ;; torch.zeros(0,2**62,4)
torch.ones(-1) ;; torch.ones((0,-1)) ;; torch.full((-1,),2) ;; torch.full((2**40,2**40),3)
torch.rand(-1) ;; torch.randn((0,-1)) ;; torch.randint(3,(-1,)) ;; torch.randperm(-1) ;; torch.normal(0.,1.,(-1,))
torch.eye(-1) ;; torch.eye(2,-1) ;; torch.hann_window(-1) ;; torch.linspace(0,1,-1) ;; torch.tril_indices(-1,2)
torch.empty(-2,out=torch.empty(0)) ;; torch.zeros(-2,out=torch.empty(0)) ;; torch.ones(-2,out=torch.empty(0))
torch.full((-2,),1.,out=torch.empty(0)) ;; torch.rand(-2,out=torch.empty(0))
torch.empty(2**40,2**40,out=torch.empty(0))
torch.empty_strided([-1],[0]) ;; torch.empty_strided([0,-1],[0,1]) ;; torch.empty_strided([-1],[1,2])
torch.empty_strided([2],[-1]) ;; torch.empty_strided([0],[-1]) ;; torch.empty_strided([1],[-1]).stride()
torch.empty_strided([2],[2**62]) ;; torch.empty_strided([2],[2**63]) ;; torch.empty_strided([2**40,2**40],[0,0])
torch.ones(2).new_empty([-1]) ;; torch.ones(2).new_zeros(2,-3)
torch.ones(2).new_ones((-1,)) ;; torch.ones(2).new_full([-1],3)
torch.ones(2).new_empty_strided([-1],[0]) ;; torch.ones(2).new_empty_strided([0],[-1]).stride()
torch.ones(2).new(-1) ;; torch.ones(2).new(torch.Size([-1]))
torch.ones(2).new(2**63) ;; torch.ones(2).new(2**40,2**40)
torch.FloatTensor(-1) ;; torch.Tensor(2,-3) ;; torch.LongTensor(0,-1)
torch.Tensor(torch.Size([-1])) ;; torch.Tensor(2**63)
torch.frombuffer(bytearray(8),dtype=torch.float32,count=-2)
torch.frombuffer(bytearray(8),dtype=torch.float32,offset=-4)
torch.frombuffer(bytearray(8),dtype=torch.float32,offset=2**62)
torch.frombuffer(bytearray(8),dtype=torch.float32,count=2**63)
torch.from_file('there is none',size=-1) ;; torch.UntypedStorage.from_file('there is none',False,-1)
torch.ones(2).__setstate__((torch.ones(2).untyped_storage(),0,(-1,),(0,)))
"""

PROGRAMS = lines(HEADERS) + lines(VIEWS) + lines(MAKING)


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_no_tensor_can_have_is_refused_as_pytorch_refuses_it(program: str) -> None:
    assert disagreement(program) is None


STORAGES = ("UntypedStorage({})", "FloatStorage({})", "TypedStorage({}, dtype=torch.float64)")


@pytest.mark.parametrize("made", [*STORAGES, "ones(2).untyped_storage().resize_({})", "ones(2).storage().resize_({})"])
def test_storages_of_impossible_lengths_are_refused(made: str) -> None:
    for length, of_pytorch in (("-1", RuntimeError), ("2**63", ValueError)):
        for library, error in ((tensorglass, RuntimeError), (torch, of_pytorch)):
            with pytest.raises(error):
                eval(f"torch.{made.format(length)}", {"torch": library})


@pytest.mark.parametrize(
    "header", [(0, [-1], [0]), (0, [-1]), (0, [2, -3], [0, 0]), (0, [2**40, 2**40], [0, 0]), (-1, [1], [1])]
)
def test_a_header_that_was_refused_leaves_the_tensor_as_it_was(header: tuple[Any, ...]) -> None:
    tensor = tensorglass.arange(3.0)
    version = tensor._version
    with pytest.raises(RuntimeError):
        tensor.set_(tensorglass.ones(6).untyped_storage(), *header)
    with pytest.raises(RuntimeError):
        tensor.resize_(*header[1][:1], -1)
    assert (tensor.tolist(), tensor.stride(), tensor._version) == ([0, 1, 2], (1,), version)


@pytest.mark.parametrize(
    "header", [((-1,), (0,)), ((2, -3), (0, 0)), ((2**40, 2**40), (0, 0)), ((3,), (-1,)), ((7,), (1,)), ((1, 1), (1,))]
)
def test_a_pickle_whose_header_was_changed_is_refused(header: tuple[Any, ...]) -> None:
    class Forged:
        def __reduce__(self) -> Any:
            rebuild, (storage, _size, _stride, *rest) = tensorglass.arange(6.0).__reduce_ex__(2)[:2]
            return rebuild, (storage, *header, *rest)

    with pytest.raises(RuntimeError):
        pickle.loads(pickle.dumps(Forged()))
    with pytest.raises(RuntimeError):
        copy.deepcopy(Forged())


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int), ("ndim", ctypes.c_int),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
    )  # fmt: skip


def _capsule(size: tuple[int, ...], stride: tuple[int, ...] | None, keep: list[Any]) -> Any:
    """A capsule of six float32 numbers with this header, as a library with a fault might offer it."""
    numbers = ctypes.c_int64 * len(size)
    elements = (ctypes.c_float * 6)()
    content = _DLTensor(
        ctypes.addressof(elements), 1, 0, len(size), 2, 32, 1, numbers(*size), stride and numbers(*stride), 0
    )
    keep += [elements, content]
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(content), b"dltensor", None)


@pytest.mark.parametrize(
    ("size", "stride"),
    [
        ((-1,), (0,)), ((-1,), (1,)), ((-1,), None), ((2, -3), (0, 0)), ((0, -3), (1, 1)), ((-3, 0), (1, 1)),
        ((2**40, 2**40), (0, 0)), ((2, 3), (3, 1)), ((2, 3), None), ((0,), (5,)),
    ],
)  # fmt: skip
def test_a_capsule_with_an_impossible_size_is_refused(size: tuple[int, ...], stride: tuple[int, ...] | None) -> None:
    keep: list[Any] = []

    def outcome(library: Any) -> Any:
        try:
            tensor = library.from_dlpack(_capsule(size, stride, keep))
        except RuntimeError as error:
            return str(error).splitlines()[0]
        return tuple(tensor.shape), tensor.stride(), tensor.tolist()

    assert outcome(tensorglass) == outcome(torch)
