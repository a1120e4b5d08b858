"""Makes the three files of the library that are derived from PyTorch: ``python docs/make_from_pytorch.py``.

`bootstrap/pytorch_names.txt` lists the public names of the installed PyTorch. `core/names_alone.txt` has the modules of
subjects that the library leaves out, with their names, so that programs can import them.
`ops/arg_parser/signatures.txt` has the signatures of the operators. Those of an operator with several are read from
PyTorch's error for a call that fits none. PyTorch does not list the signature of an operator with only one, nor
deprecated ones, nor which arguments may be None or one int: such lines and marks are kept, and
`tests/parity/ops/arg_parser` shows which no longer fit. What must be checked by hand is printed.
`docs/moving-to-a-new-pytorch.md` says when to run this.
"""

from __future__ import annotations

import enum
import pkgutil
import re
import sys
import textwrap
import types
import typing
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

import tensorglass
from tensorglass.core import names_alone as names_alone_here
from tensorglass.core.module_names import ELSEWHERE, ours

LIBRARY = Path(__file__).resolve().parents[1] / "lib" / "tensorglass"
NAMES = LIBRARY / "bootstrap" / "pytorch_names.txt"
SIGNATURES = LIBRARY / "ops" / "arg_parser" / "signatures.txt"

NAMES_ALONE = LIBRARY / "core" / "names_alone.txt"

#: Names that begin with an underscore, or are in such a module, and that public programs use.
INNER_NAMES = LIBRARY.parents[1] / "tests" / "programs" / "inner_names.txt"

#: Parts of PyTorch whose modules the library has none of, or under other names.
PRIVATE_TREES = re.compile(
    r"torch\.(_inductor|_dynamo|testing|_refs|_prims\w*|_numpy|_export|utils\._\w*|nn\.parallel)\."
)

#: The modules whose names can be imported here, and no more: subjects that the library leaves out.
LEFT_OUT = re.compile(
    r"torch\.(ao|export|fx|jit|onnx|package|sparse|nested|masked|signal|_functorch|_subclasses)(\.|$)"
    r"|torch\.(_decomp|_dynamo|_inductor)$"
    r"|torch\._higher_order_ops(\.(associative_scan|cond|flex_attention|map|scan|while_loop))?$"
    r"|torch\._(dynamo\.(backends|comptime|testing|trace_rules)|inductor\.async_compile)$"
    r"|torch\.nn\.(intrinsic|qat|quantizable|quantized)(\.|$)|torch\.nn\.attention\.\w+$"
    r"|torch\.distributed\.(?!distributed_c10d|constants)"
    r"|torch\.utils\.(benchmark|data\.(datapipes|graph|graph_settings))(\.|$)"
    r"|torch\.utils\.(flop_counter|mobile_optimizer|mkldnn|module_tracker|weak|_python_dispatch|cpp_extension)$"
    r"|torch\.cuda\.(nvtx|graphs|nccl|profiler|tunable|jiterator|gds|_memory_viz)$"
    r"|torch\.(backends\.\w+$|autograd\.profiler_legacy$|monitor$)"
)

#: Parts of those that nobody imports: PyTorch's own tools and tests, and what needs other packages or a GPU.
NOT_IMPORTED = re.compile(
    r"\.(_internal|_vendor|examples|migrate_\w*|unification|tests|tools|_experimental|pt2_archive|_ops|_numpy_support"
    r"|\w*triton\w*|_semi_structured_\w+|torchscript_exporter|_debug|debug|flight_recorder|_tools|etcd\w*|agent"
    r"|_pycute|_local_tensor|constraint_\w+|shim|complex_tensor|_aot_autograd|_activation\w*|sharding_spec|sharded_(tensor|optim)"
    r"|sharding_\w*|nnapi|_nnapi|op_fuzzers|_passes|analyze|xeon|partitioners|supported_ops|_shape_functions|_decomposed"
    r"|fake_impls|graph_gradual_typechecker|unify_refinements|accelerator_partitioner|merge_matmul|quantization_types"
    r"|ns|pruning|sparse|quantized|qat|reference|dynamic|pt2e|backend_config|_quantizer|quantizer|debugging|__main__)(\.|$)"
    r"|jit\._recursive|masked\._docs|backends\.(_coreml|kleidiai)|torch\.(jit|onnx|masked)$|backends\.cuda$"
    r"|torch\.(distributed\.(run|launch)$|fx\.passes\.(?!shape_prop|split_module|graph_drawer)\w+)"
)

