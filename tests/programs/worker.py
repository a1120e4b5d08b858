"""Runs programs one after the other, each in a process of its own, and writes what each leaves behind.

    python worker.py jobs.json                 # on PyTorch
    python -m tensorglass worker.py jobs.json  # on tensorglass

`jobs.json` holds a list of jobs; `run.py` makes it, and says there what a job is. Of each job the file named by its
``result`` gets a pickle of plain data and arrays: the variables with the tensors in them, modules' parameters and
gradients, optimizers' states, what was printed, and the error if one was raised; of a test suite, how each test ended.

Nothing here imports a neighbour, so that programs meet no module of ours under a name of theirs.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import pickle
import random
import resource
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

MOST_ELEMENTS = 100_000  #: how many elements of a larger tensor are kept, evenly spread
MOST_ITEMS = 200  #: how many items of a longer list or dict are kept, the first ones
DEEPEST = 6
MEMORY = 12 * 2**30
WAITING = 10  #: how many times its seconds of processor time a program may take by the clock
NO_DATA = ("thing", "")  #: the value that stands for a module, a class or a function

Job = dict[str, Any]
Data = Any


# What a program leaves behind ---------------------------------------------------------------------------------------


def data_of(thing: Any, depth: int = 0, seen: frozenset[int] = frozenset()) -> Data:
    """A thing as plain data and arrays; tuples whose first element says what it was."""
    if isinstance(thing, (bool, int, float, complex, str, bytes, type(None))):
        return thing
    if isinstance(thing, torch.Tensor):
        return _tensor(thing)
    if isinstance(thing, np.ndarray):
        return ("array", str(thing.dtype), thing.shape, _some(thing) if thing.dtype.kind in "biufc" else None)
    if isinstance(thing, np.generic):
        return thing.item()
    if isinstance(thing, (type, types.ModuleType)) or (callable(thing) and not isinstance(thing, torch.nn.Module)):
        return NO_DATA
    if depth >= DEEPEST or id(thing) in seen:
        return ("thing", type(thing).__name__)
    seen |= {id(thing)}
    if isinstance(thing, torch.nn.Module):
        states = thing.state_dict()
        grads = {name: value.grad for name, value in thing.named_parameters() if value.grad is not None}
        return ("module", type(thing).__name__, data_of(dict(states), depth + 1), data_of(grads, depth + 1))
    if isinstance(thing, torch.optim.Optimizer):
        return ("optimizer", type(thing).__name__, data_of(thing.state_dict(), depth + 1, seen))
    if isinstance(thing, Mapping):
        items = list(thing.items())[:MOST_ITEMS]
        return {_key(key): data_of(value, depth + 1, seen) for key, value in items}
    if isinstance(thing, (list, tuple)):
        return [data_of(item, depth + 1, seen) for item in thing[:MOST_ITEMS]]
    fields = getattr(thing, "__dict__", None)
    if isinstance(fields, dict) and not type(thing).__module__.startswith(("torch", "tensorglass", "numpy", "logging")):
        return ("object", type(thing).__name__, data_of(fields, depth + 1, seen))
    return ("thing", type(thing).__name__)


def _key(key: Any) -> Any:
    return key if isinstance(key, (str, int, float, bool)) else type(key).__name__


def _tensor(tensor: Any) -> Data:
    plain = tensor.detach()
    try:
        if plain.is_meta or plain.layout != torch.strided:
            return ("tensor", str(tensor.dtype), tuple(tensor.shape), tensor.requires_grad, None, None)
        plain = plain.resolve_conj().resolve_neg()
        if plain.dtype == torch.bfloat16:
            plain = plain.float()
        values = _some(plain.numpy())
    except (RuntimeError, TypeError, NotImplementedError, AttributeError):
        values = None
    grad = tensor.grad if tensor.is_leaf else None
    return (
        "tensor", str(tensor.dtype), tuple(tensor.shape), bool(tensor.requires_grad), values,
        None if grad is None else _tensor(grad),
    )  # fmt: skip


def _some(array: Any) -> Any:
    flat = array.reshape(-1)
    return flat[:: -(-flat.size // MOST_ELEMENTS) or 1].copy()


# PyTorch, rounding otherwise ----------------------------------------------------------------------------------------

#: Operators whose last digit IEEE does not fix: sums, whose order is free, and functions such as exp.
FREE_TO_ROUND = frozenset((
    "addbmm", "addmm", "addmv", "baddbmm", "bmm", "convolution", "convolution_backward", "cos", "cosh", "cumprod",
    "cumsum", "dot", "einsum", "erf", "erfinv", "exp", "expm1", "gelu", "gelu_backward", "linalg_cholesky_ex",
    "linalg_det", "linalg_eigh", "linalg_inv_ex", "linalg_qr", "linalg_slogdet", "linalg_solve_ex",
    "linalg_solve_triangular", "linalg_svd", "linalg_vector_norm", "log", "log1p", "log_sigmoid_forward",
    "log_softmax", "logsumexp", "mean", "mish", "mm", "mv", "native_batch_norm", "native_batch_norm_backward",
    "native_group_norm", "native_group_norm_backward", "native_layer_norm", "native_layer_norm_backward", "norm",
    "pow", "prod", "rsqrt", "scaled_dot_product_attention", "sigmoid", "silu", "sin", "sinh", "softmax", "softplus",
    "std", "sum", "tan", "tanh", "var", "var_mean",
))  # fmt: skip


def rounding_otherwise() -> contextlib.AbstractContextManager[Any]:
    """A context in which PyTorch rounds these up, down, or as it does, at random: as another library may.

    How far its results move is what rounding alone can do to a program. Whole numbers are left alone: counts are exact.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    coin = torch.Generator().manual_seed(0)

    class Otherwise(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            results = func(*args, **(kwargs or {}))
            if func._schema.name.removeprefix("aten::").removeprefix("_") in FREE_TO_ROUND:
                for result in results if isinstance(results, (list, tuple)) else (results,):
                    if isinstance(result, torch.Tensor) and result.is_floating_point() and not result.is_meta:
                        step = torch.randint(-1, 2, result.shape, generator=coin) * torch.finfo(result.dtype).eps
                        result.mul_(torch.where(result == result.round(), 0, step).to(result.dtype) + 1)
            return results

    return Otherwise()


# How a program is run -----------------------------------------------------------------------------------------------


class _Sizes(ast.NodeTransformer):
    """Other numbers for constants: by the name that a keyword or an assignment gives them, or number for number."""

    def __init__(self, named: dict[str, Any], numbers: dict[str, Any]) -> None:
        self.named, self.numbers = named, numbers

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg in self.named and _is_like(node.value, self.named[node.arg]):
            node.value = _constant(self.named[node.arg], node.value)
            return node
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id in self.named and _is_like(node.value, self.named[target.id]):
            node.value = _constant(self.named[target.id], node.value)
            return node
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) in (int, float) and str(node.value) in self.numbers:
            return _constant(self.numbers[str(node.value)], node)
        return node


