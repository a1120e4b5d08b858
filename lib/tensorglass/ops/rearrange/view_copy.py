"""Copies of views, for programs that must not share memory: transpose_copy, select_copy and others.

Each is the view of its name, and then a copy without gaps. In the graph it is one node, with the view's derivative and,
in its name, ``_copy``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import Derivative, derivative, derivative_of
from tensorglass.ops.copies.copy import clone, copy_, resolve_conj
from tensorglass.ops.copies.out import into_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.formulas import no_derivative
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.rearrange.cat_stack import cat, stack
from tensorglass.ops.rearrange.split import split, split_with_sizes, unbind
from tensorglass.ops.views.shape import (
    as_strided,
    diagonal,
    expand,
    narrow,
    permute,
    reshape,
    select,
    squeeze,
    t,
    transpose,
    unfold,
    unsqueeze,
    view,
    view_as_complex,
    view_as_real,
)
from tensorglass.tensor.tensor import Tensor


def _named(node: str | Callable[..., str | None], ending: str) -> str | Callable[..., str | None]:
    """PyTorch's name of a view's node, once the view is copied."""
    if isinstance(node, str):
        return node + ending

    @functools.wraps(node)
    def named(*arguments: Any) -> str | None:
        found = node(*arguments)
        return None if found is None else found + ending

    return named


def _parameters(view: Callable[..., Any]) -> list[inspect.Parameter]:
    """The view's parameters; sizes and dimensions are given as one sequence here."""
    found = list(inspect.signature(view).parameters.values())
    names = {"shape": "size"}
    return [
        each.replace(name=names.get(each.name, each.name), kind=each.POSITIONAL_OR_KEYWORD)
        if each.kind is each.VAR_POSITIONAL
        else each
        for each in found
    ]