#: Classes of PyTorch's compiler whose names say something else to a reader, or that the library has.
TAKEN = ("BufferDict", "Future", "ModuleDict", "ParameterDict")

#: Packages that the library has, and that have such modules.
ABOVE = [
    f"torch.{name}"
    for name in (
        "jit",
        "onnx",
        "masked",
        "nn",
        "nn.attention",
        "nn.utils",
        "distributed",
        "utils",
        "utils.data",
        "cuda",
        "backends",
        "autograd",
    )
]

#: Names that modules import for their own use.
INTERNAL = re.compile(r"(Tensor|torch|TYPE_CHECKING|\w*common\w*)$")

#: Functions that PyTorch writes in Python: they call the operator whose signatures these are.
WRITTEN_IN_PYTHON = ("stft",)


def public(home: str) -> list[str]:
    """The public names of a module of PyTorch, or of its Tensor, by their paths."""
    holder = getattr(torch, home) if home else torch
    paths = []
    for name in dir(holder):
        value = getattr(holder, name, None)
        is_pythons = isinstance(value, types.ModuleType) and not value.__name__.startswith("torch.")
        if not name.startswith("_") and not is_pythons and (not home or not INTERNAL.match(name)):
            paths.append(f"{home}.{name}" if home else name)
    return paths


def names() -> str:
    """The text of `pytorch_names.txt`."""
    root = [name for name in public("") if name not in ("torch", "TYPE_CHECKING")]
    lazy = ["onnx"]  # imported on first use, so that dir() does not list it
    paths = [*root, *lazy, *[path for home in ("Tensor", "fft", "linalg", "special") for path in public(home)]]
    return textwrap.fill(" ".join(sorted(paths)), 118, break_on_hyphens=False) + "\n"


def modules_left_out(package: types.ModuleType = torch) -> list[str]:
    """The modules of PyTorch's that the library has only by their names."""
    found = []
    is_kept = re.compile(r"torch\.(sparse|nn\.quantized)(\.modules|\.functional|$)")
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        is_left_out = (LEFT_OUT.match(info.name) and not NOT_IMPORTED.search(info.name)) or is_kept.match(info.name)
        if not is_left_out and info.name not in ABOVE:
            continue
        if is_left_out:
            found.append(info.name)
        if info.ispkg and info.name != "torch.backends.python_native":  # which has no folder when it is imported
            found += modules_left_out(import_module(info.name))
    return found


def mark(value: Any, module: types.ModuleType) -> str:
    """How the kind of a name is written behind it: see `core/names_alone`."""
    if isinstance(value, type):
        if issubclass(value, enum.Enum) or hasattr(value, "__members__"):  # those of C++ have such members too
            return "=" + ",".join(value.__members__)
        if issubclass(value, BaseException):
            return "!"
        for base in value.__mro__[1:]:
            name = base.__name__
            if vars(module).get(name) is base and is_of(base, module.__name__) and not name.startswith("_"):
                return f"<{name}"
        return ""
    is_word = type(value) is str and re.fullmatch(r"[\w.-]*", value)
    if value is None or type(value) in (bool, int, float) or is_word:
        return f":{value!r}"
    if isinstance(value, list | dict | set):
        return f":{'[]' if isinstance(value, list) else '{}'}"
    if type(value).__module__ in ("typing", "types"):
        return "()" if callable(value) and isinstance(value, types.BuiltinFunctionType | types.FunctionType) else "?"
    return "()" if callable(value) else "."


def is_of(value: Any, path: str) -> bool:
    """Whether a module defines this function or class, or one of its parts, or PyTorch's C++ for it."""
    home = getattr(value, "__module__", None)
    return isinstance(home, str) and (home == path or home.startswith((f"{path}.", "torch._C")))


