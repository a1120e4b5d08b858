"""``out=`` on the meta device for a result with elements, or the other way round: PyTorch's refusals.

There is nothing to copy from a tensor on 'meta', and nothing to copy to. PyTorch computes the result first, so that
everything else that is wrong with a call is told before; here it is computed on 'meta', where that costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tensorglass.core.devices import CPU, META
from tensorglass.core.devices import device as Device
from tensorglass.ops.arg_parser.checks import refuse_copy_across
from tensorglass.tensor.tensor import Tensor

_EXPECTED = "Expected out tensor to have device {result}, but got {out} instead"
_SAME = "Expected result and input tensors to be on the same device, but got result on "
#: The errors of operators that word it differently from most. `linalg.norm` and some others swap the two devices.
_WORDS = {
    **dict.fromkeys(
        (
            "argmax", "argmin", "cholesky_ex", "gather", "inverse", "linalg_cholesky", "linalg_cholesky_ex",
            "linalg_det", "linalg_inv", "linalg_inv_ex", "linalg_svd", "linalg_svdvals", "scatter", "scatter_add",
            "svd", "topk",
        ),
        _EXPECTED,
    ),
    **dict.fromkeys(("matrix_power", "linalg_matrix_power"), f"matrix_power: {_SAME}{{out}} and input on {{result}}"),
    **{f"linalg_{name}": f"linalg.{name}: {_SAME}{{out}} and input on {{result}}" for name in ("cond", "pinv")},
    **{
        f"linalg_{name}": f"linalg.{name}: {_SAME}{{result}} and input on {{out}}"
        for name in ("matrix_norm", "norm", "vecdot")
    },
    "linalg_matrix_rank": f"torch.linalg.matrix_rank: {_SAME}{{out}} and input on {{result}}",
    "linalg_multi_dot": "multi_dot(): expected out tensor to be on device {result} but got {out}",
    **dict.fromkeys(
        ("quantile", "nanquantile"), "quantile() out tensor must be on the same device as the input tensor"
    ),
    "tensordot": "tensordot: Expected the output and input tensors to be on the same device, but got the output tensor "
    "on {out}, input tensor a on {result}, and input tensor b on {result}",
    "take_along_dim": "Expected tensor to have {result} Device, but got tensor with {out} Device (while checking "
    "arguments for torch.take_along_dim():)",
    "inner": "Expected tensor to have {result} DeviceType, but got tensor with {out} DeviceType (while checking "
    "arguments for inner())",
    "special_ndtr": "Expected all tensors to be on the same device, but found at least two devices, {result} and "
    "{out}!",
}  # fmt: skip
_OF_NUMBERS = ("amax", "amin", "mean", "prod", "sum")  #: one number of theirs on the CPU may go to 'meta'
_BY_THEMSELVES = ("masked_select", "histogram")  #: they refuse any tensor on 'meta', in words of their own


def refuse_out_elsewhere(
    body: Callable[..., Any], name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> None:
    """Raise PyTorch's error for a call whose result lies on 'meta' and its ``out=`` does not, or the other way round.

    `body` is the operator, which runs without ``out=``, and `name` its name. What else is wrong is told before.
    """
    out, first = keywords["out"], arguments[0] if arguments else None
    if isinstance(first, Tensor) and isinstance(out, Tensor) and first._storage.device is out._storage.device:
        return
    if keywords.get("device") is not None:
        _refuse_another_device(Device(keywords["device"]), out)
    given = {tensor._storage.device for tensor in _tensors((out,))}
    others = {key: value for key, value in keywords.items() if key != "out"}
    sources = {tensor._storage.device for tensor in _tensors((*arguments, *others.values()))}
    if META not in sources | given or len(sources | given) == 1 or not given or name in _BY_THEMSELVES:
        return
    if META not in sources:
        arguments, others = _on_meta(arguments), {key: _on_meta(value) for key, value in others.items()}
    result = None if name == "nonzero" else body(*arguments, **others)  # whose size only its elements tell
    if name in _OF_NUMBERS and META not in sources and result is not None and not result.dim():
        return
    stays = META in sources and all(tensor._storage.device is META for tensor in _tensors((result,)))
    device = META if stays else next((place for place in sources if place is not META), CPU)
    for tensor in _tensors((out,)):
        if tensor._storage.device is not device and META in (device, tensor._storage.device):
            if name in _WORDS:
                raise RuntimeError(_WORDS[name].format(result=device, out=tensor._storage.device))
            refuse_copy_across(device, tensor)


def _refuse_another_device(asked: Device, out: Any) -> None:
    """Raise PyTorch's error for a `device` that is asked for beside an `out` on another one."""
    if isinstance(out, Tensor) and out._storage.device.type != asked.type:
        raise RuntimeError(
            f"device type {asked.type} does not match device type of out parameter ({out._storage.device})"
        )


def _tensors(values: Sequence[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, tuple | list):
            yield from _tensors(value)


def _on_meta(value: Any) -> Any:
    if type(value) in (tuple, list):
        return type(value)(map(_on_meta, value))
    return value.to(META) if isinstance(value, Tensor) else value