def _is_like(node: ast.expr, value: Any) -> bool:
    """Whether the expression is a constant of the kind of `value`."""
    try:
        there = ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return type(there) is type(value) or {type(there), type(value)} <= {int, float}


def _constant(value: Any, place: ast.AST) -> ast.expr:
    """`value` as an expression, with the position of `place`."""
    node = ast.parse(repr(value), mode="eval").body
    for part in ast.walk(node):
        ast.copy_location(part, place)
    return node


class _Locals(ast.NodeTransformer):
    """Functions at the top that take no part in a graph of calls, such as ``main``, leave their variables behind."""

    NAMES = ("main", "train", "test", "run", "evaluate", "fit")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name in self.NAMES and not any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(node)):
            leave = ast.parse(f"__left__({node.name!r}, locals())").body
            node.body = [ast.Try(body=node.body, handlers=[], orelse=[], finalbody=leave)]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


def run_source(pieces: list[tuple[str, str]], job: Job) -> dict[str, Any]:
    """Run the pieces of source, one after the other in one namespace, as a script's; give back what they left.

    After a piece that raises nothing more is run.
    """
    main = types.ModuleType("__main__")
    names = vars(main)
    sys.modules["__main__"] = main
    left: dict[str, Any] = {}
    names["__left__"] = lambda name, variables: left.__setitem__(f"{name}()", dict(variables))
    if job["display"]:
        names |= {"display": lambda *things, **_: None, "get_ipython": lambda: None}
    given = {*names, "__file__", "__warningregistry__", "__annotations__"}
    error = None
    for file, source in pieces:
        names["__file__"] = file
        try:
            tree = ast.parse(source, file)
            tree = _Locals().visit(_Sizes(job["set"], job["numbers"]).visit(tree))
            exec(compile(ast.fix_missing_locations(tree), file, "exec"), names)
        except SystemExit as leaving:
            if leaving.code:
                error = _error(leaving)
                break
        except BaseException as raised:
            error = _error(raised)
            break
    variables = {name: value for name, value in names.items() if name not in given}
    variables |= left
    data = {name: data_of(value) for name, value in variables.items()}
    return {"variables": {name: value for name, value in data.items() if value != NO_DATA}, "error": error}


