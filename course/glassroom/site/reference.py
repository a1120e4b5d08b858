"""The reference: every operator of tensorglass from the operator table, every name of glassroom from its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from textwrap import dedent

import glassroom
from glassroom.translations.templates import as_is
from tensorglass import Tensor
from tensorglass.extending import OPERATORS


def operator_pages() -> dict[str, str]:
    """The pages in Markdown by their file names: an index, and one for each kind of operator."""
    kinds: dict[str, list[str]] = {}
    for name, operator in sorted(OPERATORS.items()):
        if not name.startswith("_"):
            kinds.setdefault(operator.kind, []).append(name)
    pages = {}
    rows = []
    for kind, names in sorted(kinds.items(), key=lambda pair: pair[0].lower()):
        file = kind.lower().replace(" ", "-")
        title = f"{kind[0].upper()}{kind[1:]}"
        pages[file] = "\n\n".join([f"# {title}", *(_operator(name) for name in names)])
        rows.append(f"| [{title}]({file}.md) | {', '.join(f'`{name}`' for name in names)} |")
    toctree = as_is("```{toctree}\n:hidden:\n\n") + "\n".join(pages) + "\n```"
    head = (
        "# tensorglass\n\nEvery operator, as the operator table declares it. Tests run the examples, here and on "
        "PyTorch. Names, arguments and results are PyTorch's; what differs says so."
    )
    pages["index"] = "\n".join([head, "", toctree, "", "| kind | operators |", "|---|---|", *rows])
    return pages


def glassroom_page() -> str:
    """The names that programs and notebooks import from glassroom."""
    told = ["# glassroom", "The inspectors, and what notebooks ask learners with: `from glassroom import show`."]
    for name in vars(glassroom)["__all__"]:
        if name.startswith("_"):
            continue
        value = getattr(glassroom, name)
        call = f"{name}{_signature(value)}" if callable(value) else name
        told += [f"## `{name}`", f"```python\n{call}\n```", markdown(inspect.getdoc(value) or "")]
    return "\n\n".join(told)


def markdown(docstring: str) -> str:
    """A docstring as Markdown: examples and indented blocks as code, paragraphs as they are."""
    blocks = re.split(r"\n\s*\n", docstring.strip("\n"))
    return "\n\n".join(filter(None, map(_block, blocks)))


def _block(block: str) -> str:
    text = dedent(block).strip()
    if text.startswith(">>>"):
        return f"```pycon\n{text}\n```"
    text = re.sub(r"\n\s+", "\n", text)
    pieces = re.split(r"(``.+?``|`[^`]+`)", text, flags=re.DOTALL)
    pieces[::2] = [re.sub(r"([\\*_<>\[\]#|$])", r"\\\1", words) for words in pieces[::2]]
    return "".join(pieces)


def _operator(name: str) -> str:
    operator = OPERATORS[name]
    told = [f"## `{operator.path}`", f"```python\n{chr(10).join(_calls(name))}\n```"]
    told.append(markdown(inspect.getdoc(operator.function) or ""))
    if operator.differs:
        told.append(f"**Differs from PyTorch:** {operator.differs}")
    return "\n\n".join(told)


def _calls(name: str) -> Iterator[str]:
    """How an operator is called: as a function, as a method, in place."""
    operator = OPERATORS[name]
    signature = _signature(operator.function)
    if operator.is_function:
        yield f"torch.{operator.path}{signature}"
    if operator.is_attribute:
        yield f"Tensor.{name}"
    elif operator.is_method and hasattr(Tensor, name):
        yield f"Tensor.{name}{_signature(operator.method or operator.function, first=False)}"
    if operator.inplace is not None:
        yield f"Tensor.{name}_(…)"
    for alias in operator.aliases:
        yield f"torch.{alias}  # the same"


def _signature(function: object, first: bool = True) -> str:
    """The parameters by name and default, without annotations; all but the first for a method."""
    try:
        parameters = list(inspect.signature(function).parameters.values())  # type: ignore[arg-type]  # else a TypeError
    except (TypeError, ValueError):
        return "(…)"
    if not first and parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        parameters = parameters[1:]
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    # An object that means "not given" would be shown with its address, another one in each build.
    return re.sub(r"<[^<>]* at 0x[0-9a-f]+>", "...", str(inspect.Signature(plain)))
