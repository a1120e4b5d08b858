"""Questions about tensors and other objects, asked as functions: is_tensor, numel, result_type and their siblings."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import name_in_messages
from tensorglass.core.size import Size
from tensorglass.ops.arg_parser.checks import check_tensor, invalid_combination
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import common_dtype
from tensorglass.ops.kernels.python_numbers import NUMBERS, check_width
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor.tensor import Tensor


@operator("asking", method=False)
def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


@operator("asking", method=False)
def is_storage(obj: Any) -> bool:
    """Whether `obj` is a storage, typed or untyped."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


@operator("asking", method=False)
def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a floating-point one."""
    return input._dtype.is_floating_point


@operator("asking", method=False)
def is_complex(input: Tensor) -> bool:
    """Whether the dtype is a complex one."""
    return input._dtype.is_complex


@operator("asking", method=False)
def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return input._dtype.is_signed


@operator("asking", method=False)
def get_device(input: Tensor) -> int:
    """The index of the accelerator that the tensor is on; -1 for the CPU."""
    return input.get_device()


@operator("asking")
def is_neg(input: Tensor) -> bool:
    """Whether the elements are negated when they are read. Those of tensorglass never are."""
    check_tensor("is_neg", input)
    return False


@operator("asking", function=False)
def dim_order(input: Tensor) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost: ``(0, 2, 3, 1)`` says channels last."""
    return geometry.dim_order(input._size, input._stride)


@operator("asking")
def is_nonzero(input: Tensor) -> bool:
    """Whether a tensor of one element is nonzero."""
    if input.numel() != 1:
        raise RuntimeError(
            f"Boolean value of Tensor with {'no values' if not input.numel() else 'more than one value'} is ambiguous"
        )
    return bool(input)


@operator("asking")
def is_inference(input: Tensor) -> bool:
    """Whether the tensor was made in inference mode."""
    return input._meta is not None and input._meta.is_inference


@operator("asking", method=False)
def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


@operator("asking", method=False)
def typename(obj: Any) -> str:
    """The name of a tensor's type, "torch.FloatTensor", or of any other object's class."""
    if isinstance(obj, Tensor):
        name: str = obj.type()
        return name
    kind = obj if isinstance(obj, type) else type(obj)
    named = name_in_messages(kind)
    if named.startswith("torch."):
        return named
    module = getattr(kind, "__module__", "")
    return kind.__qualname__ if module in ("", "builtins") else f"{module}.{kind.__qualname__}"


@operator(
    "asking",
    method=False,
    signatures=(
        "(Tensor tensor, Tensor other)",
        "(Number scalar, Tensor tensor)",
        "(Tensor tensor, Number other)",
        "(Number scalar1, Number scalar2)",
    ),
)
def result_type(tensor1: Any, tensor2: Any) -> DType:
    """The dtype of ``tensor1 + tensor2``; either may be a Python number."""
    if not all(isinstance(operand, (Tensor, *NUMBERS)) for operand in (tensor1, tensor2)):
        raise invalid_combination(
            "result_type",
            (tensor1, tensor2),
            "(Tensor tensor, Tensor other)",
            "(Number scalar, Tensor tensor)",
            "(Tensor tensor, Number other)",
            "(Number scalar1, Number scalar2)",
        )
    for operand in (tensor1, tensor2):
        check_width(operand)
    return common_dtype((tensor1, tensor2))


@operator("asking", method=False, signatures=None)
def broadcast_shapes(*shapes: Any) -> Size:
    """The size at which tensors of these sizes meet."""
    return Size(geometry.public_broadcast_shapes(*shapes))


@operator("asking", function=False)
def is_pinned(input: Tensor, device: Device | str | None = None) -> bool:
    """Whether the storage is page-locked host memory, from which an accelerator copies faster."""
    return input._storage.is_pinned()
