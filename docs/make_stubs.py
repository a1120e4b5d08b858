"""Makes the stubs that type checkers and editors read, from the operator table: ``python docs/make_stubs.py``.

`tensor/methods.pyi` has the methods that `ops` and others attach to Tensor; `__init__.pyi`, `linalg.pyi`, `fft.pyi` and
`special.pyi` have the functions. Signatures are those of the plain way, without shortcuts. With `--check` nothing is
written, and files that are out of date are an error; `tests/library/test_stubs.py` asks for that.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["TENSORGLASS_FAST"] = "0"  # read when the library is imported

import tensorglass as torch
from tensorglass.bootstrap.namespaces import MODULES, MissingAttribute
from tensorglass.core.module_names import ELSEWHERE
from tensorglass.ops import OPERATORS, return_types
from tensorglass.ops.declare.registry import FUNCTIONS

LIBRARY = Path(__file__).resolve().parents[1] / "lib" / "tensorglass"
WIDTH = 120

#: The names of the library's annotations in a stub. A tensor has methods `int` and `float`, and the namespace has
#: dtypes of these names, so Python's own types have an underscore, as in PyTorch's stubs.
NAMES = {
    "Ints": "_int | Sequence[_int]",
    **{name: f"_{name}" for name in ("bool", "complex", "float", "int", "type", "dtype", "device", "layout")},
    **{name: f"_{name}" for name in ("Generator", "Size", "TypedStorage", "UntypedStorage")},
    **{name: name for name in ("Any", "Callable", "Iterable", "Iterator", "None", "Self", "Sequence")},
    **{name: name for name in ("Function", "Node", "RemovableHandle", "SupportsIndex", "Tensor", "str", "tuple")},
    **{name: name for name in ("dict", "list", "object", "Literal")},
    "DType": "_dtype",
    "Device": "_device",
    "formats.memory_format": "_memory_format",
    "memory_format": "_memory_format",
    "builtins.bool": "_bool",
    "np.ndarray": "ndarray[Any, Any]",
    "Correction": "_float | None",
    "DLDevice": "tuple[_int, _int]",
    "DimOrOther": "_int | Tensor | None",
    "Dims": "_int | Sequence[_int] | None",
    "DimsOrFlag": "_int | Sequence[_int] | _bool | None",
    "Hooks": "Any",
    "KeepDim": "_bool",
    "ModuleType": "ModuleType",
    "Out": "Tensor | None",
    "OutPair": "tuple[Tensor, Tensor] | list[Tensor] | None",
    "Sizes": "_int | Sequence[_int] | None",
    "Stated": "Any",
    "StatedDim": "_int | None",
    "StatedDims": "_int | Sequence[_int] | None",
    "StatedFloat": "_float | None",
    "StatedTensor": "Tensor | None",
    "Tolerance": "_float | Tensor | None",
    "Views": "tuple[Tensor, ...]",
}

#: Parameters whose type follows from their name, for those that the library does not annotate.
BY_NAME = {
    "dtype": "_dtype | None",
    "layout": "_layout | None",
    "device": "_device | str | _int | None",
    "requires_grad": "_bool",
    "pin_memory": "_bool",
    "*sizes": "_int | Sequence[_int]",
    "*size": "_int | Sequence[_int]",
    "*dims": "_int | Sequence[_int]",
    "*repeats": "_int | Sequence[_int]",
    "size": "Sequence[_int] | None",
}

#: Operators whose result's type depends on their arguments, with their signatures; `Pair` is their named tuple, and
#: `+out` stands for `out`, which methods never take.
EXTREME = (
    "(input: Tensor+out) -> Tensor",
    "(input: Tensor, dim: _int, keepdim: _bool = False+pair) -> Pair",
    "(input: Tensor, other: Tensor+out) -> Tensor",
)
OVERLOADS = {
    "max": EXTREME,
    "min": EXTREME,
    "median": EXTREME[:2],
    "nanmedian": EXTREME[:2],
    "where": (
        "(condition: Tensor) -> tuple[Tensor, ...]",
        "(condition: Tensor, input: Tensor | _complex, other: Tensor | _complex+out) -> Tensor",
    ),
    "tensordot": (
        "(a: Tensor, b: Tensor, dims: _int | Sequence[_int] | Sequence[Sequence[_int]] | Tensor = 2, "
        "out: Tensor | None = None) -> Tensor",
    ),
    "Tensor.where": ("(self, condition: Tensor, other: Tensor | _complex) -> Tensor",),
    "nonzero": (
        "(input: Tensor+out) -> Tensor",
        "(input: Tensor, *, as_tuple: Literal[False]) -> Tensor",
        "(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]",
    ),
    "Tensor.to": (
        "(self, dtype: _dtype, non_blocking: _bool = False, copy: _bool = False, *, "
        "memory_format: _memory_format | None = ...) -> Tensor",
        "(self, device: _device | str | _int | None = None, dtype: _dtype | None = None, non_blocking: _bool = False, "
        "copy: _bool = False, *, memory_format: _memory_format | None = ...) -> Tensor",
        "(self, other: Tensor, non_blocking: _bool = False, copy: _bool = False, *, "
        "memory_format: _memory_format | None = ...) -> Tensor",
    ),
    "Tensor.view": (
        "(self, *shape: _int | Sequence[_int]) -> Tensor",
        "(self, dtype: _dtype) -> Tensor",
    ),
    "Tensor.type": (
        "(self, dtype: None = None) -> str",
        "(self, dtype: _dtype | str | _type[Any], non_blocking: _bool = False, *, "
        "memory_format: _memory_format | None = ...) -> Tensor",
    ),
    "Tensor.__iter__": ("(self) -> Iterator[Tensor]",),
    "Tensor.__eq__": ("(self, other: Any) -> Tensor",),
    "Tensor.__ne__": ("(self, other: Any) -> Tensor",),
    "Tensor.reshape": ("(self, *shape: _int | Sequence[_int]) -> Tensor",),
}
#: The named tuples of operators with several results, and their fields.
TUPLES = {name: made._fields for name in dir(return_types) if hasattr(made := getattr(return_types, name), "_fields")}
#: Python's special methods of a tensor that do not return a tensor.
NO_TENSOR = ("__dlpack__", "__array__", "__iter__")
OVERRIDES = ("__eq__", "__ne__", "__reduce_ex__")  # they override object's with other types

HEAD = '''"""{doc}