def kinds_of_compiler() -> list[str]:
    """The classes of ``torch`` that PyTorch's C++ defines for recorded programs, and the symbolic numbers in them."""
    return sorted(
        f"{name}{mark(value, torch)}"
        for name, value in vars(torch).items()
        if (type(value).__name__ == "pybind11_type" or name in ("SymBool", "SymFloat", "SymInt"))
        and not name.startswith("_")
        and name not in TAKEN
    )


def names_alone() -> str:
    """The text of `names_alone.txt`: a line for each module."""
    asked = asked_for()
    own = [path for path in sorted(modules_left_out()) if ours(path) == path.replace("torch", "tensorglass", 1)]
    names = {path.removeprefix("torch."): left_out_names(path, asked) for path in own}
    names["_C"] = kinds_of_compiler()
    for path in asked.keys() - names.keys() - set(ELSEWHERE):
        module = import_module(f"torch.{path}" if path else "torch")
        if not is_here(path):
            names[path] = [f"{name}{mark(getattr(module, name), module)}" for name in sorted(asked[path])]
    names_alone_here.table = lru_cache(names.copy)  # so that of its own modules the library shows what it has besides
    names_alone_here._packages.cache_clear()
    for path, module in [*in_whole(), *[(f"torch.{path}", import_module(f"torch.{path}")) for path in asked if path]]:
        path = path.removeprefix("torch").removeprefix(".")
        is_own = (path not in names or path == "_C") and is_here(path)
        more = lacking(path, module, asked.get(path, set())) if is_own else []
        if more:
            home = ours(f"torch.{path}").removeprefix("tensorglass.") if path else ""
            names[home] = sorted({*names.get(home, ()), *more})
    return "\n".join([*[wrapped([f"{path}:", *based(path, names[path])]) for path in sorted(names)], ""])


def based(path: str, names: list[str]) -> list[str]:
    """The names of a module without those bases that the library's module does not have."""
    known = {re.split(r"\W", name, maxsplit=1)[0] for name in names}
    bases = {name.partition("<")[2] for name in names if "<" in name} - known
    here = import_module(ours(f"torch.{path}" if path else "torch")) if bases else tensorglass
    missing = {base for base in bases if not has(here, base)}
    return [name.partition("<")[0] if name.partition("<")[2] in missing else name for name in names]


def left_out_names(path: str, asked: Mapping[str, set[str]]) -> list[str]:
    """The names of a module that is left out as a whole, as they are written in the table."""
    try:
        module = import_module(path)
    except (ImportError, AttributeError, RuntimeError):  # it needs another package, or a GPU
        return []
    own = []
    for name in sorted({*vars(module), *asked.get(path.removeprefix("torch."), ())}):
        value = getattr(module, name)
        is_offered = name in getattr(module, "__all__", ()) or name in asked.get(path.removeprefix("torch."), ())
        is_hidden = name.startswith("__") or (name.startswith("_") and not isinstance(value, type))
        if isinstance(value, types.ModuleType) or (is_hidden and not is_offered):
            continue
        if is_offered or (is_of(value, path) and mark(value, module)[:1] in ("", "<", "!", "=", "(")):
            own.append(name + mark(value, module))
    return own


def in_whole(package: types.ModuleType = torch, path: str = "torch") -> Iterator[tuple[str, types.ModuleType]]:
    """The modules of PyTorch's that the library has, by their paths, with or without some of their names."""
    yield path, package
    for info in pkgutil.iter_modules(package.__path__, f"{path}."):
        if PRIVATE_TREES.search(info.name):
            continue
        try:
            import_module(ours(info.name))
            module = import_module(info.name)
        except (ImportError, AttributeError):
            continue
        if hasattr(module, "__path__"):
            yield from in_whole(module, info.name)
        else:
            yield info.name, module


def lacking(path: str, module: types.ModuleType, asked: set[str]) -> list[str]:
    """The names of a module that the library has without them, as they are written in the table."""
    here = tensorglass if module is torch else import_module(ours(f"torch.{path}"))
    offered = set(getattr(module, "__all__", ()))
    names = []
    for name in sorted({*dir(module), *offered, *asked}):
        value = getattr(module, name, None)
        is_inner = name.startswith("_") and name not in asked and not (module is torch and callable(value))
        is_own = module is torch or name in offered | asked or is_of(value, module.__name__)
        is_pythons = isinstance(value, types.ModuleType | typing.TypeVar) or is_from_elsewhere(value)
        if name.startswith("__") or is_inner or not is_own or is_pythons:
            continue
        if not has(here, name) and (name in asked or not INTERNAL.match(name)):
            names.append(f"{name}{mark(value, module)}")
    return names


