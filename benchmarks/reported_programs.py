"""The programs in `reported/`: small ones with one fault each, of kinds that were reported in public.

A line that ends in `# mended: …` has the fault, and the comment has the right code. So every program exists in two
versions, and what it claims as its fault can be measured: what the faulty one does, by PyTorch's profiler, the garbage
collector and comparison of addresses, and that the mended one does not.
"""

from __future__ import annotations

import ast
import gc
import linecache
import re
import sys
import tracemalloc
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).with_name("reported")
KINDS = {
    "growth": "memory grows with each step",
    "registries": "memory grows in what is registered, cached, queued or logged",
    "aliasing": "tensors share memory, or should",
    "versions": "autograd refuses what was written",
    "gradients": "a gradient is missing or wrong",
    "peaks": "a step needs more memory than it must",
}
FAULT = re.compile(r"^(\s*)(.*?)\s*# mended: (.*)$")
NOTHING = "nothing is wrong"
WARMED_UP = 3  # steps, before one is measured

LOOKS = {
    "assert_no_leak": """
        from glassroom.testing import assert_no_leak
        with assert_no_leak():
            step()
        """,
    "memory_timeline": """
        from glassroom import memory_timeline
        said = memory_timeline(step)
        """,
    "aliases": """
        from glassroom import aliases
        said = aliases()
        """,
    "show": """
        from glassroom import show
        said = show(table)
        """,
    "model_map": """
        from glassroom import model_map
        said = model_map(net)
        """,
    "assert_shares_memory": """
        from glassroom.testing import assert_shares_memory
        assert_shares_memory(embedding.weight, head.weight)
        """,
    "graph": """
        from glassroom import graph
        said = graph(loss)
        """,
    "explain_error": """
        from glassroom import explain_error
        said = explain_error(error)
        """,
    "watch": """
        from glassroom import watch
        said = watch(train)
        """,
}
USUAL = {
    "growth": "assert_no_leak",
    "registries": "assert_no_leak",
    "versions": "explain_error",
    "peaks": "memory_timeline",
}


@dataclass(frozen=True)
class Program:
    """One of the programs: its file, and what its docstring says about it."""

    path: Path

    @property
    def kind(self) -> str:
        return self.path.parent.name

    @property
    def grows(self) -> bool:
        """Whether its fault is that memory grows."""
        return self.kind in ("growth", "registries")

    @property
    def name(self) -> str:
        return self.path.stem

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def _said(self) -> str:
        return " ".join((ast.get_docstring(ast.parse(self.text)) or "").split())

    @property
    def fault(self) -> str:
        return self._said.split(" After ")[0]

    @property
    def source(self) -> str:
        """Title and repository of the report that it is based on."""
        match = re.search(r'After (".+?" \([\w./-]+\))\.', self._said)
        assert match is not None, self.path
        return match[1]

    def said_to(self, what: str) -> str:
        """The value of a line of the docstring: for "Look", `graph` from `Look: graph`."""
        match = re.search(rf"^{what}: (.+)$", self.text, re.MULTILINE)
        return match[1] if match else ""

    @property
    def look(self) -> str:
        """The inspector or assertion that a user would try first."""
        return self.said_to("Look") or USUAL[self.kind]

    @property
    def told_by(self) -> list[str]:
        """The words each of which names the cause."""
        return self.said_to("Told by").split(" | ")

    @property
    def cause(self) -> int:
        """The number of the line with the fault."""
        return next(number for number, line in enumerate(self.text.splitlines(), 1) if FAULT.match(line))

    def mended(self) -> str:
        return "\n".join(FAULT.sub(r"\1\3", line) for line in self.text.splitlines()) + "\n"

    def run(self, mended: bool = False) -> dict[str, Any]:
        """Run it as a script; returns its variables, and under `error` the exception that it raised, if any."""
        text = self.mended() if mended else self.text
        name = str(self.path if not mended else self.path.with_suffix(".mended.py"))
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
        sys.modules[self.name] = module = ModuleType(self.name)  # tools find modules there
        variables = vars(module)
        variables["__file__"] = name
        code = compile(text, name, "exec", dont_inherit=True)
        try:
            exec(code, variables)
        except (RuntimeError, ValueError) as error:
            variables["error"] = error.with_traceback(error.__traceback__.tb_next if error.__traceback__ else None)
        return variables

    def names_cause(self, answer: str) -> bool:
        """Whether an answer names the faulty line, or the object that holds, shares or cuts."""
        line = rf"\bline {self.cause}\b|\b{re.escape(self.path.name)}:{self.cause}\b"
        named = re.sub(r"\b\w+\.py\b", "", answer)  # a file's name does not count
        return bool(re.search(line, answer)) or any(words in named for words in self.told_by)


def programs() -> list[Program]:
    return [Program(path) for kind in KINDS for path in sorted((FOLDER / kind).glob("*.py"))]


def look_at(program: Program, variables: dict[str, Any]) -> tuple[str, float]:
    """What the inspector says about a program that has run, and the seconds that it took."""
    warm_up(program, variables)
    if program.look == "explain_error" and "error" not in variables:
        return NOTHING, 0.0
    lines = "\n".join(line[8:] for line in LOOKS[program.look].splitlines())
    linecache.cache["look.py"] = len(lines), None, lines.splitlines(keepends=True), "look.py"
    begin = perf_counter()
    try:
        exec(compile(lines, "look.py", "exec", dont_inherit=True), variables)
        said = variables.pop("said", None)
        answer = NOTHING if said is None else said.text
    except (AssertionError, ValueError, TypeError) as error:
        answer = f"{type(error).__name__}: {error}" if isinstance(error, TypeError) else str(error)
    except RuntimeError as error:
        answer = "\n".join([str(error), *getattr(error, "__notes__", [])])
    return answer, perf_counter() - begin


