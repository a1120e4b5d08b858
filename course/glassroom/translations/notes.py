"""The notes under the library's errors, in another language.

The library writes them in English, and passes each to a function that may translate it. The sentence behind a note is
found by the text between its values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from glassroom.translations import catalogue, templates
from glassroom.translations.language import catalogues_spoken

CATALOGUE = "notes"
NOTEBOOK = "{notebook}"  # stands for a notebook that a note refers to, "07 view or reshape"
_PLACEHOLDER = re.compile(r"\{[^{}]+\}")


def attach() -> None:
    """From now on, write the library's notes in the language of this process."""
    if catalogues_spoken() is not None:
        from tensorglass.extending import translate_notes

        translate_notes(translated)


def translated(note: str) -> str:
    """The note in the language of this process, or unchanged."""
    for pattern, names, said in _patterns():
        if match := pattern.fullmatch(note):
            values = dict(zip(names, match.groups(), strict=True))
            if NOTEBOOK in values:
                values[NOTEBOOK] = _titled(values[NOTEBOOK])
            return "".join(
                values[piece] if known else piece for known, piece in templates.pieces(said, dict.fromkeys(names))
            )
    return note


@cache
def _patterns() -> list[tuple[re.Pattern[str], tuple[str, ...], str]]:
    """Each sentence as a pattern, the names of its values, and its translation; the longest come first."""
    folder = catalogues_spoken()
    table = catalogue.read(folder / f"{CATALOGUE}.po") if folder else {}
    patterns = []
    for (_, text), said in sorted(table.items(), key=lambda pair: -len(_PLACEHOLDER.sub("", pair[0][1]))):
        names = tuple(_PLACEHOLDER.findall(text))
        words = (re.escape(words.replace("{{", "{").replace("}}", "}")) for words in _PLACEHOLDER.split(text))
        patterns.append((re.compile("(.*?)".join(words), re.DOTALL), names, said))
    return patterns


def _titled(notebook: str) -> str:
    """A notebook's number and title in the language of this process; "07 view or reshape" is that of its file."""
    folder = catalogues_spoken()
    for path in folder.glob(f"*/{re.sub('[ -]', '_', notebook)}.po") if folder else ():
        titles = [said for (context, _), said in catalogue.read(path).items() if context == "notebook"]
        return " ".join([notebook.partition(" ")[0], titles[0]]) if titles else notebook
    return notebook


def sentences(library: Path) -> Iterator[tuple[str, str]]:
    """The notes that the library adds to its errors: the module, and the sentence.

    If a note comes from a function or a variable, its sentence is searched there.
    """
    trees = ((path, ast.parse(path.read_text("utf-8"))) for path in sorted(library.rglob("*.py")))
    modules = {path: list(ast.walk(tree)) for path, tree in trees}
    functions: dict[str, list[ast.FunctionDef]] = {}
    for nodes in modules.values():
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, []).append(node)
    for path, nodes in modules.items():
        assigned: dict[str, list[ast.expr]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                assigned.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "append":
                assigned.setdefault(getattr(node.func.value, "id", ""), []).extend(node.args)  # type: ignore[attr-defined]  # it has one
        told = _Notes(functions, assigned)
        for note in _notes_in(nodes):
            yield from ((path.relative_to(library).as_posix(), text) for text in told.of(note))


def _notes_in(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "explained":
            yield from node.args[1:]
        elif isinstance(node, ast.FunctionDef) and node.name == "explained":  # it adds a note of its own
            own = (part for part in ast.walk(node) if isinstance(part, ast.Tuple))
            yield from (element for added in own for element in added.elts if not isinstance(element, ast.Starred))


class _Notes:
    """The sentences that an expression may give; `functions` are the library's, `assigned` the values of a module's
    names."""

    def __init__(self, functions: dict[str, list[ast.FunctionDef]], assigned: dict[str, list[ast.expr]]) -> None:
        self.functions, self.assigned = functions, assigned
        self.seen: set[str] = set()

    def of(self, node: ast.expr) -> Iterator[str]:
        yield from (text for text in self._of(node) if templates.is_prose(text))

    def _of(self, node: ast.expr) -> Iterator[str]:
        if isinstance(node, ast.JoinedStr):
            yield templates.template(node)[0]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.replace("{", "{{").replace("}", "}}")
        elif isinstance(node, ast.IfExp):
            yield from (*self._of(node.body), *self._of(node.orelse))
        elif isinstance(node, ast.Starred):
            yield from self._of(node.value)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for element in node.elts:
                yield from self._of(element)
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            yield from self._of(node.elt)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            rest = list(self._of(node.right))
            yield from (text + further for text in self._of(node.left) for further in rest)
        elif isinstance(node, (ast.Call, ast.Name)):
            yield from self._elsewhere(node.func if isinstance(node, ast.Call) else node)

    def _elsewhere(self, name: ast.expr) -> Iterator[str]:
        called = getattr(name, "id", "")
        if called and called not in self.seen:
            self.seen.add(called)
            for function in self.functions.get(called, ()):
                for node in ast.walk(function):
                    if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
                        yield from self._of(node.value)
            for value in self.assigned.get(called, ()):
                yield from self._of(value)
