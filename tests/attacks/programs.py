"""Random programs about gradients of gradients, run with the library's shortcuts, without them, and on PyTorch.

`program` writes the text of one; `run` runs many, each three times in one process for every way of running it, because
a shortcut often begins with the second call. What the ways must agree on: values, dtypes, sizes, strides, offsets,
versions, the flags and nodes of the graph, gradients, and refusals.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any, TypedDict

REPEATS = 3
#: The ways of running a program: the library, and whether shortcuts are on. The first pair is compared first.
WAYS = {"plain": ("tensorglass", "0"), "fast": ("tensorglass", "1"), "PyTorch": ("torch", "1")}
#: The facts about gradients that must be equal in both libraries. Versions, strides and nodes depend on how formulas
#: are written, and so does `requires_grad` of a function's gradients. Shortcuts may change none of these facts.
OF_GRADIENTS = dict.fromkeys(("g", "h", "i", "k", "grad"), ("dtype", "size", "elements", "requires_grad"))
OF_GRADIENTS["r"] = ("dtype", "size", "elements")
#: How far elements may be apart, relatively and absolutely: libraries round differently in the last places.
TOLERANCE = 1e-6
#: What PyTorch says where a program meets a fault of its own, or what its `vmap` has no rule for: then there is nothing
#: to compare with.
OWN_FAULTS = (
    "please report a bug to PyTorch",
    "please report an enhancement request to PyTorch",
    "Batching rule not implemented for",
)

#: The layouts of operands: the size of the base, and the view of it that the program uses.
LAYOUTS = {
    "packed": ((2, 3), ""),
    "transposed": ((3, 2), ".t()"),
    "sliced": ((2, 6), "[:, ::2]"),
    "from an offset": ((3, 3), "[1:]"),
    "expanded": ((3,), ".expand(2, 3)"),
    "channels last": ((2, 2, 2, 3), ".permute(0, 3, 1, 2)"),
    "permuted": ((2, 3, 2), ".permute(2, 0, 1)"),
    "one row": ((2, 1, 3), "[1].t().t()"),
    "no dimensions": ((2, 3), "[1, 1]"),
    "no elements": ((3, 0), ".t()"),
    "conjugated": ((2, 3), ".conj()"),
}
NOT_OF_FUNCTIONS = ("expanded", "no elements")  #: only PyTorch refuses forward mode and Jacobians of these
KEEP_THE_SIZE = """
{}.exp(); {}.exp2(); {}.expm1(); {}.tanh(); {}.sigmoid(); {}.sqrt(); {}.rsqrt(); {}.reciprocal(); {}.relu(); {}.tan()
{}.erfinv(); {}.sin(); {}.cos(); {}.log(); {}.log1p(); {}.square(); {}.abs(); {}.erf(); {}.atan(); {}.asin(); {}.sinh()
{}.cosh(); {}.softmax(0); {}.log_softmax(-1); {}.cumsum(0); {}.cumprod(-1); {}.clamp(0.3, 0.7); {}.clamp(min=0.25)
{} ** 2; {} ** 3; {} ** 0.5; {} ** -1; 2 ** {}; {} * 3; 3 * {}; {} + 1; 1 - {}; {} / 2; 2 / {}; -{}; {}.neg()
{} * {}; {} + {}; {} - {}; {} / {}; {} ** {}; {}.mul({}); torch.add({}, {}, alpha=2); torch.maximum({}, {})
torch.atan2({}, {}); torch.hypot({}, {}); torch.where({} > 0.5, {}, {}); torch.lerp({}, {}, 0.25); {}.addcmul({}, {})
torch.addcdiv({}, {}, {}, value=2); {}.masked_fill({} > 0.6, 2.0); {}.clone(); {}.contiguous(); {}.double()
{}.lgamma(); {}.xlogy({}); {}.detach() * {}; {}.real.nan_to_num(); {}.sign() * {}
{}.sort(0)[0]; {}.double(); {}.to(torch.float64); {}.softmax(-1) * {}; {}.conj() * {}
{}.cummax(0)[0]; {}.real * {}
""".replace("\n", ";")
CHANGE_THE_SIZE = """
{}.t(); {}.mT; {}[1:]; {}[..., ::2]; {}[0]; {}[-1]; {}[None]; {}[..., 0]; {}.unsqueeze(-1); {}.reshape(-1)
{}.transpose(0, -1); {}.flatten(); {}.squeeze(); {}.expand(2, *{}.shape); {}.diagonal(); {}.unbind(0)[0]; {}.ravel()
{}.split(1)[0]; {}.chunk(2)[-1]; {}.narrow(0, 0, 1); {}.select(0, 0); {}.view(-1); {}.movedim(0, -1); {}.unfold(0, 2, 1)
{}.sum(); {}.sum(0); {}.sum(-1, keepdim=True); {}.mean(); {}.mean(0); {}.prod(); {}.prod(0); {}.amax(0); {}.amax()
{}.max(); {}.min(0)[0]; {}.var(); {}.var(0); {}.std(-1); {}.norm(); {}.norm(dim=0); {}.logsumexp(0); {}.median()
{}.view_as({}); {}.tril(); {}[[0, 0]]; {}[torch.tensor([0, -1])]; {}[{} > 0.5]; {}.index_select(0, torch.tensor([0, 0]))
{}.gather(0, torch.zeros_like({}, dtype=torch.int64)); torch.cat([{}, {}]); torch.stack([{}, {}], -1)
{}.take(torch.tensor([0])); {}.repeat(2, 1, 1); {}.var(0, keepdim=True)
{} @ {}.mT; {}.mT @ {}; torch.einsum('i...,j...->ij', {}, {}); {}.flatten() @ {}.flatten(); {}.trace(); {}.outer({})
{}.flip(0); {}.roll(1, 0); {}.logit(); ({} / 3).sinc()
{}.dist({}); {}.cumsum(0).amin(-1); torch.linalg.vector_norm({}, 3); {}.tile(2); {}.topk(1, 0)[0]
""".replace("\n", ";")
WRITES = """
{}.mul_(2); {}.add_({}); {}.exp_(); {}.tanh_(); {}.sqrt_(); {}.copy_({}); {}.zero_(); {}.fill_(0.5); {}[0] = {}[-1]
{}[..., 0] = 0.5; {}[1:].mul_({}[1:]); {}.t().sigmoid_(); {}[0].div_(2); {}.neg_(); {}.clamp_(0.3, 0.7); {}.pow_(2)
{}[{} > 0.5] = 0.25; {}.masked_fill_({} > 0.6, 0.5); {}.detach().mul_(1); {}.transpose(0, -1).reciprocal_(); {}.relu_()
(lambda t: t.index_fill_(0, torch.arange(t.size(0))[:1], 0.5))({}); {}.unsqueeze(0).square_(); {}.mul_({})
{}.sub_({}, alpha=0.5)
{}.sigmoid_(); {}.requires_grad_(); {}.retain_grad(); {}.register_hook(lambda g: g * 2); {}.detach_(); {}.data.mul_(2)
{}.cumsum_(0)
""".replace("\n", ";")
#: What is asked of the last value `y` of a program; `x` is what gradients flow to. Squares of
#: absolute values are differentiable everywhere; PyTorch's derivatives of absolute values are 0 at 0, not infinite.
ENDINGS = {
    "gradient of a gradient": [
        "g, = torch.autograd.grad((y * y.conj()).real.sum(), x, create_graph=True)",
        "h, = torch.autograd.grad((g * g.conj()).real.sum(), x, create_graph=True)",
        "i, = torch.autograd.grad((h * h.conj()).real.sum(), x, allow_unused=True)",
    ],
    "gradient penalty": [
        "g, = torch.autograd.grad((y * y.conj()).real.sum(), x, create_graph=True)",
        "((y * y.conj()).real.mean() + (g.norm(2) - 1) ** 2).backward()",
    ],
    "with respect to both": [
        "g, k = torch.autograd.grad((y * y.conj()).real.sum(), (x, w), create_graph=True, allow_unused=True)",
        "h = torch.autograd.grad((g * g).real.sum(), (x, w), retain_graph=True, allow_unused=True)",
        "h = torch.autograd.grad((k * g).real.sum(), (x, w), allow_unused=True)",
    ],
    "backward": ["(y * y.conj()).real.sum().backward()", "y.real.sum().backward()"],
    "backward of lengths": ["y.abs().sum().backward()", "y.abs().sum().backward()"],
    "backward that keeps the graph": [
        "(y * y.conj()).real.sum().backward(retain_graph=True)",
        "y.backward(torch.ones_like(y))",
    ],
    "recorded backward": [
        "(y * y.conj()).real.sum().backward(create_graph=True)",
        "x.grad.tanh().real.sum().backward()",
    ],
}
#: The same for a function `f` of one tensor, at `x` or at `d`, which does not require gradients.
ENDINGS_OF_FUNCTIONS = """
torch.autograd.functional.hessian(f, x); torch.autograd.functional.hvp(f, x, torch.ones_like(x))
torch.autograd.functional.vhp(f, x, torch.ones_like(x), create_graph=True); torch.func.grad(f)(d)
torch.func.hessian(f)(d)
torch.autograd.functional.jacobian(torch.func.grad(f), x); torch.func.jacrev(torch.func.grad(f))(d)
torch.func.jvp(f, (d,), (torch.ones_like(d),)); torch.func.vjp(f, d)[1](torch.ones_like(f(d)))
torch.func.grad(lambda a: torch.func.grad(f)(a).square().sum())(d); torch.func.vmap(torch.func.grad(f))(d)
torch.autograd.grad(torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False), x); f(x).backward(create_graph=True)
torch.autograd.grad(Twice.apply(f(Twice.apply(x))), x, create_graph=True)[0].tanh().real.sum().backward()
torch.func.jvp(torch.func.grad(f), (d,), (torch.ones_like(d),)); torch.func.jacfwd(f)(d)
""".replace("\n", ";")
#: A function of your own, which programs call.
TWICE = """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * 2
    @staticmethod
    def backward(ctx, grad):
        return 4 * ctx.saved_tensors[0] * grad
