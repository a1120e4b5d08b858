"""The notes under the library's errors, in another language.

The library writes them in English, and passes each to a function that may translate it. The sentence behind a note is
found by the text between its values. A value that is words in turn, such as `2 dimensions`, is translated by itself.
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
NOTEBOOK = "{title}"  # stands for a notebook that a note refers to, "07 View or reshape"
_PLACEHOLDER = re.compile(r"\{[^{}]+\}")
_COUNT = re.compile(r"(\d+) ([a-z]+)")
_LISTED = re.compile(r"\S+( (and|or) \S+)+")


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
            values = {name: _titled(value) if name == NOTEBOOK else _said(value) for name, value in values.items()}
            return "".join(
                values[piece] if known else piece for known, piece in templates.pieces(said, dict.fromkeys(names))
            )
    return note


def notebook_of(note: str) -> str | None:
    """The number and title of the notebook that a note refers the reader to; None if it refers to none."""
    pattern = re.escape(translated("The course explains it: part PART, TITLE."))
    match = re.fullmatch(pattern.replace("PART", r"\d").replace("TITLE", "(.*)"), note)
    return match[1] if match else None


def is_of_notebook(note: str, file: Path) -> bool:
    """Whether a note refers the reader to the notebook in this file."""
    title, own = notebook_of(note), file.stem
    return title is not None and _stem(title) in (own, _stem(_titled(own)))


def _said(value: str) -> str:
    """A note's value in the language of this process, if it is words: a part of a note, a count, or a list of names."""
    words = _words()
    if value in words:
        return words[value]
    if (count := _COUNT.fullmatch(value)) and (thing := words.get(count[2].removesuffix("s"))):
        return f"{count[1]} {templates.in_number(int(count[1]), thing)}"
    if _LISTED.fullmatch(value):
        for between in (" and ", " or "):
            value = value.replace(between, words.get(between, between))
    return value


@cache
def _words() -> dict[str, str]:
    """The translations of what has no values itself."""
    folder = catalogues_spoken()
    table = catalogue.read(folder / f"{CATALOGUE}.po") if folder else {}
    return {text: said for (_, text), said in table.items() if not _PLACEHOLDER.search(text)}


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
    """A notebook's number and title in the language of this process; in English it is named after its file."""
    folder = catalogues_spoken()
    for path in folder.glob(f"*/{_stem(notebook)}.po") if folder else ():
        titles = [said for (context, _), said in catalogue.read(path).items() if context == "notebook"]
        return " ".join([notebook[:2], titles[0]]) if titles else notebook
    return notebook


def _stem(notebook: str) -> str:
    """The name of the file of a notebook, "07_view_or_reshape"."""
    return re.sub("[ -]", "_", notebook).lower()


def sentences(library: Path) -> Iterator[tuple[str, str]]:
    """The notes that the library adds to its errors, and the values in them that are words: the module, and the text.

    If a note comes from a function or a variable, its sentence is searched there; if a value comes from a loop over a
    table, it is searched in that.
    """
    trees = ((path, ast.parse(path.read_text("utf-8"))) for path in sorted(library.rglob("*.py")))
    modules = {path: list(ast.walk(tree)) for path, tree in trees}
    functions: dict[str, list[ast.FunctionDef]] = {}
    for nodes in modules.values():
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, []).append(node)
    values: set[str] = set()
    for path, nodes in modules.items():
        assigned: dict[str, list[ast.expr]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                assigned.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "append":
                assigned.setdefault(getattr(node.func.value, "id", ""), []).extend(node.args)  # type: ignore[attr-defined]  # it has one
        told = _Notes(functions, assigned, list(modules.values()))
        for note in _notes_in(nodes):
            yield from ((path.relative_to(library).as_posix(), text) for text in told.of(note))
        for text in told.values:
            if text not in values:
                yield path.relative_to(library).as_posix(), text
        values.update(told.values)


def _notes_in(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "explained":
            yield from node.args[1:]
        elif isinstance(node, ast.FunctionDef) and node.name == "explained":  # it adds a note of its own
            own = (part for part in ast.walk(node) if isinstance(part, ast.Tuple))
            yield from (element for added in own for element in added.elts if not isinstance(element, ast.Starred))


class _Notes:
    """The sentences that an expression may give, and the words that values in them may be; `functions` are the
    library's, `assigned` the values of a module's names, and `modules` all of the library's modules."""

    def __init__(
        self,
        functions: dict[str, list[ast.FunctionDef]],
        assigned: dict[str, list[ast.expr]],
        modules: list[list[ast.AST]],
    ) -> None:
        self.functions, self.assigned, self.modules = functions, assigned, modules
        self.seen: set[str] = set()
        self.looped: dict[str, list[ast.expr]] = {}
        self.values: dict[str, None] = {}

    def of(self, node: ast.expr) -> Iterator[str]:
        yield from (text for text in self._of(node) if templates.is_prose(text))

    def _of(self, node: ast.expr) -> Iterator[str]:
        if isinstance(node, ast.JoinedStr):
            yield templates.template(node)[0]
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    self.values.update(dict.fromkeys(self._words_of(part.value)))
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
                self.looped = self._in_loops_of(function)
                for node in ast.walk(function):
                    if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
                        yield from self._of(node.value)
            for value in self.assigned.get(called, ()):
                yield from self._of(value)

    def _words_of(self, value: ast.expr) -> list[str]:
        """The words that a value in a note may be: one of two, a thing that is counted, what stands between names."""
        parts: list[ast.expr] = []
        if isinstance(value, ast.IfExp):
            parts = [value.body, value.orelse]
        elif isinstance(value, ast.Name):
            parts = [*self.assigned.get(value.id, ()), *self.looped.get(value.id, ())]
        elif isinstance(value, ast.Call) and getattr(value.func, "id", "") == "count":
            parts = value.args[1:]
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "join":
            parts = [value.func.value]
        texts = [part.value for part in parts if isinstance(part, ast.Constant)]
        return [text for text in texts if isinstance(text, str) and re.search("[a-z]{2}", text)]

    def _in_loops_of(self, function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
        """The values that a function's loops over tables of its module give to names."""
        loops = [node for node in ast.walk(function) if isinstance(node, ast.For)]
        tables = {
            node.targets[0].id: node.value
            for node in (next(nodes for nodes in self.modules if function in nodes) if loops else ())
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        looped: dict[str, list[ast.expr]] = {}
        for loop in loops:
            for row in getattr(tables.get(getattr(loop.iter, "id", "")), "elts", ()):
                for name, value in zip(getattr(loop.target, "elts", ()), getattr(row, "elts", ()), strict=False):
                    looped.setdefault(getattr(name, "id", ""), []).append(value)
        return looped
