"""What a node keeps of a tensor for its derivative.

A node keeps the header of an input, but only the memory of its own result: storage, size, stride, offset. The result's
header points back at the node, and a graph must have no reference cycles. Both are kept with their version, so that a
later in-place write is noticed.

Most of what is kept is read once, by the engine. So it is kept in a light form, `SavedInput` or `SavedResult`, which
takes a third of the time. When a user looks at it, it is opened into a `SavedTensor`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, old_type_name
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph import anomaly
from tensorglass.graph.accumulate_grad import AccumulateGrad, gradient_edge, history
from tensorglass.graph.node import Node, short_name
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.autograd_meta import Meta, requires_grad
from tensorglass.tensor.construct import make
from tensorglass.tensor.grad_mode import state, watched
from tensorglass.tensor.tensor import Tensor

Pack = Callable[[Any], Any]
_new = object.__new__


class _Hooks(threading.local):
    def __init__(self) -> None:
        #: the open blocks: the pack hook, the unpack hook, and the block's object in `watched`
        self.stack: tuple[tuple[Pack, Pack, object], ...] = ()
        self.disabled: str | None = None


hooks = _Hooks()


class SavedTensor:
    """A tensor that a node keeps. `is_output`: it is an output of that very node. `is_written`: it is a view that the
    node wrote to. The view's regenerated history leads back to the node, so the reference to it is weak.
    """

    __slots__ = ("_header", "_hooked", "_is_output", "_place", "_version")

    def __init__(self, tensor: Tensor, is_output: bool = False, is_written: bool = False) -> None:
        meta, counter = tensor._meta, tensor._counter
        self._version = tensor._storage.version if counter is None else counter.count
        self._is_output = is_output
        self._hooked: tuple[Any, Pack] | None = None  #: what the user's hook keeps instead, and the hook that reads it
        #: the tensor's node and output number; for an output of the keeping node, `unpack` is given the node
        self._place: Any = None
        #: the tensor; for an output that is not a leaf only its memory; None once released
        self._header: Any = tensor
        is_leaf = False
        if meta is not None:
            if meta.is_inference:
                raise of_inference()
            is_leaf = meta.requires_grad and meta.grad_fn is None
            if not is_leaf:
                node = meta.grad_fn if tensor._base is None else tensor.grad_fn
                self._place = (
                    weakref.ref(node) if is_written and node else None if is_output else node,
                    meta.output_nr,
                )
        if hooks.stack:
            self._pack(tensor, *hooks.stack[-1][:2])
        elif is_output:
            self._header = memory_of(tensor)

    def register_hooks(self, pack_hook: Pack, unpack_hook: Pack | None = None) -> None:
        """Keep ``pack_hook(tensor)`` instead of the tensor, and read it by ``unpack_hook``."""
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise explained(
                TypeError(
                    "register_hooks(): incompatible function arguments. The following argument types are supported:"
                ),
                "(pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor])",
            )
        if self is NOTHING:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        header = self._header
        if header is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
                "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
                "to backward through the graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        if self._hooked is not None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        if type(header) is tuple:
            self._pack(_made(*header), pack_hook, unpack_hook)
        else:
            self._pack(header, pack_hook, unpack_hook, is_detached=True)

    @property
    def data(self) -> Any:
        """What is kept: the tensor, only its memory if it is an output, or what the user's hook returned."""
        header, hooked = self._header, self._hooked
        return hooked[0] if hooked else _made(*header) if type(header) is tuple else header

    @property
    def unpack_hook(self) -> Pack | None:
        """The user's hook that reads what is kept."""
        return self._hooked[1] if self._hooked else None

    def _pack(self, tensor: Tensor, pack_hook: Pack, unpack_hook: Pack, is_detached: bool = False) -> None:
        if _is_leaf(tensor._meta):
            # keeps the leaf's node alive until the tensor is read
            self._place = gradient_edge(tensor)
        version = tensor._version
        grad, state.grad = state.grad, False
        try:
            packed = pack_hook(tensor.detach() if is_detached else tensor)
        finally:
            state.grad = grad
        if tensor._version != version:
            raise explained(
                RuntimeError(
                    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook "
                    "cannot be modified by in-place operations as this can lead to unexpected side-effects. Please "
                    "open an issue if you need to perform in-place operations on the input to a pack hook."
                ),
                "Return a new tensor: what is given to the pack hook is the very tensor that the program works with.",
            )
        self._hooked = packed, unpack_hook
        self._header = ()

    def unpack(self, node: Node | None = None, is_placed: bool = True) -> Any:
        """The tensor as it was. RuntimeError if it was written to since, or released.

        An output of `node` gets its `grad_fn` back. If `is_placed` is False, nothing computed with the tensor is
        recorded, and a tensor that has to be rebuilt may lack its `grad_fn`.
        """
        header = self._header
        if header is None:
            raise second_time()
        if self._hooked is not None:
            return self._unpacked(*self._hooked, node)
        place = self._place
        if type(header) is tuple:
            tensor = _made(*header)
            was_written = self._was_written(tensor)
            if place is not None and (is_placed or was_written):
                _set_place(tensor, _found(place[0]) or node, place[1])
        else:
            tensor = header
            was_written = self._was_written(tensor)
        if was_written:
            raise self._error(tensor)
        if tensor is header and place is not None and place[0] is not None and history(tensor) is None:
            raise RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                "supported, please use out-of-place `.detach()` instead"
            )
        return tensor

    def array(self, dtype: DType | None = None) -> Array | None:
        """The array, if it is contiguous and of `dtype` (if that is given); None where only `unpack` knows what to do
        or which error to raise.
        """
        header = self._header
        if header is None or self._hooked is not None:
            return None
        if type(header) is tuple:
            storage, size, stride, _, saved_dtype, _, counter, array, _ = header
            if storage._array is not array:
                return None
        else:
            storage, size, stride, saved_dtype = header._storage, header._size, header._stride, header._dtype
            counter, array = header._counter, header._array
            if self._place is not None and (header._meta is None or header._meta.grad_fn is None):
                return None  # it was detached in place
        if counter is not None or storage.version != self._version or stride != CONTIGUOUS_STRIDES[size]:
            return None
        return array if dtype is None or saved_dtype is dtype else None

    def _unpacked(self, packed: Any, unpack_hook: Pack, node: Node | None) -> Tensor:
        """What the user's unpack hook returns, with the `grad_fn` of the tensor that was packed."""
        opened = hooks.stack
        given = unpack_hook(packed)
        if hooks.stack is not opened:  # blocks that a hook opens or closes during backward do not affect the program
            watched.saved_tensors_hooks.difference_update([block for *_, block in hooks.stack])
            watched.saved_tensors_hooks.update([block for *_, block in opened])
            hooks.stack = opened
        if not isinstance(given, Tensor):
            raise explained(
                TypeError(
                    "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                    f"{type(given).__name__}"
                ),
                "The unpack hook gets what the pack hook returned, and returns the tensor that was packed.",
            )
        origin, output_nr = self._place or (None, 0)
        origin = _found(origin) or (node if self._is_output else None)
        if origin is None and not requires_grad(given):
            return given
        tensor = _made(*memory_of(given))
        if origin is not None:
            _set_place(tensor, origin, output_nr)
        return tensor

    def _was_written(self, tensor: Tensor) -> bool:
        counter = tensor._counter
        return (tensor._storage.version if counter is None else counter.count) != self._version

    def _error(self, tensor: Tensor) -> RuntimeError:
        """The error for a tensor that was written to since it was kept."""
        made_by = history(tensor)
        origin = ""
        if made_by is not None:
            origin = f", which is output {tensor.output_nr} of {short_name(made_by)},"
        return explained(
            RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                f"[{old_type_name(tensor)} {list(tensor._size)}]{origin} is at version {tensor._version}; expected "
                f"version {self._version} instead. Hint: {hint()}"
            ),
            "The derivative needs the values as they were when the operator ran. Write to a copy, x.clone(), or use "
            "the operator without the underscore.",
            notebook="3/06 In-place and versions",
        )

    def release(self) -> None:
        """Release the tensor."""
        self._header = self._hooked = self._place = None


