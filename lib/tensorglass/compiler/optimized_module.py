"""What ``torch.compile`` makes of a network: a module around it, as in PyTorch, whose attributes are the network's.

Programs meet it in names: its state dictionary has ``_orig_mod.`` before each of them.
"""

from __future__ import annotations

from typing import Any

from tensorglass.nn.modules.module import Module

__all__ = ["OptimizedModule"]


class OptimizedModule(Module):
    """`mod` with all of its attributes; a call goes to it. Hooks registered here run around its own."""

    _orig_mod: Module

    def __init__(self, mod: Module, dynamo_ctx: Any = None) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the network computes."""
        return self._orig_mod(*args, **kwargs)

    @property
    def training(self) -> bool:
        """Whether the network is in training mode."""
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        if "_orig_mod" in self.__dict__.get("_modules", ()):  # not yet in `Module.__init__`
            self._orig_mod.training = mode

    def __getattr__(self, name: str) -> Any:
        original = self.__dict__["_modules"]["_orig_mod"]
        return original if name == "_orig_mod" else getattr(original, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set the attribute on the network, except for the fields of this module itself."""
        if name in _OWN or "_orig_mod" not in self.__dict__.get("_modules", ()):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __len__(self) -> int:
        original: Any = self._orig_mod
        if not hasattr(original, "__len__"):
            raise TypeError(f"{type(original).__name__} does not support len()")
        return len(original)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    def __bool__(self) -> bool:
        return True


_OWN = {"_orig_mod", "training", "forward", *vars(Module())}
