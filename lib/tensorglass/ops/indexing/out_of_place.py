"""Out-of-place forms of operators that are written in place: index_add_ does the work, index_add does it to a copy.

Only the in-place form does work; the other one clones first.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.core.memory_format import contiguous_format, preserve_format
from tensorglass.graph.derivative import derivative_of
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.copy import clone
from tensorglass.ops.declare.overlap_checks import refuse_partly_written, written_apart
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.tensor.tensor import Tensor, array_of, raw_array


def declare_out_of_place(
    in_place: Callable[..., Tensor],
    summary: str,
    *signatures: str,
    out: bool = True,
    samples: Callable[[], Any] | None = None,
) -> None:
    """Declare an operator by its in-place form `name_`: the function and method `name` does it to a copy."""
    name = in_place.__name__.removesuffix("_").removeprefix("_")
    laid_out = contiguous_format if out else preserve_format  # PyTorch allocates the result of those that take `out`

    def out_of_place(input: Tensor, *arguments: Any, out: Tensor | None = None, **keywords: Any) -> Tensor:
        check_tensor(name, input)
        check_out_dtype(out, input._dtype)
        made = in_place(clone(input, memory_format=laid_out), *arguments, **keywords)
        if out is None:
            made._storage.version = 0
            return made
        refuse_partly_written(out, made._size, (input,))
        given = (*arguments, *keywords.values())
        return written_apart(out, made, *[each for each in given if isinstance(each, Tensor)])

    out_of_place.__name__ = out_of_place.__qualname__ = name
    out_of_place.__doc__ = summary
    out_of_place.__module__ = in_place.__module__
    given = list(inspect.signature(in_place).parameters.values())
    out_keyword = [inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None")]
    out_of_place.__signature__ = inspect.Signature(given + out_keyword * out)  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
    vars(out_of_place)["looked_at_as"] = in_place  # see `flags`
    found = derivative_of(in_place)
    if found is not None:
        vars(out_of_place)["derivative"] = found
    in_place.__name__ = in_place.__qualname__ = f"{name}_"
    declared = operator("indexing", inplace=in_place, out=out, samples=samples, signatures=signatures)
    declared(out_of_place)


def write(target: Tensor, kernel: Callable[..., None], *arrays: Any) -> Tensor:
    """Run a kernel that writes into `target`, and count the write."""
    target._backend.launch(kernel, raw_array(target).reshape(target._size or (1,)), *arrays)
    target._written()
    return target


def written_array(source: Tensor, target: Tensor) -> Array:
    """The elements of `source` as they are to stand in the memory of `target`."""
    array = array_of(source)
    return array.conj() if target._conj else array