Made from the operator table by `python docs/make_stubs.py`.
"""

from builtins import bool as _bool, complex as _complex, float as _float, int as _int, type as _type
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, Literal, NamedTuple, Self, SupportsIndex, overload

from numpy import ndarray

from tensorglass.autograd.function import Function
from tensorglass.core.devices import device as _device
from tensorglass.core.dtypes import dtype as _dtype
from tensorglass.core.memory_format import layout as _layout, memory_format as _memory_format
from tensorglass.core.size import Size as _Size
from tensorglass.graph.node import Node
from tensorglass.storage.storage import UntypedStorage as _UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage as _TypedStorage
from tensorglass.tensor.generator import Generator as _Generator
from tensorglass.tensor.hooks import RemovableHandle
'''


def named(annotation: Any) -> str:
    """An annotation of the library under its name in a stub; raises KeyError if there is none."""
    words = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    words = words.replace("tensorglass.", "").replace("typing.", "").replace("collections.abc.", "")
    return re.sub(r"[A-Za-z_][\w.]*", lambda match: NAMES[match[0]], words)


def typed(parameter: inspect.Parameter) -> str:
    """One parameter in a stub's syntax."""
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    name = f"{stars}{parameter.name}"
    is_open = parameter.annotation in (parameter.empty, "Any")
    kind = BY_NAME.get(name, "Any") if is_open else named(parameter.annotation)
    if parameter.default is parameter.empty:
        return f"{name}: {kind}"
    plain = parameter.default is None or type(parameter.default) in (bool, int, float, str)
    default = repr(parameter.default) if plain and "object" not in repr(parameter.default) else "..."
    return f"{name}: {kind} = {default if default not in ('inf', '-inf', 'nan') else '...'}"