def _error(raised: BaseException) -> dict[str, str]:
    lines = str(raised).splitlines() or [""]
    return {"class": type(raised).__name__, "line": lines[0], "where": "".join(traceback.format_exception(raised))}


def run_tests(job: Job) -> dict[str, Any]:
    """Run a test suite with pytest; how each test ended, by its name."""
    import pytest

    ended: dict[str, str] = {}
    why: dict[str, str] = {}

    class Seeding:
        def pytest_runtest_setup(self, item: Any) -> None:
            seed()

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.when == "call" or report.outcome != "passed":
                ended[report.nodeid] = report.outcome
                if report.failed:
                    why[report.nodeid] = str(report.longrepr)[-3000:]

        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                ended[report.nodeid] = "failed"
                why[report.nodeid] = str(report.longrepr)[-3000:]

    options = ["-q", "-p", "no:cacheprovider", "-p", "no:nbval", "-p", "no:xdist", "-p", "no:glassroom"]
    options += ["-W", "ignore", "-o", "addopts=", "--rootdir=."]
    with contextlib.suppress(ImportError):
        import hypothesis  # noqa: F401  # only asked for: is it installed?

        options.append("--hypothesis-seed=0")
    status = pytest.main([*options, *job["arguments"], job["path"]], plugins=[Seeding()])
    error = None if ended else {"class": "pytest", "line": f"no test was run (status {int(status)})", "where": ""}
    return {"tests": ended, "why": why, "error": error}


def seed() -> None:
    """The same random numbers for every program."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


def run(job: Job) -> dict[str, Any]:
    """Run one job here; what it left."""
    os.chdir(job["folder"])
    sys.path[:] = [*job["import_from"], *sys.path]
    sys.argv = [job["path"], *job["arguments"]]
    torch.set_num_threads(1)
    seed()
    printed = io.StringIO()
    other = rounding_otherwise() if os.environ.get("ROUNDING") == "otherwise" else contextlib.nullcontext()
    with contextlib.redirect_stdout(printed), other:
        what = run_tests(job) if job["kind"] == "tests" else run_source(job["pieces"], job)
    return what | {"printed": printed.getvalue()}


# One process for each program ---------------------------------------------------------------------------------------


def in_a_process(job: Job) -> None:
    """Run the job in a process that ends with it, or when its time is up: processor time, whatever else runs."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 1))
            quiet = os.open(os.devnull, os.O_RDWR)
            os.dup2(quiet, 0)
            if not job["loud"]:
                os.dup2(quiet, 1)
                os.dup2(quiet, 2)
            sys.path.remove(str(Path(__file__).parent))
            _write(job, run(job))
            status = 0
        finally:
            sys.stdout.flush()
            os._exit(status)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() - start > WAITING * job["seconds"]:
            with contextlib.suppress(OSError):
                os.killpg(child, signal.SIGKILL)
            ended = os.waitpid(child, 0)
            break
        time.sleep(0.02)
    if ended[1] and not Path(job["result"]).exists():
        status = os.waitstatus_to_exitcode(ended[1])
        is_late = status in (-signal.SIGKILL, -signal.SIGXCPU)
        line = f"not done after {job['seconds']} s" if is_late else f"the process ended with {status}"
        _write(job, {"error": {"class": "time" if is_late else "process", "line": line, "where": ""}})


def _write(job: Job, what: dict[str, Any]) -> None:
    partial = Path(job["result"] + ".part")
    partial.write_bytes(pickle.dumps(what))
    partial.replace(job["result"])


def main(arguments: list[str], tell: Callable[[str], Any] = print) -> None:
    """Run the jobs of the file that the arguments name."""
    torch.optim.SGD([torch.zeros(1, requires_grad=True)])  # PyTorch imports its compiler then: once for all programs
    for job in json.loads(Path(arguments[0]).read_text()):
        start = time.monotonic()
        in_a_process(job)
        tell(f"  {time.monotonic() - start:5.1f} s  {job['name']}")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
