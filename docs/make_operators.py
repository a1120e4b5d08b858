"""Makes docs/operators.md and ops/declare/lazy_names.txt from the operator table: ``python docs/make_operators.py``.

The dtypes and the derivative of an operator are found by making the calls that its samples describe.
`tests/library/test_docs.py` checks that both files are up to date.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tensorglass as torch
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare.lazy_loading import FAMILIES
from tensorglass.ops.declare.registry import IN_PLACE_FUNCTIONS, Operator, Sample
from tensorglass.ops.declare.samples import samples_of

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "operators.md"
DIFFERENCES = (DOCS / "differences.md", DOCS / "differences-appendix.md")
LATER = DOCS.parent / "lib" / "tensorglass" / "ops" / "declare" / "lazy_names.txt"

INDENT = "    "

#: Groups of dtypes that share a name.
GROUPS = {
    "bool": (torch.bool,),
    "int": (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    "half": (torch.float16, torch.bfloat16),
    "float": (torch.float32, torch.float64),
    "complex": (torch.complex64, torch.complex128),
}
REFUSALS = (RuntimeError, TypeError, NotImplementedError, ValueError, IndexError)

HEAD = """# The operators

All of them, family by family, made from the operator table by `python docs/make_operators.py`.
What differs from PyTorch is listed in [differences.md](differences.md) and its appendix, and here beside each operator.

- **module**: where it is declared, in `ops/`; what begins with `interop` is in the folder `interop/` beside it.
- **forms**: `f` a function of the namespace, `m` a method, `_` in place, `f_` that as a function of the namespace,
  `out` takes `out=`, `.` an attribute, `__add__` Python's operator.
- **dtypes** that it takes; `half` is float16 and bfloat16; "any" where it moves elements and computes nothing.
- **derivative**: whether gradients flow through it.
- **parity**: `samples` if it is compared with PyTorch by its samples, in every dtype and layout, in each form;
  `by name` if by tests that name it.
"""
COLUMNS = [
    "| operator | module | forms | dtypes | derivative | parity | how it differs |",
    "|---|---|---|---|---|---|---|",
]

#: Families that move elements, or look at headers, whatever the dtype.
OF_ANY_DTYPE = ("view", "header", "copy", "indexing", "creation", "rearranging", "joining")


def cast(argument: Any, dtype: torch.dtype) -> Any:
    """A sample's argument with its floating-point tensors converted to another dtype; integers are never 0."""
    if isinstance(argument, (list, tuple)):
        return type(argument)(cast(item, dtype) for item in argument)
    if not isinstance(argument, torch.Tensor) or not argument.is_floating_point():
        return argument
    if dtype.is_floating_point or dtype.is_complex:
        return argument.to(dtype)
    if dtype is torch.bool:
        return argument > 0
    whole = (argument * 3).trunc()
    whole = torch.where(whole == 0, 1.0, whole)
    return (whole.abs() if dtype is torch.uint8 else whole).to(dtype)


def call(row: Operator, sample: Sample, dtype: torch.dtype, *, requires_grad: bool = False) -> Any:
    """Make a sample's call in another dtype."""
    arguments = [cast(argument, dtype) for argument in sample.arguments]
    keywords = {name: cast(keyword, dtype) for name, keyword in sample.keywords.items()}
    if requires_grad:
        for argument in arguments:
            if isinstance(argument, torch.Tensor) and argument.is_floating_point():
                argument.requires_grad_()
            if isinstance(argument, (list, tuple)):
                for part in argument:
                    if isinstance(part, torch.Tensor) and part.is_floating_point():
                        part.requires_grad_()
    return row.function(*arguments, **keywords)


def takes(row: Operator, dtype: torch.dtype) -> bool:
    """Whether a sample's call works in the dtype."""
    for sample in samples_of(row):
        try:
            call(row, sample, dtype)
        except REFUSALS:
            continue
        return True
    return False


def dtypes_of(row: Operator) -> str:
    if not samples_of(row):
        return "any" if row.kind in OF_ANY_DTYPE else ""
    taken = {name: [dtype for dtype in group if takes(row, dtype)] for name, group in GROUPS.items()}
    if all(len(taken[name]) == len(group) for name, group in GROUPS.items()):
        return "all"
    words = []
    for name, group in GROUPS.items():
        if len(taken[name]) == len(group):
            words.append(name)
        elif taken[name]:
            words += [str(dtype).removeprefix("torch.") for dtype in taken[name]]
    return " ".join(words)


