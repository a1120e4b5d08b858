"""Operators that are declared by their schema, and the functions that run them, their kernels: `define` and `impl`.

    torch.library.define("mylib::twice", "(Tensor x) -> Tensor")
    torch.library.impl("mylib::twice", "cpu")(lambda x: 2 * x)
    torch.ops.mylib.twice(torch.ones(2))

A kernel is for a type of device, or for all. Of a call, the first tensor's device decides; a kernel for autograd comes
first where a gradient is recorded. What an operator does within its kernel is recorded, unless `register_autograd`
gives it a derivative: then it is one node.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorglass.core.errors import explained
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

#: The keys of kernels that run on whatever device the tensors are on, in the order in which they are asked for.
EVERYWHERE = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd", "")

_PARAMETER = re.compile(r"(?P<kind>[^=]*?)\s*\b(?P<name>\w+)\s*(?:=\s*(?P<default>.*))?$")


def key_of(device_type: str) -> str:
    """The key of kernels for a type of device, in PyTorch's spelling: "CPU" for "cpu"; "" for "default"."""
    if device_type in ("default", ""):
        return "CompositeExplicitAutograd"
    return device_type.upper() if device_type in ("cpu", "cuda", "mps", "xpu") else device_type.capitalize()


def signature_of(schema: str) -> inspect.Signature:
    """What a call of an operator with this schema, ``"(Tensor x, int n=2) -> Tensor"``, may give."""
    inside = schema[schema.index("(") + 1 : _closing(schema, schema.index("("))]
    parameters = []
    is_named = False
    for part in filter(None, (part.strip() for part in re.split(r",(?![^(\[]*[)\]])", inside))):
        if part == "*":
            is_named = True
            continue
        match = _PARAMETER.match(part)
        if match is None or not match["kind"]:
            raise RuntimeError(f"expected a type and a name in {part!r} of the schema {schema}")
        kind = inspect.Parameter.KEYWORD_ONLY if is_named else inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = inspect.Parameter.empty if match["default"] is None else _default(match["default"])
        parameters.append(inspect.Parameter(match["name"], kind, default=default, annotation=match["kind"]))
    return inspect.Signature(parameters)


def _closing(text: str, opening: int) -> int:
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    raise RuntimeError(f"expected ) at the end of the arguments in {text!r}")


def _default(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):  # a word, such as "Mean", which is a number in PyTorch's C++
        return text


class DeclaredOperator:
    """An operator that has a name and a schema, and kernels as they are given."""

    def __init__(self, name: str, schema: str) -> None:
        self.name = name
        self.schema = f"{name}{schema}"
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.signature = signature_of(schema)
        #: what computes it where `register_autograd` has given it a derivative
        self.with_derivative: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.check(args, kwargs)
        if self.with_derivative is not None:
            return self.with_derivative(*args, **kwargs)
        return self.run(*args, **kwargs)

    def check(self, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """PyTorch's RuntimeError for arguments that the schema does not take."""
        try:
            self.signature.bind(*args, **kwargs)
        except TypeError as error:
            match = re.match(r"missing a required (?:\S+ )?argument: '(\w+)'", str(error))
            wrong = f"is missing value for argument '{match[1]}'." if match else f"{error}."
            raise RuntimeError(f"{self.name}() {wrong} Declaration: {self.schema}") from None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the kernel for these arguments."""
        tensors = list(_tensors([*args, *kwargs.values()]))
        place = tensors[0].device.type if tensors else "cpu"
        keys = [key_of(place), *EVERYWHERE]
        if place == "meta":
            keys = ["Meta", *EVERYWHERE]
        if state.grad and any(requires_grad(tensor) for tensor in tensors):
            keys = [f"Autograd{key_of(place)}", "Autograd", *keys]
        for key in (*keys, "Autograd"):
            if key in self.kernels:
                return self.kernels[key](*args, **kwargs)
        raise explained(
            NotImplementedError(
                f"Could not run '{self.name}' with arguments from the '{key_of(place)}' backend. This could be because "
                "the operator doesn't exist for this backend"
            ),
            f"It has kernels for {', '.join(self.kernels) or 'nothing yet'}. Add one with torch.library.impl.",
        )


def _tensors(values: Iterable[Any]) -> Iterable[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
