"""DLPack between tensorglass, PyTorch and NumPy: the same calls with the same outcomes, and memory that is shared."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from parity.same_source import disagreement

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

PRELUDE = """
import numpy as np

a = np.arange(6.0).reshape(2, 3)
t = torch.arange(3.0)
dlpack = torch.utils.dlpack

class Old:
    def __dlpack__(self, stream=None): return a.__dlpack__()
    def __dlpack_device__(self): return a.__dlpack_device__()

class NoDevice:
    def __dlpack__(self, **wishes): return a.__dlpack__()

class Broken(Old):
    def __dlpack__(self, **wishes): raise ValueError("mine")

class Odd(Old):
    def __dlpack__(self, **wishes): return 5
"""

CALLS = """
torch.from_dlpack(a).stride()
torch.from_dlpack(a.T).stride()
torch.from_dlpack(a[:, ::2])
torch.from_dlpack(np.array(5.0))
torch.from_dlpack(np.zeros((0, 3)))
torch.from_dlpack(np.zeros((0, 3))).stride()
torch.from_dlpack(a.astype(">f8"))
torch.from_dlpack(np.array(["a"]))
torch.from_dlpack(np.array([None]))
torch.from_dlpack(np.array([True]))
torch.from_dlpack(np.array([1j]))
torch.from_dlpack(np.array([1], np.float16))
torch.from_dlpack(np.array([1], np.longdouble))
torch.from_dlpack(5)
torch.from_dlpack([1, 2])
torch.from_dlpack(Old())
torch.from_dlpack(Old(), copy=True)
torch.from_dlpack(Old(), copy=False)
torch.from_dlpack(Old(), device="cpu")
torch.from_dlpack(Broken())
torch.from_dlpack(Odd())
torch.from_dlpack(NoDevice())
torch.from_dlpack(a, device="cpu")
torch.from_dlpack(a, device=torch.device("cpu"), copy=True)
torch.from_dlpack(a, device=5)
torch.from_dlpack(a, device="meta")
torch.from_dlpack(a.__dlpack__())
torch.from_dlpack(a.__dlpack__(max_version=(1, 0)))
torch.from_dlpack(a.__dlpack__(), copy=True)
torch.from_dlpack(a, "cpu")
torch.from_dlpack()
torch.from_dlpack(t) is t
torch.from_dlpack(t).data_ptr() == t.data_ptr()
torch.from_dlpack(t, copy=True).data_ptr() == t.data_ptr()
torch.from_dlpack(t)._is_view()
torch.from_dlpack(t.clone().requires_grad_())
torch.from_dlpack(torch.ones(2, dtype=torch.complex64).conj())
torch.from_dlpack(t.expand(2, 3)).stride()
torch.from_dlpack(t[1:]).storage_offset()
torch.from_dlpack(t[1:]).untyped_storage().nbytes()
torch.from_dlpack(t[::2]).untyped_storage().nbytes()
torch.from_dlpack(a).untyped_storage().resizable()
torch.from_dlpack(torch.ones(2, dtype=torch.bfloat16))
torch.from_dlpack(torch.ones(1, 3, 1).transpose(0, 1)).stride()
np.from_dlpack(torch.ones(1, 3, 1).transpose(0, 1)).strides
np.from_dlpack(t).tolist()
np.from_dlpack(t).flags.writeable
np.from_dlpack(t, copy=True).tolist()
np.from_dlpack(t, device="cpu").tolist()
np.from_dlpack(torch.ones(2, dtype=torch.bool)).tolist()
np.from_dlpack(torch.ones(2, dtype=torch.bfloat16))
np.from_dlpack(torch.ones(2, requires_grad=True))
repr(t.__dlpack_device__())
'"dltensor"' in repr(t.__dlpack__())
'"dltensor_versioned"' in repr(t.__dlpack__(max_version=(1, 0)))
'"dltensor"' in repr(t.__dlpack__(max_version=(0, 8)))
t.__dlpack__(max_version=5)
torch.from_dlpack(t.__dlpack__(stream=None))
torch.from_dlpack(t.__dlpack__(stream=-1))
t.__dlpack__(stream=3)
t.__dlpack__(stream="a")
torch.from_dlpack(t.__dlpack__(dl_device=(1, 0))).data_ptr() == t.data_ptr()
t.__dlpack__(dl_device=3)
t.__dlpack__(dl_device=(2, 0), copy=False)
torch.from_dlpack(t.__dlpack__(copy=True)).data_ptr() == t.data_ptr()
torch.from_dlpack(t.__dlpack__(copy=False)).data_ptr() == t.data_ptr()
t.__dlpack__(copy=5)
torch.from_dlpack(torch.to_dlpack(t))
dlpack.from_dlpack(dlpack.to_dlpack(t))
dlpack.to_dlpack(5)
torch.from_dlpack(dlpack.to_dlpack(torch.ones(2, requires_grad=True)))
torch.from_dlpack(dlpack.to_dlpack(torch.full((2,), 1j).conj()))
dlpack.from_dlpack is torch.from_dlpack
repr(list(dlpack.DLDeviceType))
[torch.from_dlpack(capsule) for capsule in [t.__dlpack__()] * 2]
torch.from_dlpack(torch.view_as_real(torch.ones(2, dtype=torch.complex64)))
""".strip().splitlines()


@pytest.mark.parametrize("call", CALLS)
def test_the_call_has_pytorchs_outcome(call: str) -> None:
    assert disagreement(f"attempt(lambda: {call})", PRELUDE) is None


@pytest.mark.sweep
@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
     "float64", "complex64", "complex128"],
)  # fmt: skip
@pytest.mark.parametrize("ours_produces", [True, False])
def test_memory_is_shared_with_pytorch(dtype: str, ours_produces: bool) -> None:
    libraries: list[Any] = [tensorglass, torch] if ours_produces else [torch, tensorglass]
    source, target = libraries
    tensor = source.arange(12).to(getattr(source, dtype)).reshape(3, 4)
    for view in (tensor, tensor.t(), tensor[1:, ::2], tensor[1, 1], tensor[:, :1].expand(3, 2), tensor[None]):
        taken = target.from_dlpack(view)
        assert str(taken.dtype) == str(view.dtype)
        assert taken.data_ptr() == view.data_ptr()
        assert tuple(taken.stride()) == tuple(view.stride())
        assert taken.tolist() == view.tolist()
    taken = target.from_dlpack(tensor)
    taken[0, 0] = 1
    tensor[2, 3] = 0
    assert taken.tolist() == tensor.tolist()
    expected = tensor.tolist()
    del tensor, view
    gc.collect()
    assert taken.tolist() == expected


def test_pytorch_is_told_what_may_not_travel() -> None:
    for tensor in (tensorglass.ones(2, requires_grad=True), tensorglass.full((2,), 1j).conj()):
        with pytest.raises(BufferError, match="Can't export tensors"):
            torch.from_dlpack(tensor)


def test_memory_goes_through_three_libraries() -> None:
    array = np.arange(3.0)
    last = tensorglass.from_dlpack(torch.from_dlpack(tensorglass.from_dlpack(array)))
    last[0] = 9
    assert array[0] == 9
    del array
    gc.collect()
    assert last.tolist() == [9, 1, 2]
