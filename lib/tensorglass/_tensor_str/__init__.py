"""``torch._tensor_str``: the text of a tensor's numbers, and the options of printing, which libraries ask for."""

from __future__ import annotations

from typing import Any

from tensorglass.tensor import printing
from tensorglass.tensor.printing import PrintOptions, get_printoptions, printoptions, set_printoptions, values_text
from tensorglass.tensor.tensor import Tensor

__all__ = ["PRINT_OPTS", "_str", "_tensor_str", "get_printoptions", "printoptions", "set_printoptions"]


class _Current:
    """The options that hold now; setting one changes it for all that is printed from now on."""

    def __getattr__(self, name: str) -> Any:
        if name not in PrintOptions._fields:
            raise AttributeError(f"there is no option {name!r} of printing", name=name, obj=self)
        return get_printoptions()[name]

    def __setattr__(self, name: str, value: Any) -> None:
        set_printoptions(**{"sci_mode": self.sci_mode, name: value})


PRINT_OPTS = _Current()


def _str(self: Tensor, *, tensor_contents: str | None = None) -> str:
    """The text of a tensor, or of one whose numbers are written so."""
    return printing.tensor_repr(self, tensor_contents)


def _tensor_str(self: Tensor, indent: int) -> str:
    """The text of a tensor's numbers, whose lines are indented by so many characters."""
    return values_text(self, indent)