def parameters(signature: inspect.Signature, is_method: bool) -> str:
    """The parameters of a function, or of a method: its first is `self`, and it never takes `out`."""
    parameters = list(signature.parameters.values())
    written = ["self"] if is_method else []
    parameters = [item for item in parameters[1:] if item.name != "out"] if is_method else parameters
    is_after_star = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    positional_only = [parameter for parameter in parameters if parameter.kind is parameter.POSITIONAL_ONLY]
    for at, parameter in enumerate(parameters):
        if parameter.kind is parameter.KEYWORD_ONLY and not is_after_star:
            written.append("*")
            is_after_star = True
        written.append(typed(parameter))
        if positional_only and at == len(positional_only) - 1:
            written.append("/")
    return ", ".join(written)


def result_of(signature: inspect.Signature, name: str) -> str:
    """The return type of a function. An elementwise operator has no annotation, and returns a tensor."""
    pair = name.rpartition(".")[2]
    if signature.return_annotation == "Any":
        if pair in TUPLES or name.replace(".", "_") in TUPLES:
            return f"_return_{pair if pair in TUPLES else name.replace('.', '_')}"
        return "Tensor" if pair.startswith("__") and pair not in NO_TENSOR else "Any"
    return "Tensor" if signature.return_annotation is inspect.Signature.empty else named(signature.return_annotation)


def signatures(name: str, function: Callable[..., Any], is_method: bool) -> list[str]:
    """The signatures of a function, `(input: Tensor) -> Tensor`; several if the result's type depends on arguments."""
    overloads = OVERLOADS.get(f"Tensor.{name}") if is_method else None
    overloads = overloads or OVERLOADS.get(name)
    if overloads is None:
        signature = inspect.signature(function)
        return [f"({parameters(signature, is_method)}) -> {result_of(signature, name)}"]
    found = []
    for overload in overloads:
        for word, kind in (("out", "Tensor | None"), ("pair", "tuple[Tensor, Tensor] | None")):
            overload = overload.replace(f"+{word}", "" if is_method else f", *, out: {kind} = None")
        overload = overload.replace("(input: Tensor", "(self") if is_method else overload
        found.append(overload.replace("Pair", f"_return_{name}"))
    return found


def stub(name: str, function: Callable[..., Any], indent: str = "") -> Iterator[str]:
    """The lines of one function, or of a method if they are indented."""
    bare, is_method = name.rpartition(".")[2], bool(indent)
    forms = signatures(name, function, is_method)
    for at, form in enumerate(forms):
        if len(forms) > 1:
            yield f"{indent}@overload"
        remark = "  # type: ignore[override]" if bare in OVERRIDES else ""
        line = f"{indent}def {bare}{form}:"
        doc = summary(function, f"{indent}    ") if at == 0 else []
        yield from wrapped(line, indent) if not remark else [f"{line}{remark}"]
        yield from doc or [f"{indent}    ..."]


def wrapped(line: str, indent: str) -> list[str]:
    """A line of a stub, broken into several if it is too long."""
    if len(line) <= WIDTH:
        return [line]
    head, _, rest = line.partition("(")
    inner, _, tail = rest.rpartition(") ->")
    whole = re.sub(r"(?<!,) ", "\xa0", inner)  # never break a line within a parameter
    deeper = f"{indent}    "
    lines = textwrap.wrap(f"{whole},", WIDTH, initial_indent=deeper, subsequent_indent=deeper, break_long_words=False)
    return [f"{head}(", *[line.replace("\xa0", " ") for line in lines], f"{indent}) ->{tail}"]


def summary(function: Any, indent: str) -> list[str]:
    """The first paragraph of a docstring, as a docstring."""
    paragraph = (inspect.getdoc(function) or "").partition("\n\n")[0]
    said = " ".join(paragraph.split()).replace("\\", "\\\\").replace('"""', "'''")
    if not said:
        return []
    lines = textwrap.wrap(f'"""{said}', WIDTH - len(indent) - 3, break_long_words=False, break_on_hyphens=False)
    end = ' """' if lines[-1].endswith('"') else '"""'
    return [f"{indent}{line}" for line in [*lines[:-1], f"{lines[-1]}{end}"]]


