"""`vmap`: a function of one example becomes a function of many.

PyTorch runs the function once, on tensors that hide a dimension; here it runs once for each slice, and the results are
stacked. That is slower, and works with everything: ``if`` on values, ``item()``, printing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorglass.core.contexts import setting
from tensorglass.core.errors import explained
from tensorglass.func.pytree import TreeSpec, tree_flatten
from tensorglass.ops.random.vmap import SliceDraws
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

Function = Callable[..., Any]


def vmap(
    func: Function, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Function:
    """A function that calls `func` for each slice of its arguments along `in_dims`, and stacks along `out_dims`.

    Both are one number for all, or nested like the arguments and results; None for arguments that are passed unsliced.
    `randomness` says what random operators in `func` do: raise ("error"), draw anew for each slice ("different"), or
    draw the same for all ("same"). `chunk_size` only affects how many slices random numbers are drawn for at a time.

    >>> torch.func.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))
    tensor([3., 3.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not all(dim is None or isinstance(dim, int) for dim in tree_flatten(out_dims)[0]):
            raise ValueError(f"vmap({_name(func)}, out_dims={out_dims}): out_dims must be ints or None, nested or not.")
        count, dims, leaves, structure = _read_arguments(func, in_dims, args)
        together = count if chunk_size is None or randomness == "same" else chunk_size

        def slices(index: int) -> Any:
            return structure.unflatten(
                [leaf if dim is None else leaf.select(dim, index) for leaf, dim in zip(leaves, dims, strict=True)]
            )

        results = []
        for index in range(count):
            if index % together == 0:
                draws = SliceDraws(randomness, min(together, count - index))
            # Backward passes keep the graph for the next slice, since PyTorch would only make one pass.
            with draws.slice(index % together), setting(state, keeps_graphs=state.keeps_graphs or index + 1 < count):
                results.append(func(*slices(index), **kwargs))
        if not results:  # without slices, the structure of the results is found with a slice of zeros
            zeros = [
                leaf if dim is None else leaf.new_zeros((*leaf._size[:dim], *leaf._size[dim + 1 :]))
                for leaf, dim in zip(leaves, dims, strict=True)
            ]
            results = [func(*structure.unflatten(zeros), **kwargs)]
        return _gathered(func, results, out_dims, is_empty=not count)

    return wrapped


# --- arguments -------------------------------------------------------------------------------------------------------


def _read_arguments(
    func: Function, in_dims: Any, args: tuple[Any, ...]
) -> tuple[int, list[int | None], list[Any], TreeSpec]:
    """How many slices there are; for each leaf of the arguments the dimension that is sliced; the leaves."""
    call = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    leaves, structure = tree_flatten(args)
    dims = structure.broadcast_prefix(in_dims)
    if not leaves:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    if dims is None:
        raise ValueError(
            f"{call}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_flatten(in_dims)[1]} but inputs has structure {structure}."
        )
    dims = [_dim_of(call, leaf, dim) for leaf, dim in zip(leaves, dims, strict=True)]
    counts = [leaf._size[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not counts:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(count != counts[0] for count in counts):
        raise explained(
            ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{counts} for the mapped dimension"
            ),
            _note_on_sizes([None if dim is None else leaf._size[dim] for leaf, dim in zip(leaves, dims, strict=True)]),
        )
    return counts[0], dims, leaves, structure


def _note_on_sizes(sizes: list[int | None]) -> str:
    """Which arguments should not be sliced, where most of the others agree."""
    counts = [size for size in sizes if size is not None]
    most = max(counts, key=counts.count)
    if 2 * counts.count(most) <= len(counts):
        return (
            "An argument that every call is given whole has None in in_dims: in_dims=(None, 0) slices the second only."
        )
    fitting = tuple(0 if size == most else None for size in sizes)
    return f"An argument that every call is given whole has None in in_dims: in_dims={fitting} for these sizes."


def _dim_of(call: str, leaf: Any, dim: Any) -> int | None:
    if dim is None:
        return None
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{call}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    count = len(leaf._size)
    if not isinstance(dim, int) or not -count <= dim < count:
        raise ValueError(
            f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {count} so "
            f"expected in_dim to satisfy -{count} <= in_dim < {count}."
        )
    return dim % count


def _name(func: Any) -> str:
    return str(getattr(func, "__name__", func))


# --- results ---------------------------------------------------------------------------------------------------------


def _gathered(func: Function, results: list[Any], out_dims: Any, is_empty: bool) -> Any:
    """The results of all slices, stacked leaf by leaf."""
    flat = [tree_flatten(result)[0] for result in results]
    structure = tree_flatten(results[0])[1]
    one_for_a_leaf = isinstance(out_dims, tuple) and len(out_dims) == 1 and structure.is_leaf()
    dims = structure.broadcast_prefix(out_dims[0] if one_for_a_leaf else out_dims)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {structure}."
        )
    return structure.unflatten(
        [_stacked(_name(func), list(leaves), dim, is_empty) for *leaves, dim in zip(*flat, dims, strict=True)]
    )


def _stacked(name: str, leaves: list[Any], dim: int | None, is_empty: bool) -> Any:
    if dim is None:
        if isinstance(leaves[0], Tensor) and any(leaf is not leaves[0] for leaf in leaves):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return leaves[0]
    if not isinstance(leaves[0], Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(leaves[0])}. Did you mean to set "
            "out_dims= to None for output?"
        )
    if all(leaf is leaves[0] for leaf in leaves):  # it does not depend on the slice
        return leaves[0].expand(0 if is_empty else len(leaves), *leaves[0]._size).movedim(0, int(dim))
    together = stack(leaves)
    together = together.movedim(0, int(dim)) if dim else together
    return together.narrow(dim, 0, 0).clone() if is_empty else together