def is_here(path: str) -> bool:
    """Whether the library has the module in a file of its own."""
    file = LIBRARY.joinpath(*ours(f"torch.{path}" if path else "torch").split(".")[1:])
    return (file / "__init__.py").exists() or file.with_suffix(".py").exists()


def is_from_elsewhere(value: Any) -> bool:
    """Whether this is a function or class of Python's or another library's."""
    home = getattr(value, "__module__", None)
    return callable(value) and isinstance(home, str) and not home.startswith("torch")


def has(module: types.ModuleType, name: str) -> bool:
    """Whether a module has this name; modules that need other packages raise other errors than AttributeError."""
    try:
        getattr(module, name)
    except (AttributeError, ImportError):
        return False
    return True


def asked_for() -> dict[str, set[str]]:
    """The inner names of PyTorch that programs use, by the module that has them."""
    names: dict[str, set[str]] = {}
    for path in INNER_NAMES.read_text(encoding="utf-8").split():
        module, _, name = path.rpartition(".")
        names.setdefault(module, set()).update([name] if name else [])
    return names


def wrapped(words: list[str]) -> str:
    """A line of the table, which may take several lines of the file."""
    line = " ".join(words)
    return textwrap.fill(line, 118, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def operator(name: str) -> Callable[..., Any]:
    """The operator that a name in `signatures.txt` stands for: "add", "linalg_norm", "Tensor.add_"."""
    if name.startswith("Tensor."):
        method: Callable[..., Any] = getattr(torch.zeros(2), name.removeprefix("Tensor."))
        return method
    if hasattr(torch._C._nn, name):
        function: Callable[..., Any] = getattr(torch._C._nn, name)
        return function
    for home in ("linalg", "fft", "special"):
        if name.startswith(f"{home}_"):
            name = name.replace("_", ".", 1)
    return reduce(getattr, name.split("."), torch)  # type: ignore[return-value]


def listed(name: str) -> list[str]:
    """The signatures that PyTorch lists for a call with far too many arguments; none if there is only one."""
    try:
        operator(name)(*[object()] * 40)
    except TypeError as error:
        return [line.removeprefix(" * ") for line in str(error).splitlines() if line.startswith(" * ")]
    except AttributeError:
        print(f"{name}: PyTorch no longer has it")
    return []


def as_listed(line: str) -> str:
    """A line of the file as PyTorch lists it, without the marks for arguments that may be one int or None."""
    return re.sub(r"(tuple of \w+) or \w+", r"\1", line).replace("?", "")


def signatures() -> str:
    """The text of `signatures.txt`."""
    lines = []
    for block in re.split(r"\n(?=\S)", SIGNATURES.read_text(encoding="utf-8").rstrip("\n")):
        name, *kept = block.splitlines()
        deprecated = [line for line in kept if line.endswith(" deprecated")]
        current = {as_listed(line): line for line in kept if line not in deprecated}
        told = [f"    {signature}" for signature in listed(name)]
        if told and sorted(told) != sorted(current):  # keep the file's order if they are the same
            kept = deprecated + [current.get(line, line) for line in told]
            print(f"{name}: new signatures; see what its arguments may be besides: one int, None (?)")
        elif not told and len(current) > 1 and name not in WRITTEN_IN_PYTHON:
            print(f"{name}: PyTorch lists no signatures, the file {len(current)}; see to it by hand")
        lines += [name, *kept]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of modules that PyTorch has for old programs alone
    made = {NAMES: names(), NAMES_ALONE: names_alone(), SIGNATURES: signatures()}
    if "--check" not in sys.argv[1:]:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
    elif stale := [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]:
        sys.exit(
            f"not what PyTorch {torch.__version__} says: {', '.join(stale)}; run: python docs/make_from_pytorch.py"
        )
