"""`functional_call`: a module called with other parameters and buffers, so that it is a function of them.

Modules are duck-typed here: `named_parameters`, `named_buffers`, `get_submodule` and the module's dictionaries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.grad_mode import no_grad
from tensorglass.tensor.tensor import Tensor

Tensors = dict[str, Tensor]
_NOTHING: Any = object()


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Tensors | Sequence[Tensors],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """What the module returns for these arguments with the tensors of the dictionaries in place of its own.

    A tensor that the module has under two names is replaced under both, if `tie_weights`. If `strict`, the names must
    be just those of the module.
    """
    replaced = _merged(parameter_and_buffer_dicts)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with in_place_of_its_own(module, replaced, tie_weights, strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def in_place_of_its_own(module: Any, tensors: Tensors, tie_weights: bool, strict: bool) -> Iterator[None]:
    """Within the block the module has these tensors, as `functional_call` describes them."""
    if tie_weights:
        tensors = _tied(module, tensors)
    if strict:
        _check_names(module, tensors)
    with _replaced(module, tensors):
        yield


def stack_module_state(models: Sequence[Any]) -> tuple[Tensors, Tensors]:
    """The parameters of several modules of one class, stacked along a new first dimension, and so their buffers.

    `vmap` of `functional_call` over them calls all modules together. RuntimeError if the modules are not alike.
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return _stacked(parameters), _stacked(buffers)


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Turn off the running statistics of every batch norm in `root`, so that it writes nothing in place; `root`."""
    for module in root.modules():
        if any(base.__name__ == "_BatchNorm" for base in type(module).__mro__):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def _stacked(named: list[Tensors]) -> Tensors:
    stacked = {}
    for name, first in named[0].items():
        tensors = [model[name] for model in named]
        with no_grad():
            result = stack(tensors)
        stacked[name] = result.requires_grad_(first.requires_grad)
    return stacked


def _merged(given: Any) -> Tensors:
    if isinstance(given, dict):
        return given
    if not isinstance(given, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(given)}"
        )
    if not all(isinstance(tensors, dict) for tensors in given):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for tensors in given for name in tensors]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for tensors in given for name, tensor in tensors.items()}


def _named_tensors(module: Any) -> dict[str, Tensor]:
    named: dict[str, Tensor] = dict(module.named_parameters(remove_duplicate=False))
    return named | dict(module.named_buffers(remove_duplicate=False))


def _tied(module: Any, replaced: Tensors) -> Tensors:
    """`replaced`, extended to all names of tied tensors."""
    names_of: dict[Tensor, list[str]] = {}
    for name, tensor in _named_tensors(module).items():
        names_of.setdefault(tensor, []).append(name)
    tensors = dict(replaced)
    for names in names_of.values():
        given = [name for name in names if name in replaced]
        if len(names) > 1 and given:
            if len({id(replaced[name]) for name in given}) > 1:
                raise ValueError(
                    f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using "
                    "tie_weights=False"
                )
            tensors.update(dict.fromkeys(names, replaced[given[0]]))
    return tensors


def _check_names(module: Any, replaced: Tensors) -> None:
    there = _named_tensors(module)
    messages = []
    for what, names in (
        ("Unexpected", sorted(replaced.keys() - there.keys())),
        ("Missing", sorted(there.keys() - replaced.keys())),
    ):
        if names:
            messages.append(f"{what} key(s): {', '.join(map(repr, names))}.")
    if messages:
        listed = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{listed}")


def _check_is_tensor(tensor: Any, what: str) -> None:
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{what}{tensor} is not an instance of torch.Tensor")


@contextmanager
def _replaced(module: Any, replaced: Tensors) -> Iterator[None]:
    """The module with other tensors, inside the block."""
    before: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for path, tensor in replaced.items():
            home, _, name = path.rpartition(".")
            owner = module.get_submodule(home)
            _check_is_tensor(tensor, "")
            if not name:
                raise KeyError('tensor name can\'t be empty string ""')
            places = (owner._parameters, owner._buffers)
            # names that the module lacks are added
            place = next((place for place in places if name in place), vars(owner))
            _check_is_tensor(place.get(name), f"attribute `{name}`: ")
            before.append((place, name, place.get(name, _NOTHING)))
            place[name] = tensor
        yield
    finally:
        for place, name, tensor in reversed(before):
            if tensor is _NOTHING:
                del place[name]
            else:
                place[name] = tensor