"""


def _all(text: str) -> list[str]:
    return [name.strip() for name in text.split(";") if name.strip()]


_SAME, _OTHER, _WRITES, _FUNCTIONS = map(_all, (KEEP_THE_SIZE, CHANGE_THE_SIZE, WRITES, ENDINGS_OF_FUNCTIONS))


def _leaf(random: Random, layout: str, name: str) -> list[str]:
    """Statements that make `name`, laid out in one way: a leaf itself, or a view of the leaf ``name_base``."""
    size, view = LAYOUTS[layout]
    first = random.choice((2, 3))
    places = f"torch.arange({first}, {first + math.prod(size)}, dtype=torch.float64)"
    numbers = f"{places}.square().remainder(97).div(140).add(0.2)"  # from 0.2 to 0.9, shuffled, all different
    reshaped = f"{numbers}.reshape({size})" + (".add(0.25j)" if layout == "conjugated" else "")
    if random.random() < 0.7:
        return [f"{name} = ({reshaped}){view}.requires_grad_()"]
    return [f"{name}_base = ({reshaped}).requires_grad_()", f"{name} = {name}_base{view}"]


def _filled(random: Random, form: str, names: list[str], first: str | None = None) -> str:
    """A form with a name in each of its gaps."""
    head, *rest = form.split("{}")
    given = [first or random.choice(names), *[random.choice(names[-3:]) for _ in rest[1:]]]
    return head + "".join(name + text for name, text in zip(given, rest, strict=False))


def program(seed: int) -> str:
    """The text of a program: a statement a line. The same for the same seed, and made without running anything."""
    random = Random(seed)
    of_function = random.random() < 0.3
    layout = random.choice([candidate for candidate in LAYOUTS if not (of_function and candidate in NOT_OF_FUNCTIONS)])
    others = [layout] if of_function else [layout, layout, "packed"]
    lines = [*_leaf(random, layout, "x"), *_leaf(random, random.choice(others), "w")]
    if of_function:
        inner = "x"
        for form in random.choices(_SAME, k=random.randrange(1, 4)):
            inner = _filled(random, form, ["w", "x"], f"({inner})")
        function = f"f = lambda x: ({inner}).square().real.sum()"
        return "\n".join([*lines, "d = x.detach()", function, f"r = {random.choice(_FUNCTIONS)}"])
    names = ["x", "w"]
    for number in range(random.randrange(1, 5)):
        kind = random.random()
        if kind < 0.12 and number:
            lines.append(_filled(random, random.choice(_WRITES), names, names[-1]))
            continue
        forms = _SAME if kind < 0.75 else _OTHER
        lines.append(f"v{number} = {_filled(random, random.choice(forms), names, names[-1] if number else 'x')}")
        names.append(f"v{number}")
    return "\n".join([*lines, f"y = {names[-1]}", *ENDINGS[random.choice(list(ENDINGS))]])


# --- one way of running ----------------------------------------------------------------------------------------------


def seen(library: Any, text: str) -> list[Any]:
    """The outcome of each of three runs of a program: its errors, and its variables."""
    return [_seen_once(library, text) for _ in range(REPEATS)]


def _seen_once(library: Any, text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"torch": library}
    if "Twice" in text:
        exec(TWICE, names)
    given, refused = {*names, "__builtins__"}, {}
    for line in text.splitlines():
        try:
            exec(line, names)
        except Exception as error:  # whatever it is, the other ways must raise the same
            refused[line] = _refusal(error)
    variables = {}
    for name in names.keys() - given:
        try:
            variables[name] = _told(library, names[name])
        except RuntimeError as error:  # for a view that was overwritten though that is not allowed
            variables[name] = _refusal(error)
    return {"refused": refused, "variables": dict(sorted(variables.items()))}


def _refusal(error: Exception) -> list[str]:
    return [type(error).__name__, (str(error).splitlines() or [""])[0]]


def _told(library: Any, value: Any, with_gradient: bool = True) -> Any:
    if isinstance(value, (list, tuple)):
        return [_told(library, item) for item in value]
    if not isinstance(value, library.Tensor):
        return None
    elements = value.detach().resolve_conj().clone().flatten()  # PyTorch's zero tensors have no memory of their own
    if elements.is_complex():
        elements = library.view_as_real(elements).flatten()
    told = {
        "dtype": str(value.dtype),
        "size": list(value.shape),
        "requires_grad": value.requires_grad,
        "strides": [*value.stride(), value.storage_offset()],
        "flags": [value.is_leaf, value.is_conj(), value._version],
        "node": value.grad_fn and value.grad_fn.name(),
        "elements": elements.tolist(),
    }
    if with_gradient and value.is_leaf:
        told["grad"] = _told(library, value.grad, with_gradient=False)
    return told


def main(library: str, seed: str, count: str) -> None:
    """Print the outcome of each program from `seed` on, one line of JSON each. This runs in a process of its own."""
    warnings.simplefilter("ignore")
    torch = importlib.import_module(library)
    importlib.import_module(f"{library}.utils.checkpoint")
    for number in range(int(seed), int(seed) + int(count)):
        print(json.dumps(seen(torch, program(number))), flush=True)


# --- all ways, compared ----------------------------------------------------------------------------------------------


class Difference(TypedDict):
    """A program that gives different results in two ways of running it."""

    seed: int
    ways: tuple[str, str]
    program: str
    where: str  #: which run, which variable, which fact, and what either way says


class Report(TypedDict):
    """The results of many programs."""

    tried: int
    differences: list[Difference]


def run(count: int, seed: int = 0) -> Report:
    """Run the programs of the seeds from `seed` on in every way that is installed, and compare them with the first."""
    ways = [way for way, (library, _) in WAYS.items() if importlib.util.find_spec(library)]
    report: Report = {"tried": 0, "differences": []}
    with contextlib.ExitStack() as stack:
        outputs = [stack.enter_context(_running(way, count, seed)) for way in ways]
        for number, lines in enumerate(zip(*outputs, strict=True), seed):
            report["tried"] += 1
            first, *others = map(json.loads, lines)
            for way, other, line in zip(ways[1:], others, lines[1:], strict=True):
                if way == "PyTorch" and any(fault in line for fault in OWN_FAULTS):
                    continue
                where = difference(first, other, is_other_library=way == "PyTorch")
                if where is not None:
                    pair = (ways[0], way)
                    differing = Difference(seed=number, ways=pair, program=program(number), where=where)
                    report["differences"].append(differing)
    if report["tried"] != count:
        raise RuntimeError(f"{report['tried']} of {count} programs were run: a process ended early")
    return report


@contextlib.contextmanager
def _running(way: str, count: int, seed: int) -> Iterator[Any]:
    """Run the programs in this way in a process, and yield the lines that it prints."""
    library, fast = WAYS[way]
    environment = {**os.environ, "TENSORGLASS_FAST": fast, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, library, str(seed), str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        yield process.stdout


def difference(one: Any, other: Any, where: str = "", *, is_other_library: bool = False) -> str | None:
    """The first difference between two outcomes, and their values there; None if they agree up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = dict.fromkeys([*one, *other])
        if is_other_library and "elements" in one:
            keys = dict.fromkeys(next((OF_GRADIENTS[name] for name in OF_GRADIENTS if f"['{name}']" in where), keys))
        pairs = [(key, one.get(key), other.get(key)) for key in keys]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(place, *pair) for place, pair in enumerate(zip(one, other, strict=True))]
    elif isinstance(one, float) and isinstance(other, float):
        is_same = math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or one != one != other != other
        return None if is_same else f"{where}: {one!r} and {other!r}"
    else:
        return None if one == other else f"{where}: {one!r} and {other!r}"
    differences = (
        difference(*pair, f"{where}[{key!r}]", is_other_library=is_other_library)  # the first that there is
        for key, *pair in pairs
    )
    return next(filter(None, differences), None)


if __name__ == "__main__":
    main(*sys.argv[1:])
