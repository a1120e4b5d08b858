"""What a node keeps of a tensor for its derivative.

The one idea to keep in mind: a node keeps the memory, not the header: storage, size, stride and offset, and the version
that they had. So a graph has no cycles (a node that keeps its own result does not keep the header that points back at
it), and a later in-place write is noticed by the version.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorglass.errors import explained
from tensorglass.graph import anomaly
from tensorglass.graph.meta import Meta
from tensorglass.graph.node import short_name
from tensorglass.making import make

if TYPE_CHECKING:
    from tensorglass.graph.node import Node
    from tensorglass.tensor import Tensor

Pack = Callable[[Any], Any]


class _Hooks(threading.local):
    def __init__(self) -> None:
        self.stack: list[tuple[Pack, Pack]] = []
        self.disabled: str | None = None


hooks = _Hooks()


class SavedTensor:
    """A tensor that a node keeps."""

    __slots__ = ("_header", "_is_leaf", "_meta", "_node_output", "_packed", "_unpack", "_version", "_weak")

    def __init__(self, tensor: Tensor, is_output: bool = False) -> None:
        meta = tensor._meta
        if meta is not None and meta.is_inference:
            raise explained(
                RuntimeError(
                    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference "
                    "mode in computation tracked by autograd. To work around this, you can make a clone to get a "
                    "normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                    "`torch.inference_mode()`."
                )
            )
        self._version = tensor._version
        self._packed: Any = None
        self._unpack: Pack | None = None
        self._is_leaf = meta is not None and meta.grad_fn is None and meta.requires_grad
        if self._is_leaf and not is_output:
            self._weak: Any = None
            self._header: Any = tensor  # a leaf points at nothing, so it may be kept itself
        else:
            self._weak = None if is_output else weakref.ref(tensor)
            self._header = (
                tensor._storage, tensor._size, tensor._stride, tensor._offset, tensor._dtype, tensor._conj,
                tensor._counter, tensor._array, tensor._contiguous,
            )  # fmt: skip
        #: where the tensor came from; an output's node is passed in when it is read again
        self._meta = None if is_output or self._is_leaf or meta is None else (tensor.grad_fn, meta.output_nr)
        self._node_output = meta.output_nr if is_output and meta is not None else None
        if hooks.stack:
            self.register_hooks(*hooks.stack[-1])

    def register_hooks(self, pack_hook: Pack, unpack_hook: Pack) -> None:
        """Keep ``pack_hook(tensor)`` instead of the tensor, and read it by ``unpack_hook``."""
        if self._unpack is not None:
            raise RuntimeError("Calling register_hooks on a saved tensor with a hook that has already been set")
        if self._header is None:
            raise RuntimeError(_FREED)
        tensor = self._header if self._is_leaf and not isinstance(self._header, tuple) else self._rebuild()
        version = tensor._version
        with_hooks_off = hooks.stack
        hooks.stack = []
        try:
            self._packed = pack_hook(tensor.detach() if tensor is not self._header else tensor)
        finally:
            hooks.stack = with_hooks_off
        if tensor._version != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can "
                "not be modified by in-place operations as this can lead to unexpected side-effects. Please open an "
                "issue if you need to perform in-place operations on the input to a pack hook."
            )
        self._unpack = unpack_hook
        if isinstance(self._header, tuple):
            self._header, self._weak = (), None

    def unpack(self, node: Node | None = None, *, is_output: bool = False) -> Any:
        """The tensor, as it was. RuntimeError if it was written to since, or let go of.

        An output of `node` gets its place in the graph back.
        """
        header = self._header
        if header is None:
            raise second_time()
        if self._unpack is not None:
            tensor = self._unpack(self._packed)
            self._give_history(tensor, node, is_output)
            return tensor
        if not isinstance(header, tuple):
            self._check_version(header, node)
            return header
        original = None if self._weak is None else self._weak()
        if original is not None:
            self._check_version(original, node)
            if self._meta is not None and self._meta[0] is not None and original.grad_fn is None:
                raise RuntimeError(
                    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                    "supported, please use out-of-place `.detach()` instead"
                )
            return original
        tensor = self._rebuild()
        self._give_history(tensor, node, is_output)
        self._check_version(tensor, node)
        return tensor

    def _rebuild(self) -> Tensor:
        storage, size, stride, offset, dtype, conj, counter, array, contiguous = self._header
        tensor = make(storage, size, stride, offset, dtype)
        tensor._conj, tensor._counter = conj, counter
        if storage._array is array:  # the storage is still the one that this array made
            tensor._array, tensor._contiguous = array, contiguous
        return tensor

    def _give_history(self, tensor: Tensor, node: Node | None, is_output: bool) -> None:
        if is_output and node is not None:
            meta = tensor._meta = Meta()
            meta.grad_fn, meta.output_nr = node, self._node_output or 0
        elif self._meta is not None:
            meta = tensor._meta = Meta()
            meta.grad_fn, meta.output_nr = self._meta

    def _check_version(self, tensor: Tensor, node: Node | None) -> None:
        if tensor._version == self._version:
            return
        made_by = tensor.grad_fn
        origin = ""
        if made_by is not None:
            origin = f", which is output {tensor.output_nr} of {short_name(made_by)},"
        kind = tensor.type()
        raise explained(
            RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                f"[{kind} {list(tensor._size)}]{origin} is at version {tensor._version}; expected version "
                f"{self._version} instead. Hint: {_FURTHER_ABOVE if anomaly.state.enabled else _ENABLE}"
            ),
            "The derivative needs the values as they were when the operator ran. Write to a copy, x.clone(), or use "
            "the operator without the underscore.",
            notebook="06 in-place and versions",
        )

    def release(self) -> None:
        """Let go of the tensor."""
        self._header = self._weak = self._meta = self._packed = None


FREED = object.__new__(SavedTensor)  #: in place of what PyTorch keeps as a tensor and the library does not
FREED.release()


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
    """The error of a graph whose saved tensors are gone."""
    return explained(
        RuntimeError(_FREED),
        "The first backward let go of what the derivatives need, to save memory.",
        notebook="02 the graph and backward",
    )