def has_gradient(row: Operator) -> bool:
    """Whether a result requires a gradient if an operand does."""
    if hasattr(row.function, "derivative") or hasattr(row.inplace, "derivative"):
        return True
    for sample in samples_of(row):
        try:
            result = call(row, sample, torch.float64, requires_grad=True)
        except REFUSALS:
            continue
        results = result if isinstance(result, (list, tuple)) else [result]
        if any(isinstance(result, torch.Tensor) and result.requires_grad for result in results):
            return True
    return False


def forms_of(row: Operator) -> str:
    dunders = [name for name in row.dunders if not name.startswith(("__r", "__i")) or name == "__invert__"]
    forms = [
        (row.is_function, "f"),
        (row.is_method, "m"),
        (row.inplace is not None, "_"),
        (row.inplace is not None and f"{row.name}_" in IN_PLACE_FUNCTIONS, "f_"),
        (row.has_out, "out"),
        (row.is_attribute, "."),
    ]
    return " ".join([*[word for is_there, word in forms if is_there], *[f"`{name}`" for name in dunders]])


def module_of(row: Operator) -> str:
    """The module that declares the operator, relative to `ops`."""
    return row.function.__module__.removeprefix("tensorglass.").removeprefix("ops.")


def listed_differences() -> dict[str, list[str]]:
    """What differences.md and its appendix say about each name: the subject, and what tensorglass does."""
    by_name: dict[str, list[str]] = {}
    for line in "\n".join(page.read_text() for page in DIFFERENCES).splitlines():
        cells = [name.strip() for name in line.strip("|").split(" | ")]
        if not line.startswith("| ") or len(cells) != 3:
            continue
        for code in re.findall(r"`([^`]+)`", cells[0]):
            name = code.partition("(")[0]
            if name in OPERATORS or name.replace(".", "_") in OPERATORS:
                by_name.setdefault(name.replace(".", "_"), []).append(f"{cells[0]}: {cells[2]}")
    return by_name


def rows(kind: str, differences: dict[str, list[str]]) -> Iterator[str]:
    for row in sorted((row for row in OPERATORS.values() if row.kind == kind), key=lambda row: row.path):
        if not (row.is_function or row.is_method or row.is_attribute or row.dunders):
            continue  # a kernel that another operator calls
        names = ", ".join(f"`{name}`" for name in (row.path, *row.aliases))
        differs = [row.differs] if row.differs is not None else differences.get(row.name, [])
        cells = [
            names,
            f"`{module_of(row)}`",
            forms_of(row),
            dtypes_of(row),
            "yes" if has_gradient(row) else "",
            "samples" if samples_of(row) else "by name",
            "; ".join(differs).replace("|", "/"),
        ]
        yield f"| {' | '.join(cells)} |"


def page() -> str:
    """The page's text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        differences = listed_differences()
        parts = [HEAD]
        for kind in sorted({row.kind for row in OPERATORS.values()}):
            kind_rows = list(rows(kind, differences))
            if kind_rows:
                title = f"## {kind[0].upper()}{kind[1:]} ({len(kind_rows)})"
                parts.append("\n".join([title, "", *COLUMNS, *kind_rows, ""]))
    return "\n".join(parts)


def names_of(row: Operator) -> Iterator[str]:
    """All names by which a program reaches an operator: "det", "linalg.det", "Tensor.det"."""
    for name in (row.name, *[alias for alias in row.aliases if "." not in alias]):
        if row.is_function and not row.namespace:
            yield name
        if row.is_method:
            yield f"Tensor.{name}"
        if row.inplace is not None and row.is_method:
            yield f"Tensor.{name}_"
        forms = {name: row.function, f"{name}_": row.inplace}
        yield from (form for form, body in forms.items() if body is not None and form in IN_PLACE_FUNCTIONS)
    yield from (path for path in (row.path, *row.aliases) if "." in path)


def later() -> str:
    """The families that are imported when first needed, each with the names that it defines."""
    by_family: dict[str, list[str]] = {family: [] for family in sorted(FAMILIES)}
    for row in OPERATORS.values():
        family = row.function.__module__.removeprefix("tensorglass.")
        if family in by_family:
            assert not row.is_attribute, f"{row.name} is an attribute, so its module must be imported early"
            assert not row.dunders, f"{row.name} is one of Python's operators, so its module must be imported early"
            by_family[family] += names_of(row)
    parts = []
    for family, names in by_family.items():
        listed = " ".join(dict.fromkeys(names))
        parts += [family, textwrap.fill(listed, 120, initial_indent=INDENT, subsequent_indent=INDENT)]
    return "\n".join([*parts, ""])


if __name__ == "__main__":
    PAGE.write_text(page())
    LATER.write_text(later())
