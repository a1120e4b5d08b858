"""`read(torch.Tensor.view)`: tensorglass's own lines, in a notebook.

Every mechanism of the library is a short Python file. PyTorch's own is often C++, so a function of PyTorch's shows the
lines of its counterpart in tensorglass.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import textwrap
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

import tensorglass
from glassroom.live.audience import running_cell
from glassroom.translations.templates import word
from tensorglass.extending import OPERATORS, Operator

_ROOT = Path(inspect.getfile(tensorglass)).parent
_HOMES = ("torch", "tensorglass")
#: JupyterLab breaks long lines of code anywhere, within words too, and leaves wide margins beside them.
_LOOK = (
    ".jp-RenderedMarkdown .gr-lines pre { margin: 8px 0 0; padding-left: 1ch; "
    "font-size: var(--jp-code-font-size); line-height: var(--jp-code-line-height); "
    "word-break: normal; overflow-wrap: anywhere; }"
)


class Source:
    """Lines of the library. In a notebook they are shown as Python, elsewhere printed."""

    def __init__(self, name: str, file: str, code: str) -> None:
        self.name = name  #: what was asked for
        self.file = file  #: its file, beginning with the package's folder: "tensorglass/geometry/views.py"
        self.code = code  #: the lines themselves

    def __repr__(self) -> str:
        where = word(f"{self.name}, in {self.file}")
        return f"# {where}\n{self.code}"

    def _repr_markdown_(self) -> str:
        where = word(f"`{self.name}`, in `{self.file}`")
        lines = f"```python\n{self.code}\n```"
        if running_cell():  # JupyterLab and Notebook tell of one; other pages show the lines as they show all code
            lines = f'<div class="gr-lines">\n\n{lines}\n\n</div>\n\n<style>{_LOOK}</style>'
        return f"{where}\n\n{lines}"


def read(what: Any) -> Source:
    """The lines of tensorglass that do what a function, method, property or class does.

    `what` is the object itself, tensorglass's or PyTorch's (``torch.Tensor.view``, ``torch.exp``, ``torch.nn.Linear``),
    or a path in the library as a string (``"geometry.views.transpose"``; ``"geometry.views"`` is the whole file). An
    operator is shown as it is declared: its kernel, and its derivative above it. Raises ValueError for a path that
    leads nowhere, TypeError for what has no lines in the library.
    """
    if isinstance(what, str):
        return _at(what)
    if isinstance(what, ModuleType):
        return _at(what.__name__)
    if isinstance(what, property):
        what = what.fget
    own = _declared(what)
    if own is not None:
        return own
    name = getattr(what, "__qualname__", None)
    if name is None:
        raise TypeError(f"read() takes a function, a method, a class or a path, not {_kind(what)}")
    for path in _paths(what, name):
        member = _member(path)
        if member is not None and (lines := _lines(member)) is not None:
            return lines
    raise TypeError(f"{name} has no lines in tensorglass")


def _kind(what: Any) -> str:
    name = type(what).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


# --- operators: where they are declared ------------------------------------------------------------------------------


def _declared(what: Any) -> Source | None:
    """An operator's declaration. Its public function is made from that, and has no lines of its own to show."""
    name = getattr(what, "__name__", "")
    module = getattr(what, "__module__", None) or getattr(getattr(what, "__objclass__", None), "__module__", None) or ""
    if isinstance(what, type) or module.partition(".")[0] not in _HOMES:
        return None
    row = _row(name)
    if row is None:
        return None
    code = _found_in(row.function.__module__, row.function.__name__)
    return None if code is None else Source(name, _file_of(row.function.__module__), code)


def _row(name: str) -> Operator | None:
    """Find an operator by the name of its function, method, in-place form or Python operator."""
    for candidate in (name, name.removesuffix("_")):
        if candidate in OPERATORS:
            return OPERATORS[candidate]
    alias = name.replace("_", ".", 1)  # PyTorch's own name of special.expit is special_expit
    return next((row for row in OPERATORS.values() if name in row.dunders or {name, alias} & {*row.aliases}), None)


# --- everything else: by its path ------------------------------------------------------------------------------------