def the_methods() -> str:
    """`tensor/methods.pyi`: the methods that are attached to Tensor, in terms of its class's own names."""
    lines = [HEAD.format(doc="Tensor's operators and attributes.")]
    lines += ["from tensorglass.memory import StorageHolder", "from tensorglass.tensor.tensor import Tensor\n"]
    for name, fields in TUPLES.items():
        lines += [f"class _return_{name}(NamedTuple):", *[f"    {field}: Tensor" for field in fields], ""]
    lines.append("class Methods(StorageHolder):")
    lines.append('    """What Tensor has beside its header."""\n')
    assert OPERATORS  # this attaches the families that are loaded lazily
    for name, member in sorted(vars(torch.Tensor).items()):
        function = member.fget if isinstance(member, property) else member
        is_own = getattr(function, "__module__", None) == "tensorglass.tensor.tensor"
        if isinstance(member, MissingAttribute) or not inspect.isfunction(function) or is_own:
            continue
        if not isinstance(member, property):
            lines += [*stub(name, function, "    "), ""]
            continue
        kind = named(inspect.signature(function).return_annotation)
        lines += ["    @property", f"    def {name}(self) -> {kind}:"]
        lines += [*(summary(function, "        ") or ["        ..."])]
        if member.fset is not None and "_not_writable" not in member.fset.__qualname__:
            lines += [f"    @{name}.setter", f"    def {name}(self, value: {kind}) -> None: ..."]
        lines.append("")
    return tidy(lines)


def the_functions(home: str) -> str:
    """The functions of a module, such as `linalg`."""
    doc = (inspect.getdoc(getattr(torch, home)) or "").partition("\n")[0]
    lines = [HEAD.format(doc=doc), imported_tuples(), "from tensorglass.tensor.tensor import Tensor\n"]
    if home == "linalg":
        lines.append("from tensorglass.core.errors import LinAlgError as LinAlgError\n")
    for path, function in sorted(FUNCTIONS.items()):
        if path.startswith(f"{home}."):
            lines += [*stub(path, function), ""]
    return tidy(lines)


def imported_tuples() -> str:
    names = ", ".join(f"_return_{name}" for name in TUPLES)
    return f"from tensorglass.tensor.methods import {names}"


def the_root() -> str:
    """`__init__.pyi`: what the root imports, and the functions of the operators."""
    lines = [HEAD.format(doc=(torch.__doc__ or "").partition("\n")[0]), imported_tuples()]
    taken = {"Any", "TYPE_CHECKING"}
    there = set(dir(torch))
    for module, name in sorted(imports()):
        if (name in there or name in torch._LAZY) and name not in taken:
            lines.append(f"from {module} import {name} as {name}")
            taken.add(name)
    for name, home in ELSEWHERE.items():
        if "." not in name and not name.startswith("_"):
            package, _, module = home.rpartition(".")
            lines.append(f"from tensorglass.{package} import {module} as {name}")
    lines += ["", "newaxis: None", "Storage: Any"]
    lines += ["from tensorglass.ops.declare import return_types as return_types", ""]
    for path, function in sorted(FUNCTIONS.items()):
        if "." not in path and path not in taken:
            lines += [*stub(path, function), ""]
    return tidy(lines)


def imports() -> Iterator[tuple[str, str]]:
    """The names that the root imports, at once or on first use: modules and objects."""
    tree = ast.parse((LIBRARY / "__init__.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, alias.asname or alias.name) for alias in node.names)
    for module, names in torch._LAZY.items():
        if names:
            yield from ((f"tensorglass.{module}", name) for name in names)
        else:
            yield "tensorglass", module


def tidy(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def pages() -> dict[Path, str]:
    """Every stub by its file."""
    return {
        LIBRARY / "__init__.pyi": the_root(),
        LIBRARY / "tensor" / "methods.pyi": the_methods(),
        **{LIBRARY / f"{home}.pyi": the_functions(home) for home in MODULES},
    }


if __name__ == "__main__":
    made = pages()
    if "--check" not in sys.argv[1:]:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
    elif stale := [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]:
        sys.exit(f"out of date: {', '.join(stale)}; run: python docs/make_stubs.py")
