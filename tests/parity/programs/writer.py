"""Random programs about tensors, written as Python text, so that one program runs on PyTorch and on tensorglass.

A program is a list of statements over variables v0, v1, …, each holding a tensor. Every statement is drawn with
arguments that mostly fit the tensor it is applied to, and sometimes do not: errors are part of the comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

DTYPES = ("float32", "float64", "int64", "int32", "uint8", "bool", "int16", "float16", "complex64")


class Writer:
    """Writes one program. It runs each statement on the oracle as it goes, to know the sizes that come next."""

    def __init__(self, seed: int, oracle: Any) -> None:
        self.random = Random(seed)
        self.oracle = oracle
        self.values: dict[str, Any] = {"torch": oracle}
        self.statements: list[str] = []

    def write(self, length: int) -> list[str]:
        """A program of `length` statements, or of fewer: it ends before one whose outcome is not specified."""
        for _ in range(length):
            names = [name for name in self.values if name != "torch"]
            statement = self._creation() if len(names) < 2 or self.random.random() < 0.1 else self._step(names)
            is_specified = not reads_what_it_writes(statement, self.values)
            error = run(statement, self.values)
            if error is None and not is_specified:
                break
            self.statements.append(statement)
        return self.statements

    # --- what may be said -----------------------------------------------------------------------------------------

    def _new(self, expression: str) -> str:
        return f"v{len(self.statements)} = {expression}"

    def _creation(self) -> str:
        random = self.random
        size = tuple(random.choice((0, 1, 1, 2, 3, 4)) for _ in range(random.choice((0, 1, 2, 2, 3, 3, 4))))
        count = 1
        for length in size:
            count *= length
        dtype = f"torch.{random.choice(DTYPES)}"
        kind = random.randrange(6)
        if kind == 0:
            return self._new(f"torch.full({size}, {random.choice((0, 1, 2, 7))}, dtype={dtype})")
        if kind == 1:
            return self._new(f"torch.eye({random.randrange(5)}, {random.randrange(5)}, dtype={dtype})")
        if kind == 2:
            return self._new(f"torch.linspace(0, 7, {count}).reshape({size})")
        return self._new(f"torch.arange({count}).reshape({size}).to({dtype})")

    def _step(self, names: list[str]) -> str:
        name = self.random.choice(names)
        kinds: tuple[tuple[int, Callable[[str, Any], str]], ...] = (
            (10, self._view),
            (6, self._index),
            (3, self._write),
            (3, self._in_place),
            (3, self._compute),
            (2, self._copy),
            (1, self._reduce),
        )
        chosen = self.random.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0]
        return chosen(name, self.values[name])

    def _dim(self, tensor: Any) -> int:
        ndim = tensor.dim()
        if self.random.random() < 0.05:
            return self.random.choice((ndim, -ndim - 1, ndim + 3))
        return self.random.randrange(-max(ndim, 1), max(ndim, 1))

    def _shape_of(self, count: int) -> tuple[int, ...]:
        """A size for `count` elements, or nearly."""
        random = self.random
        shape = []
        rest = count
        while rest > 1 and len(shape) < 4:
            factors = [factor for factor in range(2, rest + 1) if rest % factor == 0]
            factor = random.choice(factors)
            shape.append(factor)
            rest //= factor
        if count == 0:
            shape = [0, 2]
        for _ in range(random.randrange(2)):
            shape.insert(random.randrange(len(shape) + 1), 1)
        random.shuffle(shape)
        if shape and random.random() < 0.2:
            shape[random.randrange(len(shape))] = -1
        if random.random() < 0.05:
            shape.append(2)
        return tuple(shape)

    def _view(self, name: str, tensor: Any) -> str:
        random, dim = self.random, self._dim
        size = list(tensor.shape)
        order = list(range(tensor.dim()))
        random.shuffle(order)
        expanded = tuple(random.choice((2, 3)) if n == 1 else random.choice((n, -1)) for n in size)
        step = random.choice((1, 1, 2, 3))
        steps = tuple(random.choice((0, 1, 2)) for _ in size[:2])
        calls = (
            f"view({self._shape_of(tensor.numel())})",
            f"reshape({self._shape_of(tensor.numel())})",
            f"flatten({dim(tensor)}, {dim(tensor)})",
            "ravel()",
            f"transpose({dim(tensor)}, {dim(tensor)})",
            "t()",
            "mT",
            f"permute({tuple(order)})",
            f"movedim({dim(tensor)}, {dim(tensor)})",
            "squeeze()",
            f"squeeze({dim(tensor)})",
            f"unsqueeze({dim(tensor)})",
            f"expand({expanded})",
            f"expand({(2, *expanded)})",
            f"narrow({dim(tensor)}, {random.randrange(3)}, {random.randrange(3)})",
            f"select({dim(tensor)}, {random.randrange(-2, 3)})",
            f"split({random.choice((1, 2))}, {dim(tensor)})[0]",
            f"chunk({random.choice((1, 2, 3))}, {dim(tensor)})[-1]",
            f"tensor_split({random.choice((1, 2, 3))}, {dim(tensor)})[-1]",
            f"unbind({dim(tensor)})[-1]",
            f"diagonal({random.randrange(-1, 2)}, {dim(tensor)}, {dim(tensor)})",
            f"unfold({dim(tensor)}, {random.choice((1, 2))}, {step})",
            f"as_strided({tuple(size[:2])}, {steps}, {random.randrange(3)})",
            # The bits of floats differ in the last place where libraries round a function differently.
            f"view(torch.{random.choice(DTYPES)})" if not tensor.dtype.is_floating_point else "view(-1)",
            "real",
            "detach()",
            "contiguous()",
            f"swapaxes({dim(tensor)}, {dim(tensor)})",
            f"unflatten({dim(tensor)}, ({random.choice((1, 2))}, -1))",
            "data",
        )
        return self._new(f"{name}.{random.choice(calls)}")

    def _slice(self) -> str:
        ends = ("", "", "1", "2", "-1", "-2", "5")
        step = self.random.choice(("", "", ":2", ":3"))
        return f"{self.random.choice(ends)}:{self.random.choice(ends)}{step}"

    def _index_expression(self, tensor: Any, basic: float) -> str:
        random = self.random
        parts = []
        for length in tensor.shape:
            draw = random.random()
            if draw < 0.15:
                break
            if draw < basic:
                parts.append(random.choice((self._slice(), self._slice(), str(random.randrange(-2, 2)), "None", "...")))
            else:
                bound = max(length, 1)
                ints = [random.randrange(-bound, bound) for _ in range(random.choice((1, 2, 2)))]
                mask = [random.random() < 0.5 for _ in range(length)]
                parts.append(
                    random.choice(
                        (
                            str(ints),
                            f"torch.tensor({ints})",
                            f"torch.tensor([{ints}])",
                            f"torch.tensor({mask}, dtype=torch.bool)",
                        )
                    )
                )
        if parts.count("...") > 1:
            parts = [part for part in parts if part != "..."]
        return ", ".join(parts) or "..."

    def _index(self, name: str, tensor: Any) -> str:
        return self._new(f"{name}[{self._index_expression(tensor, self.random.choice((1.0, 1.0, 0.6)))}]")

    def _write(self, name: str, tensor: Any) -> str:
        index = self._index_expression(tensor, self.random.choice((1.0, 0.7)))
        if self.random.random() < 0.15 and tensor.dim():
            index = f"{name} > 2"
        value = self.random.choice(("0", "5", "1.5", "True", f"{name}[{index}]", "torch.tensor([1, 2])"))
        return f"{name}[{index}] = {value}"

    def _other(self, tensor: Any) -> str:
        names = [name for name, value in self.values.items() if name != "torch"]
        fitting = [name for name in names if self.values[name].shape == tensor.shape]
        return self.random.choice((self.random.choice(names), self.random.choice(fitting), "2", "1.5", "True", "-1"))

    def _mask(self, tensor: Any) -> str:
        """A condition, mostly of bools and mostly of a size that fits."""
        names = [name for name in self.values if name != "torch"]
        fitting = [name for name in names if self.values[name].shape == tensor.shape]
        name = self.random.choice((self.random.choice(names), self.random.choice(fitting), self.random.choice(fitting)))
        return self.random.choice((f"{name} > 2", f"{name} != 1", f"{name}", "torch.tensor(True)"))

    def _in_place(self, name: str, tensor: Any) -> str:
        other = self._other(tensor)
        calls = (
            f"add_({other})", f"mul_({other})", f"sub_({other})", "zero_()", "fill_(3)", f"copy_({other})", "neg_()",
            "clamp_(1, 4)", f"add_({other}, alpha=2)", f"div_({other})", f"masked_fill_({self._mask(tensor)}, {other})",
        )  # fmt: skip
        return f"{name}.{self.random.choice(calls)}"

    def _compute(self, name: str, tensor: Any) -> str:
        other = self._other(tensor)
        calls = (
            f"{name} + {other}", f"{name} * {other}", f"{name} - {other}", f"{name} / {other}", f"{name} > {other}",
            f"{name} == {other}", f"-{name}", f"{name}.abs()", f"{name}.exp()",
            f"{name}.sqrt()", f"torch.maximum({name}, {name})", f"torch.cat([{name}, {name}], {self._dim(tensor)})",
            f"torch.stack([{name}, {name}], {self._dim(tensor)})", f"{name}.clamp(min=1)",
            f"torch.where({self._mask(tensor)}, {name}, {other})", f"{name}.masked_fill({self._mask(tensor)}, {other})",
        )  # fmt: skip
        return self._new(self.random.choice(calls))

    def _copy(self, name: str, tensor: Any) -> str:
        calls = (
            "clone()", f"to(torch.{self.random.choice(DTYPES)})", "contiguous()", "float()", "long()",
            "clone(memory_format=torch.contiguous_format)", "repeat(2, 1, 1, 1)", f"flip({self._dim(tensor)})",
        )  # fmt: skip
        return self._new(f"{name}.{self.random.choice(calls)}")

    def _reduce(self, name: str, tensor: Any) -> str:
        call = self.random.choice(("sum", "amax", "any", "all", "argmax", "prod", "mean"))
        arguments = self.random.choice(("", f"{self._dim(tensor)}", f"{self._dim(tensor)}, True"))
        return self._new(f"{name}.{call}({arguments})")


def reads_what_it_writes(statement: str, values: dict[str, Any]) -> bool:
    """Whether a call in place reads a cell for one element that it writes for another.

    Where PyTorch does not refuse such a call, its outcome depends on vector width (docs/differences.md).
    """
    match = re.fullmatch(r"(v\d+)\.(add|mul|sub|div|neg|clamp|copy|masked_fill)_\((.*)\)", statement)
    if match is None:
        return False
    target = values[match[1]]
    others = [values[name] for name in re.findall(r"v\d+\b(?! )", match[3])]  # not v1 in "v1 > 2"
    if match[2] not in ("copy", "masked_fill"):
        others.append(target)
    written = _bytes_of(target)
    return any(
        other.untyped_storage().data_ptr() == target.untyped_storage().data_ptr()
        and not set(_bytes_of(other)).isdisjoint(written)
        and (_bytes_of(other) != written or len(set(written)) < len(written))
        for other in others
    )


def _bytes_of(tensor: Any) -> list[int]:
    """Where in its storage each element of a tensor begins and goes on, element by element."""
    width = tensor.element_size()
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    places = product(*[[index * step for index in range(length)] for length, step in steps])
    starts = [width * (tensor.storage_offset() + sum(place)) for place in places]
    return [start + place for start in starts for place in range(width)]


def run(statement: str, values: dict[str, Any]) -> BaseException | None:
    """Run a statement over `values`, and return the exception that it raised, if any."""
    try:
        exec(statement, values)
    except Exception as error:  # whatever it is, it is compared
        return error
    finally:
        for name in ("__builtins__", "__warningregistry__"):
            values.pop(name, None)
    return None
