"""Linear maps: `linear`, `bilinear`."""

from __future__ import annotations

from math import prod

import tensorglass as torch
from tensorglass.core.dtypes import C_NAMES
from tensorglass.ops.arg_parser.checks import check_tensors
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import as_it_is, in_lower_precision
from tensorglass.ops.declare.seams import has_shortcut
from tensorglass.tensor.tensor import Tensor


@in_lower_precision
@has_shortcut("linear")
@parsed("linear")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``: (…, in), (out, in) → (…, out); a `weight` of (in) gives (…)."""
    check_tensors("linear", input=input, weight=weight)
    if not (input.dim() and weight.dim()):
        dims = f"{input.dim()}D and {weight.dim()}D"
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {dims}")
    if bias is not None and input.dim() == 2:
        return torch.addmm(bias, input, weight.t())
    if bias is not None and input.dim() and input.is_contiguous():
        flat = torch.addmm(bias, input.view(prod(input.shape[:-1]), input.size(-1)), weight.t())
        return flat.view(*input.shape[:-1], flat.size(-1))
    product = torch.matmul(input, weight.t())
    return product if bias is None else product.add_(bias)


@as_it_is
@parsed("bilinear")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1ᵀ weight[k] input2 + bias[k]`` for every output k: (…, in1), (…, in2) and (out, in1, in2) → (…, out)."""
    check_tensors("bilinear", input1=input1, input2=input2, weight=weight)
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if any(tensor.dtype != input1.dtype for tensor in given.values()):
        names = ", ".join(f"{name}: {C_NAMES[tensor.dtype]}" for name, tensor in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {names}")
    if input1.dim() != input2.dim():
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}")
    for dim, (one, other) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if one != other:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {one} and {other}")
    for name, tensor, dim, place in (("input1", input1, -1, 1), ("input2", input2, -1, 2), ("bias", bias, 0, 0)):
        if tensor is not None and tensor.size(dim) != weight.size(place):
            raise RuntimeError(
                f"bilinear(): {name} size does not match weight size: got {tensor.size(dim)} but expected "
                f"{weight.size(place)}"
            )
    rows, others = (tensor.reshape(-1, tensor.size(-1)).contiguous() for tensor in (input1, input2))
    halves = torch.bmm(rows.expand(weight.size(0), *rows.shape), weight)  # (out, N, in2)
    result = torch.bmm(halves.transpose(0, 1), others.unsqueeze(-1)).view(*input1.shape[:-1], weight.size(0))
    return result if bias is None else result + bias