def warm_up(program: Program, variables: dict[str, Any]) -> None:
    if program.grows:
        for _ in range(WARMED_UP):
            variables["step"]()


@dataclass(frozen=True)
class Truth:
    """What was measured without any of the tools that are compared."""

    words: str
    is_wrong: bool
    nbytes: int | None = None


def truth_of(program: Program, mended: bool = False) -> Truth:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return TRUTHS[program.kind](program, mended)
        finally:
            sys.modules.pop(program.name, None)


def _growth(program: Program, mended: bool) -> Truth:
    """What two more steps leave, in a run of the whole program, so that nothing existed before."""
    few, many = (_after(program, mended, steps) for steps in (WARMED_UP, WARMED_UP + 2))
    held, tensors, nodes = ((number - before) // 2 for before, number in zip(few, many, strict=True))
    variables = program.run(mended)
    strings = _traced(variables["step"])
    restore(variables)
    words = f"{held:,} bytes, {tensors:,} tensors, {nodes:,} nodes, {strings:,} bytes of Python's a step"
    return Truth(words, held > 0 or nodes > 0 or strings > 4000, held)


def _after(program: Program, mended: bool, steps: int) -> tuple[int, int, int]:
    """Bytes, tensors and nodes that are alive after that many steps."""
    variables: dict[str, Any] = {}

    def whole() -> None:
        variables.update(program.run(mended))
        for _ in range(steps):
            variables["step"]()
        gc.collect()

    held, _ = _profiled(whole)
    counts = held, len(_tensors()), _nodes()
    restore(variables)
    return counts


def restore(variables: dict[str, Any]) -> None:
    """Forget a program that has run, and leave a region of autocast that it has entered for good."""
    sys.modules.pop(variables["__name__"], None)
    if "region" in variables:
        variables["region"].__exit__(None, None, None)


def _aliasing(program: Program, mended: bool) -> Truth:
    variables = program.run(mended)
    pair = program.said_to("Shared") or program.said_to("Apart")
    one, other = (eval(expression, variables) for expression in pair.split(" and "))
    alike = other is not None and _address(one) == _address(other)
    return Truth("one memory" if alike else "memory of their own", alike == bool(program.said_to("Shared")))


def _versions(program: Program, mended: bool) -> Truth:
    variables = program.run(mended)
    error = variables.get("error")
    return Truth("no error" if error is None else f"{type(error).__name__}: {str(error)[:60]}…", error is not None)


def _gradients(program: Program, mended: bool) -> Truth:
    variables = program.run(mended)
    if "train" in variables:
        variables["train"]()
        weight = variables["weight"]
        right = bool((weight.grad == variables["expected"]).all())
        return Truth("the gradient is right" if right else "the gradient is wrong", not right)
    if "error" in variables:
        return Truth(f"{type(variables['error']).__name__}: {str(variables['error'])[:60]}…", True)
    if not any(line.startswith("loss.backward()") for line in program.text.splitlines()):
        variables["loss"].backward()
    missing = [variable for variable in variables["asked"] if variable.grad is None]
    return Truth("grad is None" if missing else "the gradient is there", bool(missing))


def _peaks(program: Program, mended: bool) -> Truth:
    variables = program.run(mended)
    try:
        _, peak = _profiled(variables["step"])
    except RuntimeError as error:
        return Truth(f"RuntimeError: {str(error)[:60]}…", True)
    least = peak if mended else _peaks(program, mended=True).nbytes or 0
    return Truth(f"a peak of {peak:,} bytes", peak > 1.3 * least, peak)


def _profiled(step: Any) -> tuple[int, int]:
    """The bytes that a step leaves, and its peak, by PyTorch's profiler."""
    from torch.profiler import ProfilerActivity, profile

    gc.collect()  # otherwise garbage would be freed during the step
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        step()
        gc.collect()
    held = peak = 0
    events = profiler.profiler.kineto_results.events()
    for event in sorted(
        (event for event in events if event.name() == "[memory]"), key=lambda allocation: allocation.start_ns()
    ):
        held += event.nbytes()
        peak = max(peak, held)
    return held, peak


def _tensors() -> list[Any]:
    import torch

    return [candidate for candidate in gc.get_objects() if issubclass(type(candidate), torch.Tensor)]


def _nodes() -> int:
    """The number of nodes that live tensors lead to."""
    reached: set[Any] = set()
    waiting = [tensor.grad_fn for tensor in _tensors()]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in reached:
            reached.add(node)
            waiting += [following for following, _ in node.next_functions]
    return len(reached)


def _traced(step: Any) -> int:
    """The bytes of Python's own objects that a step leaves."""
    for _ in range(WARMED_UP):
        step()
    gc.collect()
    tracemalloc.start()
    step()
    gc.collect()
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return left


def _address(tensor: Any) -> int:
    return tensor.ctypes.data if hasattr(tensor, "ctypes") else tensor.data_ptr()


TRUTHS = {
    "growth": _growth,
    "registries": _growth,
    "aliasing": _aliasing,
    "versions": _versions,
    "gradients": _gradients,
    "peaks": _peaks,
}