def _reader(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view, as it takes the arguments of its copy."""
    if all(each.kind is not each.VAR_POSITIONAL for each in inspect.signature(view).parameters.values()):
        return view
    signature = inspect.Signature(_parameters(view))

    @functools.wraps(view)
    def read(*arguments: Any, **keywords: Any) -> Any:
        input, sequence, *_ = signature.bind(*arguments, **keywords).arguments.values()
        return view(input, sequence)

    return read


def _copy_of_view(name: str, view: Callable[..., Tensor]) -> Callable[..., Tensor]:
    read = _reader(view)

    def copied(*arguments: Any, out: Tensor | None = None, **keywords: Any) -> Tensor:
        seen = resolve_conj(read(*arguments, **keywords))
        if out is None:
            return clone(seen, memory_format=contiguous_format)
        return into_out(clone(seen, memory_format=contiguous_format), out)

    vars(copied)["looked_at_as"] = view  # see `bool_arguments`
    return copied


def _declare_copy(
    name: str,
    view: Callable[..., Tensor],
    *,
    like: Callable[..., Any] | None = None,
    node: str | Callable[..., str | None] | None = None,
    real_only: str | None = None,
    signatures: Sequence[str] = (),
    method: bool = False,
    differs: str | None = None,
) -> None:
    """Declare the copy of a view; `like` is the operator whose derivative it has, if not the view."""
    body = _copy_of_view(name, view)
    body.__name__ = body.__qualname__ = name
    body.__doc__ = f"`{name.removesuffix('_copy')}`, copied: shares no memory with the input."
    out = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None")
    body.__signature__ = inspect.Signature([*_parameters(view), out])  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
    of_view = derivative_of(like or view)
    if of_view is not None:
        title = of_view.node_name or f"{name.removesuffix('_copy').title().replace('_', '')}Backward0"
        named = node or _named(title, "_copy")
        vars(body)["derivative"] = Derivative(of_view.formulas, named, of_view.outputs, real_only=real_only)
    operator("copy", method=method, out=True, signatures=signatures, differs=differs)(body)


def _whole_view(input: Tensor) -> Tensor:
    return input


def _as_real(input: Tensor) -> Tensor:
    """`view_as_real`, of conjugated tensors too: a copy need not share their memory."""
    return view_as_real(resolve_conj(input))


def _anew(input: Tensor, *size: Any) -> Tensor:
    """`view`, or where the strides do not allow it `reshape`: there is a copy in any case."""
    return view(input, *size) if isinstance(size[0], DType) else reshape(input, *size)


def _view_node(size: Any) -> str | None:
    return None if isinstance(size, DType) else "ViewBackward0_copy"


vars(_whole_view)["derivative"] = Derivative({"input": lambda grad: grad})

_declare_copy("alias_copy", _whole_view)
_declare_copy("as_strided_copy", as_strided)  # what it gives depends on how its input lies
_declare_copy("diagonal_copy", diagonal)
_declare_copy("expand_copy", expand)
_declare_copy(
    "narrow_copy",
    narrow,
    node="NarrowCopyBackward0",
    method=True,
    differs="an `out` with strides is written as it lies, not as if it had none",
)
_declare_copy("permute_copy", permute)
_declare_copy("select_copy", select)
_declare_copy("slice_copy", slice_view, node="SliceBackward0_copy")
_declare_copy("squeeze_copy", squeeze, signatures=(
    "(Tensor input, *, Tensor out = None)",
    "(Tensor input, int dim, *, Tensor out = None)",
    "(Tensor input, tuple of ints dim, *, Tensor out = None)",
))  # fmt: skip
_declare_copy("t_copy", t)
_declare_copy("transpose_copy", transpose)
_declare_copy("unfold_copy", unfold)
_declare_copy("unsqueeze_copy", unsqueeze)
_declare_copy("view_as_complex_copy", view_as_complex, real_only="view_as_complex_copy")
_declare_copy("view_as_real_copy", _as_real, like=view_as_real)
_declare_copy("view_copy", _anew, like=view, node=_view_node, signatures=(
    "(Tensor input, torch.dtype dtype, *, Tensor out = None)",
    "(Tensor input, tuple of ints size, *, Tensor out = None)",
))  # fmt: skip

# --- with several results --------------------------------------------------------------------------------------------


@operator("copy", method=False, out=True)
@derivative(node="NotImplemented", input=no_derivative("aten::detach_copy"))
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`alias_copy` that no gradient can be asked through."""
    return into_out(clone(resolve_conj(input), memory_format=contiguous_format), out)


def _pieces(views: Sequence[Tensor], out: Sequence[Tensor] | None, name: str, resized: bool) -> Any:
    """Copies of the views; or None, once they are written to `out`."""
    if out is None:
        return tuple([clone(resolve_conj(each), memory_format=contiguous_format) for each in views])
    if len(out) != len(views):
        raise RuntimeError(f"{name} expected an out= argument of size {len(views)}, got size {len(out)}")
    for each, target in zip(views, out, strict=True):
        if resized:
            check_out_dtype(target, each._dtype)
            into_out(clone(resolve_conj(each), memory_format=contiguous_format), target)
        else:
            copy_(target, each)
    return None


@operator("copy", method=False)
@derivative(node="SplitBackward0_copy", input=lambda grads, dim: cat(grads, dim))
def split_copy(input: Tensor, split_size: int, dim: int = 0, *, out: Sequence[Tensor] | None = None) -> Any:
    """`split`, copied: the pieces share no memory. Given `out`, it returns None, and tensors there keep their size."""
    return _pieces(split(input, split_size, dim), out, "split_copy_Tensor_out()", False)


@operator("copy", method=False)
@derivative(input=lambda grads, dim: cat(grads, dim), node="SplitWithSizesBackward0_copy")
def split_with_sizes_copy(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> Any:
    """`split_with_sizes`, copied: the pieces share no memory. Given `out`, it returns None."""
    return _pieces(split_with_sizes(input, split_sizes, dim), out, "split_with_sizes_copy_out", True)


@operator("copy", method=False)
@derivative(node="UnbindBackward0_copy", input=lambda grads, dim: stack(grads, dim))
def unbind_copy(input: Tensor, dim: int = 0, *, out: Sequence[Tensor] | None = None) -> Any:
    """`unbind`, copied: the slices share no memory. Given `out`, it returns None."""
    return _pieces(unbind(input, dim), out, "unbind_copy_int_out", True)
