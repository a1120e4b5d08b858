"""Pruning: a mask keeps elements of a parameter at 0 (LeCun et al. 1990).

A pruned `weight` is computed before every call, as ``weight_orig * weight_mask``; `remove` makes it permanent. A
parameter that is pruned again has a `PruningContainer`, whose methods each prune what the ones before have left.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import tensorglass as torch
from tensorglass.nn.modules.module import Module
from tensorglass.nn.utils.convert_parameters import parameters_to_vector
from tensorglass.tensor.tensor import Tensor


class BasePruningMethod(ABC):
    """The base class of methods that choose what is pruned. A subclass sets `PRUNING_TYPE` and defines `compute_mask`.

    The type is "unstructured" for elements, "structured" for whole channels, and "global" for methods that need all
    elements.
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The new mask, of ones and zeros, from the importance of each element and the previous mask."""

    def apply_mask(self, module: Module) -> Tensor:
        """The pruned tensor."""
        mask = getattr(module, f"{self._tensor_name}_mask")
        original = getattr(module, f"{self._tensor_name}_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune a parameter, by its own elements or by `importance_scores`."""
        method = cls._combined(module, name, cls(*args, **kwargs))
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {original.shape}"
            )
        is_first = not isinstance(method, PruningContainer)
        if is_first:
            default = torch.ones_like(original)
        else:
            default = getattr(module, f"{name}_mask").detach().clone()
        mask = method.compute_mask(importance_scores, default_mask=default)
        if is_first:
            module.register_parameter(f"{name}_orig", original)
            del module._parameters[name]
        module.register_buffer(f"{name}_mask", mask.detach())
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    @staticmethod
    def _combined(module: Module, name: str, method: BasePruningMethod) -> BasePruningMethod:
        """This method, combined with those that have pruned the parameter before."""
        method._tensor_name = name
        before = [
            (number, hook)
            for number, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if len(before) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        for number, hook in before:
            del module._forward_pre_hooks[number]
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            return container
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A pruned copy of a tensor."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        default_mask = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module: Module) -> None:
        """Make the pruned tensor the parameter, for good."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        assert original is not None
        original.data = weight.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods, one after another."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Add a method, which prunes elements that the others have left."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        part = self._left(method, t, default_mask)
        mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(dtype=mask.dtype)
        return mask

    @staticmethod
    def _left(method: Any, t: Tensor, mask: Tensor) -> Any:
        """The index of the elements that are not pruned yet."""
        kind = method.PRUNING_TYPE
        if kind == "unstructured":
            return mask == 1
        if kind == "global":
            return (slice(None),) * t.dim()
        if kind != "structured":
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        rank = t.dim()
        dim = method.dim + rank if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {rank}")
        index: list[Any] = [slice(None)] * rank
        index[dim] = mask.sum(dim=[axis for axis in range(rank) if axis != dim]) != 0
        return tuple(index)


class Identity(BasePruningMethod):
    """Prunes nothing, but creates the mask."""

    PRUNING_TYPE = "unstructured"

    @classmethod
    def apply(cls, module: Module, name: str) -> BasePruningMethod:  # type: ignore[override]  # its own arguments
        """Prune a parameter of a module."""
        return super().apply(module, name)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class _Amount(BasePruningMethod):
    """Prunes an `amount`: a fraction from 0 to 1, or a number of elements or channels."""

    amount: Any

    def __init__(self, amount: Any) -> None:
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        is_number = isinstance(amount, numbers.Integral)
        if (is_number and amount < 0) or (not is_number and not 0.0 <= float(amount) <= 1.0):
            raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
        self.amount = amount

    def _pruned_count(self, among: int) -> int:
        if not isinstance(self.amount, numbers.Integral):
            return round(self.amount * among)
        if int(self.amount) > among:
            raise ValueError(f"amount={self.amount} should be smaller than the number of parameters to prune={among}")
        return int(self.amount)


class RandomUnstructured(_Amount):
    """Prunes elements at random."""

    PRUNING_TYPE = "unstructured"

    @classmethod
    def apply(cls, module: Module, name: str, amount: float) -> BasePruningMethod:  # type: ignore[override]  # its own arguments
        """Prune a parameter of a module."""
        return super().apply(module, name, amount=amount)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._pruned_count(t.nelement())
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        if count:
            mask.view(-1)[torch.topk(torch.rand_like(t).view(-1), k=count).indices] = 0
        return mask


class L1Unstructured(_Amount):
    """Prunes the smallest elements."""

    PRUNING_TYPE = "unstructured"

    @classmethod
    def apply(  # type: ignore[override]  # its own arguments
        cls, module: Module, name: str, amount: float, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        """Prune a parameter of a module."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._pruned_count(t.nelement())
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        if count:
            mask.view(-1)[torch.topk(t.abs().reshape(-1), k=count, largest=False).indices] = 0
        return mask


class _Structured(_Amount):
    """Prunes whole channels along `dim`."""

    PRUNING_TYPE = "structured"
    dim: int

    def _count_along_dim(self, t: Tensor) -> int:
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        return self._pruned_count(t.shape[self.dim])

    def _keeping(self, channels: Tensor, t: Tensor, default_mask: Tensor) -> Tensor:
        index: list[Any] = [slice(None)] * t.dim()
        index[self.dim] = channels
        mask = torch.zeros_like(t)
        mask[tuple(index)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prunes channels at random."""

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    @classmethod
    def apply(cls, module: Module, name: str, amount: float, dim: int = -1) -> BasePruningMethod:  # type: ignore[override]  # its own arguments
        """Prune a parameter of a module."""
        return super().apply(module, name, amount=amount, dim=dim)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count_along_dim(t)
        if not count:
            return default_mask
        drawn = torch.rand(t.shape[self.dim])
        return self._keeping(drawn > torch.kthvalue(drawn, k=count).values, t, default_mask)


class LnStructured(_Structured):
    """Prunes the channels with the smallest `n`-norm."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.n = n
        self.dim = dim

    @classmethod
    def apply(  # type: ignore[override]  # its own arguments
        cls, module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        """Prune a parameter of a module."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count_along_dim(t)
        others = list(range(t.dim()))
        del others[self.dim]
        norm = torch.norm(t, p=self.n, dim=others)
        kept = torch.topk(norm, k=t.shape[self.dim] - count, largest=True)
        return self._keeping(kept.indices, t, default_mask) if count else default_mask


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> BasePruningMethod:  # type: ignore[override]  # its own arguments
        """Prune a parameter of a module."""
        return super().apply(module, name, mask=mask)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


# --- as functions --------------------------------------------------------------------------------------------------


def identity(module: Module, name: str) -> Module:
    """Create a mask that prunes nothing."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune elements at random."""
    RandomUnstructured.apply(module, name, amount=amount)
    return module


def l1_unstructured(module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Module:
    """Prune the smallest elements, or the least important ones by `importance_scores`."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune channels along `dim` at random."""
    RandomStructured.apply(module, name, amount=amount, dim=dim)
    return module


def ln_structured(
    module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Module:
    """Prune the channels along `dim` with the smallest `n`-norm."""
    LnStructured.apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune by the given mask."""
    CustomFromMask.apply(module, name, mask=mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune several parameters as if they were one."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters = list(parameters)
    importance = parameters_to_vector([scores.get(parameter, getattr(*parameter)) for parameter in parameters])
    masks = [getattr(module, f"{name}_mask", torch.ones_like(getattr(module, name))) for module, name in parameters]
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    final = container.compute_mask(importance, parameters_to_vector(masks))
    begin = 0
    for module, name in parameters:
        parameter = getattr(module, name)
        end = begin + parameter.numel()
        custom_from_mask(module, name, mask=final[begin:end].view_as(parameter))
        begin = end


def remove(module: Module, name: str) -> Module:
    """Make the pruned tensor the parameter, and remove the mask."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Whether a parameter of the module, or of one in it, is pruned."""
    hooks = [hook for submodule in module.modules() for hook in submodule._forward_pre_hooks.values()]
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)
