"""Random programs about gradients, written as Python text, so that one program runs on PyTorch and on tensorglass.

A program is a list of statements over variables v0, v1, …, each holding a tensor, and a list `calls`, in which hooks
write down what they were called with. Statements mix leaves, views, in-place writes, modes, hooks and backwards;
many are refused, and the refusals are part of the comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from parity.programs.writer import run

Choice = tuple[int, Callable[[str, Any], str]]

SIZES = ((), (2,), (3,), (2, 3), (3, 2), (2, 2), (1, 2), (2, 1, 3), (0,))
DTYPES = ("float64",) * 8 + ("float32", "float32", "complex128", "int64")
NAMES_THAT_STAY = ("torch", "calls")


class Writer:
    """Writes one program. It runs each statement on the oracle as it is written, to know the tensors for the next
    one."""

    def __init__(self, seed: int, oracle: Any) -> None:
        self.random = Random(seed)
        self.oracle = oracle
        self.values: dict[str, Any] = {"torch": oracle, "calls": []}
        self.statements: list[str] = []

    def write(self, length: int) -> list[str]:
        """A program of `length` statements."""
        while len(self.statements) < length:
            names = self._names()
            few = len(names) < 2 or self.random.random() < 0.06
            statement = self._leaf() if few else self._step(names)
            self.statements.append(statement)
            run(statement, self.values)
        self.oracle.set_grad_enabled(True)
        return self.statements

    def _names(self) -> list[str]:
        return [name for name, value in self.values.items() if isinstance(value, self.oracle.Tensor)]

    def _new(self, expression: str) -> str:
        return f"v{len(self.statements)} = {expression}"

    def _leaf(self) -> str:
        random = self.random
        size = random.choice(SIZES)
        count = 1
        for length in size:
            count *= length
        numbers = [random.choice((-2, -1, 0.5, 1, 1.5, 2, 3)) for _ in range(count)]
        dtype = random.choice(DTYPES)
        if dtype == "int64":
            numbers = [int(number) for number in numbers]
        wanted = random.choice((", requires_grad=True", ", requires_grad=True", ""))
        if len(size) < 2 or random.random() < 0.3:
            data: Any = numbers if size else numbers[0]
            if len(size) < 2:
                return self._new(f"torch.tensor({data}, dtype=torch.{dtype}{wanted})")
            data = self.oracle.tensor(numbers).reshape(size).tolist()
            return self._new(f"torch.tensor({data}, dtype=torch.{dtype}{wanted})")
        return self._new(f"torch.full({size}, {numbers[0] if numbers else 1}, dtype=torch.{dtype}{wanted})")

    def _step(self, names: list[str]) -> str:
        random = self.random
        name = random.choice(names)
        if random.random() < 0.75:  # statements about gradients are preferred
            name = random.choice([name for name in names if self.values[name].requires_grad] or names)
        kinds: tuple[Choice, ...] = (
            (7, self._view),
            (8, self._in_place),
            (9, self._compute),
            (3, self._flag),
            (3, self._hook),
            (4, self._backward),
            (2, self._grad),
            (2, self._use_of_grad),
            (1, self._forgotten),
        )
        chosen = random.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0]
        statement = chosen(name, self.values[name])
        if random.random() < 0.12:
            mode = random.choice(
                ("no_grad()", "no_grad()", "enable_grad()", "inference_mode()", "set_grad_enabled(False)",
                 "inference_mode(False)", "autograd.set_detect_anomaly(True)")
            )  # fmt: skip
            if "inference_mode()" in mode and any(word in statement for word in ("grad", "backward", "detach_")):
                return statement  # in inference mode it would fail halfway, and leave inference tensors in the graph
            body = statement.replace("\n", "\n    ")
            return f"with torch.{mode}:\n    {body}"
        return statement

    # --- what may be said ---------------------------------------------------------------------------------------------

    def _dim(self, tensor: Any) -> int:
        return self.random.randrange(-max(tensor.dim(), 1), max(tensor.dim(), 1))

    def _index(self, tensor: Any) -> str:
        random = self.random
        if not tensor.dim():
            return "..."
        options = ["0", "-1", ":1", "1:", "::2", "...", "[0, 0]", "[-1]"]
        if tensor.dim() > 1:
            options += [":, 0", ":, 1:", "..., 0", "0, 1", "1, [0, 0]", ":, [0]"]
        return random.choice(options)

    def _view(self, name: str, tensor: Any) -> str:
        random, dim = self.random, self._dim
        order = list(range(tensor.dim()))
        random.shuffle(order)
        size = tuple(tensor.shape)
        calls = [
            f"{name}[{self._index(tensor)}]", f"{name}[{self._index(tensor)}]", f"{name}.view(-1)",
            f"{name}.view({(1, *size)})", f"{name}.reshape(-1)", f"{name}.flatten()", f"{name}.detach()",
            f"{name}.transpose({dim(tensor)}, {dim(tensor)})", f"{name}.t()", f"{name}.permute({tuple(order)})",
            f"{name}.squeeze()", f"{name}.unsqueeze({dim(tensor)})", f"{name}.expand({(2, *size)})",
            f"{name}.select({dim(tensor)}, {random.randrange(2)})", f"{name}.narrow({dim(tensor)}, 0, 1)",
            f"{name}.diagonal()", f"{name}.as_strided((2,), (1,))", f"{name}.as_strided((2, 2), (1, 0), 0)",
            f"{name}.unbind({dim(tensor)})[{random.randrange(2)}]", f"{name}.split(1, {dim(tensor)})[-1]",
            f"{name}.chunk(2, {dim(tensor)})[0]", f"{name}.unfold({dim(tensor)}, 1, 1)", f"{name}.data",
            f"{name}.contiguous()", f"{name}.view_as({name})",
        ]  # fmt: skip
        if tensor.is_complex():
            calls += [f"{name}.real", f"{name}.imag", f"torch.view_as_real({name})"] * 3
            calls += [f"{name}.conj()"] * (not tensor._is_view())
        if random.random() < 0.08:
            return (
                f"v{len(self.statements)}, w{len(self.statements)} = {name}.{random.choice(('unbind()', 'split(1)'))}"
            )
        return self._new(random.choice(calls))

    def _other(self, tensor: Any) -> str:
        names = self._names()
        fitting = [name for name in names if self.values[name].shape == tensor.shape]
        return self.random.choice(
            (self.random.choice(fitting), self.random.choice(fitting), self.random.choice(names), "2")
        )

    def _in_place(self, name: str, tensor: Any) -> str:
        if tensor.is_inference():  # PyTorch writes first, and then refuses to
            return self._compute(name, tensor)
        random, other = self.random, self._other(tensor)
        index = self._index(tensor)
        calls = (
            f"{name}.add_({other})", f"{name}.mul_({other})", f"{name} *= {other}", f"{name} += {other}",
            f"{name}.sub_({other}, alpha=2)", f"{name}.div_({other})", f"{name}.zero_()", f"{name}.fill_(3)",
            f"{name}.fill_({other})", f"{name}.copy_({other})", f"{name}.neg_()", f"{name}.sin_()",
            f"{name}.tanh_()", f"{name}.clamp_(-1, 1)", f"{name}.relu_()", f"{name}.square_()",
            f"{name}[{index}] = {other}", f"{name}[{index}] = 5", f"{name}[{index}] *= 2",
            f"{name}[{index}] += {other}", f"{name}.data.mul_(2)", f"{name}.detach().mul_(2)",
            f"{name}.masked_fill_({name}.detach() != 1, 0.5)", f"{name}.addcmul_({other}, {name})",
            f"with torch.no_grad():\n    {name}.mul_(0.5)", f"with torch.no_grad():\n    {name}[{index}] = 1",
            f"{name}.view(-1).mul_(2)", f"{name}.detach()[{index}] = 1",
        )  # fmt: skip
        return random.choice(calls)

    def _compute(self, name: str, tensor: Any) -> str:
        random, other, dim = self.random, self._other(tensor), self._dim(tensor)
        calls = (
            f"{name} + {other}", f"{name} * {other}", f"{name} * {name}", f"{name} - {other}", f"{other} / {name}",
            f"{name}.sin()", f"{name}.tanh()", f"{name}.exp()", f"{name}.sigmoid()", f"{name}.abs()", f"{name} * 2",
            f"{name} ** 2", f"{name}.sum()", f"{name}.sum()", f"{name}.mean({dim})", f"{name}.prod()",
            f"{name}.clone()", f"{name}.clone()", f"torch.cat([{name}, {name}])", f"torch.stack([{name}, {other}])",
            f"torch.where({name}.detach() == 1, {name}, {other})", f"{name}.max()", f"{name}.sum({dim}, True)",
            f"{name}.amax({dim})", f"{name} @ {other}", f"{name} @ {name}.mT", f"{name}.to(torch.float64)",
            f"{name}.float()", f"{name}.relu()", f"{name}.sqrt()", f"{name}.repeat(2)",
            f"{name}[{self._index(tensor)}] * 3", f"{name}.detach() * {name}", f"{name}.floor()", f"{name} > 0",
            f"torch.zeros_like({name})",
            f"{name}.to(torch.int64)" if not tensor.is_complex() else f"{name}.abs()",
        )  # fmt: skip
        return self._new(random.choice(calls))

    def _flag(self, name: str, tensor: Any) -> str:
        if tensor._is_view() and tensor._base.is_leaf:
            return f"{name}.requires_grad_(False)"  # not `retain_grad`, which is a hook: see `_hook`
        asked = f"{name}.grad_fn; " if tensor._is_view() else ""
        return self.random.choice(
            (f"{name}.requires_grad_()", f"{name}.requires_grad_(False)", f"{name}.requires_grad = True",
             f"{name}.detach_()", *[f"{asked}{name}.retain_grad()"] * 3,
             f"{name} = {name}.detach()")
        )  # fmt: skip

    def _hook(self, name: str, tensor: Any) -> str:
        if tensor._is_view() and tensor._base.is_leaf:
            return self._compute(name, tensor)  # PyTorch 2.13 crashes if the leaf was written to in no_grad
        # It also crashes for a view whose base was written to, unless the view's `grad_fn` was read since.
        asked = f"{name}.grad_fn; " if tensor._is_view() else ""
        number = len(self.statements)
        note_leaf = f"calls.append(({number}, leaf.grad.clone()))"
        note = f"calls.append(({number}, grad.detach().clone()))"
        nodes = f"calls.append(({number}, *[g if g is None else g.detach().clone() for g in (*found, *given)]))"
        before = f"calls.append(({number}, *[g if g is None else g.detach().clone() for g in given]))"
        return self.random.choice(
            (
                f"{asked}{name}.register_hook(lambda grad: {note})",
                f"{asked}{name}.register_hook(lambda grad: {note})",
                f"{asked}{name}.register_hook(lambda grad: ({note}, grad * 2)[1])",
                f"{asked}{name}.register_hook(lambda grad: grad.zero_())",
                f"{asked}{name}.register_hook(lambda grad: grad.sum())",
                f"{asked}{name}.register_hook(lambda grad: {note}).remove()",
                f"{asked}{name}.register_post_accumulate_grad_hook(lambda leaf: {note_leaf})",
                f"{name}.grad_fn.register_hook(lambda found, given: {nodes})",
                f"{name}.grad_fn.register_prehook(lambda given: {before})",
                f"{name}.grad_fn.register_prehook(lambda given: tuple(g if g is None else g * 2 for g in given))",
                f"{name}.grad_fn.register_hook(lambda found, given: tuple(g if g is None else g * 2 for g in found))",
            )
        )

    def _flags_of_walk(self) -> str:
        return self.random.choice(
            ("", "", "", ", retain_graph=True", ", retain_graph=True", ", create_graph=True", ", create_graph=True",
             ", retain_graph=False, create_graph=True")
        )  # fmt: skip

    def _source(self, names: list[str]) -> str:
        """A tensor to start the backward pass from: most often a computed scalar."""
        fitting = [name for name in names if self.values[name].requires_grad] or names
        computed = [name for name in fitting if self.values[name].dim() == 0] or fitting
        name = self.random.choice(
            (self.random.choice(computed), self.random.choice(computed), self.random.choice(names))
        )
        return self.random.choice((f"{name}.sum()", f"{name}.sum()", f"({name} * {name}).sum()", name))

    def _backward(self, name: str, tensor: Any) -> str:
        random = self.random
        names = self._names()
        source, flags = self._source(names), self._flags_of_walk()
        if random.random() < 0.2:
            inputs = ", ".join(random.sample(names, random.choice((1, 2))))
            flags += f", inputs=[{inputs}]"
        if random.random() < 0.15:
            return f"torch.autograd.backward([{source}, {self._source(names)}]{flags})"
        if random.random() < 0.25:
            whole = source.split(".")[0].strip("(")
            return f"{whole}.backward(torch.ones_like({whole}){flags})"
        return f"{source}.backward({flags.removeprefix(', ')})"

    def _grad(self, name: str, tensor: Any) -> str:
        random = self.random
        names = self._names()
        wanted = [name for name in names if self.values[name].requires_grad] or names
        inputs = ", ".join(random.choices(wanted, k=random.choice((1, 1, 2))))
        flags = self._flags_of_walk()
        flags += random.choice(("", "", ", allow_unused=True", ", allow_unused=True", ", materialize_grads=True"))
        return self._new(f"torch.autograd.grad({self._source(names)}, [{inputs}]{flags})[0]")

    def _use_of_grad(self, name: str, tensor: Any) -> str:
        other = self._other(tensor)
        return self.random.choice(
            (f"{name}.grad = None", f"{name}.grad = {other}.detach()", f"{name}.grad = {other}", f"{name}.grad.zero_()",
             f"{name}.grad *= 2", self._new(f"{name}.grad"), self._new(f"{name}.grad"), f"del {name}.grad",
             f"with torch.no_grad():\n    {name} -= 0.1 * {name}.grad", self._new(f"{name}.grad * {name}"))
        )  # fmt: skip

    def _forgotten(self, name: str, tensor: Any) -> str:
        return f"del {name}"