def _paths(what: Any, name: str) -> list[str]:
    """The paths that the library may have it under, from the package on."""
    module = (getattr(what, "__module__", None) or "").split(".")
    inner = name.replace("TensorBase.", "Tensor.").replace("_VariableFunctionsClass.", "")
    within = [part for part in module[1:] if not part.startswith("_")] if module[0] in _HOMES else []
    if module == ["torch", "_C", "_nn"]:
        within = ["nn", "functional"]
    return [".".join([*within[:depth], inner]) for depth in range(len(within), -1, -1)]


def _member(path: str) -> Any:
    """What is at a path of public names, or None."""
    member: Any = tensorglass
    for part in path.split("."):
        member = inspect.getattr_static(member, part, None) if isinstance(member, type) else getattr(member, part, None)
        if member is None:
            return None
    return member.fget if isinstance(member, property) else member


def _lines(member: Any) -> Source | None:
    """The lines of an object that is defined in the library."""
    if isinstance(member, type):  # a public class may claim another module as its own; its methods do not
        methods = [function for function in vars(member).values() if inspect.isfunction(function)]
        modules = [member.__module__, *[method.__module__ for method in methods]]
        for module in modules:
            if module.startswith("tensorglass.") and (code := _found_in(module, member.__name__)) is not None:
                return Source(member.__name__, _file_of(module), code)
        return None
    member = inspect.unwrap(member) if callable(member) else member
    try:
        file, code = inspect.getsourcefile(member), inspect.getsource(member)
    except (OSError, TypeError):
        return None
    if file is None or not Path(file).is_relative_to(_ROOT):
        return None
    path = Path(file).relative_to(_ROOT.parent).as_posix()
    return Source(member.__qualname__, path, textwrap.dedent(code).rstrip())


def _at(path: str) -> Source:
    """What a path such as "geometry.views.transpose" or "geometry/views.py" leads to."""
    parts = path.strip().removesuffix(".py").replace("/", ".").split(".")
    if parts[0] in _HOMES:
        parts = parts[1:]
    if not all(parts):
        raise ValueError(f"there is no {path!r} in tensorglass")
    for depth in range(len(parts), 0, -1):
        module = ".".join(["tensorglass", *parts[:depth]])
        try:
            is_there = importlib.util.find_spec(module) is not None
        except (ImportError, ValueError):
            is_there = False
        if not is_there:
            continue
        text, name = _text_of(module), ".".join(parts[depth:])
        if not name:
            return Source(".".join(parts), _file_of(module), text.rstrip())
        code = _found_in(module, name)
        if code is not None:
            return Source(name, _file_of(module), code)
        near = get_close_matches(name, _names_in(text), n=1)
        raise ValueError(f"{_file_of(module)} has no {name!r}" + (f". Did you mean {near[0]!r}?" if near else ""))
    member = _member(".".join(parts))
    if member is None:
        raise ValueError(f"there is no {path!r} in tensorglass")
    return read(member)


def _text_of(module: str) -> str:
    return _origin(module).read_text(encoding="utf-8")


def _file_of(module: str) -> str:
    return _origin(module).relative_to(_ROOT.parent).as_posix()


def _origin(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"{module} has no file")
    return Path(spec.origin)


def _names_in(text: str) -> list[str]:
    return [node.name for node in ast.parse(text).body if isinstance(node, _DEFINITIONS)]


_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def _found_in(module: str, name: str) -> str | None:
    """The definition of a name, or of a method ("Storage.resize_"), with its decorators; None if it has none there."""
    text = _text_of(module)
    nodes: list[ast.stmt] = ast.parse(text).body
    definition: ast.FunctionDef | ast.ClassDef | None = None
    for part in name.split("."):
        definition = next((node for node in nodes if isinstance(node, _DEFINITIONS) and node.name == part), None)
        if definition is None:
            return None
        nodes = definition.body
    assert definition is not None
    first = min([definition.lineno, *[decorator.lineno for decorator in definition.decorator_list]])
    return textwrap.dedent("\n".join(text.splitlines()[first - 1 : definition.end_lineno]))