class SavedInput:
    """The light form of a kept input."""

    __slots__ = ("made_by", "tensor", "version")

    tensor: Tensor
    version: int
    made_by: Node | None  #: the node that its gradient goes to

    def opened(self) -> SavedTensor:
        """The `SavedTensor` that this stands for."""
        made_by = None if type(self.made_by) is AccumulateGrad else self.made_by
        return _saved(self.tensor, self.version, made_by and (made_by, self.tensor.output_nr), False)


class SavedResult:
    """The light form of a node's only result, which fills its storage: the storage and the header."""

    __slots__ = ("dtype", "size", "storage", "stride")

    storage: UntypedStorage
    size: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: DType

    def opened(self) -> SavedTensor:
        """The `SavedTensor` that this stands for."""
        storage = self.storage
        memory = (storage, self.size, self.stride, 0, self.dtype, False, None, storage._array, True)
        return _saved(memory, 0, (None, 0), True)


def _saved(header: Any, version: int, place: Any, is_output: bool) -> SavedTensor:
    self: SavedTensor = _new(SavedTensor)
    self._header, self._version, self._place, self._is_output, self._hooked = header, version, place, is_output, None
    return self


def keep_input(tensor: Tensor) -> SavedTensor | SavedInput:
    """What a node keeps of an input."""
    meta, counter = tensor._meta, tensor._counter
    if (watched.saved_tensors_hooks and hooks.stack) or counter is not None:
        return SavedTensor(tensor)
    made_by = None
    if meta is not None:
        if meta.is_inference:
            raise of_inference()
        made_by = meta.grad_fn if tensor._base is None else tensor.grad_fn
    saved: SavedInput = _new(SavedInput)
    saved.tensor, saved.version, saved.made_by = tensor, tensor._storage.version, made_by
    return saved


def keep_result(tensor: Tensor) -> SavedTensor | SavedResult:
    """What a node keeps of its only result, which has just been made."""
    storage = tensor._storage
    if (
        (watched.saved_tensors_hooks and hooks.stack)
        or tensor._array is None
        or tensor._array is not storage._array
        or not tensor._contiguous
        or tensor._conj
        or storage.version
        or tensor._counter is not None
    ):
        return SavedTensor(tensor, True)
    if storage._headers is None:
        storage._headers = [weakref.ref(tensor)]  # `storage.note(tensor)`, inlined
    saved: SavedResult = _new(SavedResult)
    saved.storage = storage
    saved.size = tensor._size
    saved.stride = tensor._stride
    saved.dtype = tensor._dtype
    return saved


def memory_of(tensor: Tensor) -> tuple[Any, ...]:
    """Storage, size, stride, offset and dtype of a tensor, for `_made`."""
    tensor._storage.note(tensor)
    return (
        tensor._storage, tensor._size, tensor._stride, tensor._offset, tensor._dtype, tensor._conj, tensor._counter,
        tensor._array, tensor._contiguous,
    )  # fmt: skip


def _found(place: Any) -> Node | None:
    return place() if type(place) is weakref.ref else place


def _is_leaf(meta: Meta | None) -> bool:
    return meta is not None and meta.requires_grad and meta.grad_fn is None


def _made(
    storage: UntypedStorage,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    offset: int,
    dtype: DType,
    conj: bool,
    counter: Any,
    array: Array | None,
    contiguous: bool | None,
) -> Tensor:
    """A header on the memory that was kept."""
    tensor = make(storage, size, stride, offset, dtype)
    tensor._conj, tensor._counter = conj, counter
    if storage._array is array:  # it has not been resized since
        tensor._array, tensor._contiguous = array, contiguous
    return tensor


def _set_place(tensor: Tensor, node: Node | None, output_nr: int) -> None:
    if node is None:
        return
    meta = tensor._meta = Meta()
    if isinstance(node, AccumulateGrad):
        meta.requires_grad, meta.accumulate = True, weakref.ref(node)
    else:
        meta.grad_fn, meta.output_nr = node, output_nr


class SavedNumber(SavedTensor):
    """A number that PyTorch keeps as a 0-dim tensor: users see that tensor."""

    __slots__ = ("number",)

    def __init__(self, number: complex, tensor: Tensor) -> None:
        super().__init__(tensor)
        self.number = number
        self._header = tensor

    def unpack(self, node: Node | None = None, is_placed: bool = True) -> Any:
        """The number, which formulas compute with."""
        return super().unpack(node) if self._header is None else self.number

    def tensor(self) -> Tensor:
        """The tensor that users see."""
        seen: Tensor = super().unpack()
        return seen


NOTHING = object.__new__(SavedTensor)  #: shown in place of a tensor that was left out
NOTHING.release()
FREED = object.__new__(SavedTensor)  #: in place of a value that PyTorch keeps as a tensor and this library does not
FREED.release()


def read(value: Any, node: Node) -> Any:
    """A kept value as a formula gets it: each `SavedTensor`, also in lists, is unpacked."""
    if isinstance(value, SavedTensor):
        return value.unpack(node)
    if isinstance(value, (list, tuple)) and any(isinstance(element, SavedTensor) for element in value):
        return type(value)([read(element, node) for element in value])
    return value


# --- what is said of tensors that changed ----------------------------------------------------------------------------


def of_inference() -> RuntimeError:
    """The error for a tensor that cannot be kept: it was made in inference mode."""
    return explained(
        RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
            "it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
        )
    )


def hint() -> str:
    """How to find the operator that kept a tensor which was overwritten since."""
    return _FURTHER_ABOVE if anomaly.state.enabled else _ENABLE


_ENABLE = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
_FURTHER_ABOVE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)
_FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


def second_time() -> RuntimeError:
    """The error for a graph whose saved tensors were freed."""
    return explained(
        RuntimeError(_FREED),
        "The first backward let go of what the derivatives need, to save memory.",
        notebook="3/02 The graph and backward",
    )
