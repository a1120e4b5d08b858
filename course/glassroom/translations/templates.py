"""The sentences of Python code: finding the strings that people read, and replacing them. A string is a sentence if it
has words with blanks between them and is not code. In an f-string, each value becomes a placeholder, `{name}`, and a
translation may change the order of placeholders. Keys of dictionaries, sets, compared values, annotations and
docstrings are never sentences, since programs read them. Single words cannot be distinguished from names, nor `{name}
in {place}()` from code: a call of `word` marks them, and keys too. A call of `as_is` marks text that is not for people.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from textwrap import dedent
from typing import Any

MARKS = {"word", "counted"}  # functions whose constant arguments are single words that people read
LONGEST_PLACEHOLDER = 24
#: Functions and keyword arguments whose values are patterns, names or code.
READ_BY_PROGRAMS = {
    *("compile", "search", "match", "fullmatch", "sub", "subn", "findall", "finditer", "getattr", "setattr", "hasattr"),
    *("import_module", "open", "startswith", "endswith", "split", "partition"),
    *("rpartition", "replace", "as_is", "execute", "TypeVar", "namedtuple", "parse", "strftime"),
}
CODE_KEYWORDS = {"setup", "action", "metavar", "class_", "encoding", "mode", "loc"}
_SPAN = re.compile(r"`[^`]*`|<[^<>]*>|\{[^{}]*\}|https?://\S+|--?[\w-]+")
#: A word of two letters or more, or an article before one: "a view".
_WORD = re.compile(r"(?<![\w./\\&#$%@-])(?:[A-Za-z][a-z]+|[Aa](?= [a-z]{3}))(?![\w/\\(=]|\.\w|-\w*[:=])")
_NO_PROSE = re.compile(
    r"\(\?[:=!<P]|\\[bdsw]|[\w-]+: ?[^;{}]+;\s*[\w-]+:|\{\s*[\w-]+: [^;{}]+[;}]|\{\{\s*[\w-]+:|^#!|\bvar\(--"
    r"|\b__global__\b|^\s*\(?(SELECT|INSERT|CREATE|DELETE|UPDATE|PRAGMA)\b|^use strict$|^default-src |^sqlite://"
)

#: The looks of words: classes of a picture's style sheet, and a terminal's; and classes of elements, all with hyphens.
_LOOKS = re.compile(
    r"((\{\w+\}|fact|tiny|title|turn|used|mid|soft|end|bad|did|grad|bold|red|hue\{[^{}]*\}) ?)+|([\w{}]+(-[\w{}]+)+ ?)+"
)
_VALUE = re.compile(r"\{[^{}]*\}")

_COMPARED = (ast.Constant, ast.JoinedStr, ast.Tuple, ast.List)

Replace = Callable[[str], str | None]


def word(text: str) -> str:
    """Return the text itself: a call marks a single word, or text that looks like code, as read by people."""
    return text


def as_is(text: str) -> str:
    """Return the text itself: a call marks text that programs read, such as an answer that is compared."""
    return text


def in_number(n: int, one: str, many: str | None = None) -> str:
    """The word for `n` things. A translation of `one` may have its plural behind a bar: `Block|Blöcke`."""
    single, bar, plural = one.partition("|")
    if not bar:
        plural = many or one + "s" if one.isascii() else one
    return single if n == 1 else plural


def is_prose(text: str) -> bool:
    """Whether people read this string: it has two words with a blank between them, and is neither code nor markup."""
    if _NO_PROSE.search(text) or _LOOKS.fullmatch(text) or " " not in _VALUE.sub("0", text).strip():
        return False
    words = _WORD.findall(_SPAN.sub(" 0 ", text))
    if len(words) < (1 if _SPAN.search(text) else 2):
        return False
    return not is_code(text)


def is_code(text: str) -> bool:
    """Whether this is Python code, possibly with dots for omissions, rather than words with a few signs."""
    bare = dedent(text).strip().replace("…", "x")
    if not re.search(r"[=(\[:.]|^(import|from) | [-+*/@] ", bare):
        return False
    try:
        tree = ast.parse(bare)
    except (SyntaxError, ValueError):
        return "\n" in bare and bool(
            re.search(r"^\s*(def|for|while|import|from|with|class|return) .*", bare, re.MULTILINE)
        )
    return not all(isinstance(node, ast.AnnAssign) for node in tree.body)  # "Note: this" parses as an annotation


class Sentences(ast.NodeTransformer):
    """A transformer that replaces each sentence of a module by what `replace` returns; None leaves it as it is."""

    def __init__(self, replace: Replace) -> None:
        self.replace = replace

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str) or not is_prose(framed(node.value)[0]):
            return node
        return self._said(node)

    def _said(self, node: ast.Constant) -> ast.Constant:
        if not isinstance(node.value, str):
            return node
        text, around = framed(str(node.value))
        said = self.replace(text)
        return node if said is None else ast.copy_location(ast.Constant(around(said)), node)

    def _marked(self, node: ast.expr) -> Any:
        """The text in a call of a mark: people read it, whatever it looks like."""
        if isinstance(node, ast.JoinedStr):
            return self._filled(node, is_said=True)
        return self._said(node) if isinstance(node, ast.Constant) else self.visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return self._filled(node, is_prose(template(node)[0]))

    def _filled(self, node: ast.JoinedStr, is_said: bool) -> ast.AST:
        text, values = template(node)
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                value.value = self.visit(value.value)
        said = self.replace(text) if is_said else None
        return node if said is None else ast.copy_location(filled(said, values), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in MARKS:
            node.args = [self._marked(argument) for argument in node.args]
            return node
        if not (name == "split" and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant)):
            node.func = self.visit(node.func)  # a text that is split at once holds names
        if name not in READ_BY_PROGRAMS:
            node.args = [self.visit(argument) for argument in node.args]
            for keyword in node.keywords:
                if keyword.arg not in CODE_KEYWORDS:
                    keyword.value = self.visit(keyword.value)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        node.keys = [self.visit(key) if isinstance(key, ast.Call) else key for key in node.keys]
        node.values = [self.visit(value) for value in node.values]
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node.left, *node.comparators = [
            item if isinstance(item, _COMPARED) else self.visit(item) for item in (node.left, *node.comparators)
        ]
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        return node


def framed(text: str) -> tuple[str, Callable[[str], str]]:
    """A string without its surrounding empty lines and its indent, and a function that adds both to another string."""
    if not text.startswith("\n"):
        return text, lambda said: said
    body = text.strip("\n").rstrip()
    lines = body.split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    before, after = text[: text.index(body)], text[text.index(body) + len(body) :]

    def whole(said: str) -> str:
        return before + "\n".join(" " * indent * bool(line) + line for line in said.split("\n")) + after

    return "\n".join(line[indent:] for line in lines), whole


def template(node: ast.JoinedStr) -> tuple[str, dict[str, ast.FormattedValue]]:
    """An f-string as a text with placeholders, and the value that each stands for."""
    text, values = "", dict[str, ast.FormattedValue]()
    for piece in node.values:
        if isinstance(piece, ast.Constant):
            text += str(piece.value).replace("{", "{{").replace("}", "}}")
        elif isinstance(piece, ast.FormattedValue):
            shown = placeholder(piece, len(values) + 1)
            values[shown] = piece
            text += shown
    return text, values


def placeholder(piece: ast.FormattedValue, number: int) -> str:
    """A value's placeholder in a template: its code if that is short, otherwise its number."""
    name = ast.unparse(piece.value)
    if len(name) > LONGEST_PLACEHOLDER or re.search(r"[\"'{}\n]", name):
        name = f"_{number}"
    conversion = f"!{chr(piece.conversion)}" if piece.conversion != -1 else ""
    form = ""
    if isinstance(piece.format_spec, ast.JoinedStr):
        plain = all(isinstance(value, ast.Constant) for value in piece.format_spec.values)
        form = ":" + "".join(str(value.value) for value in piece.format_spec.values) if plain else ":_"  # type: ignore[attr-defined]  # constants
    return "{" + name + conversion + form + "}"


def pieces(text: str, placeholders: Mapping[str, object]) -> Iterator[tuple[bool, str]]:
    """A template's pieces in order, each with whether it is a placeholder."""
    if not placeholders:
        yield False, text.replace("{{", "{").replace("}}", "}")
        return
    longest_first = sorted(placeholders, key=len, reverse=True)
    for piece in re.split("(" + "|".join(map(re.escape, longest_first)) + ")", text):
        if piece:
            known = piece in placeholders
            yield known, piece if known else piece.replace("{{", "{").replace("}}", "}")


def filled(text: str, values: Mapping[str, ast.FormattedValue]) -> ast.JoinedStr:
    """The f-string of a translated template."""
    return ast.JoinedStr(
        [values[piece] if known else ast.Constant(piece) for known, piece in pieces(text, values)],
    )


def sentences(code: str) -> list[str]:
    """The sentences of a module, in the order of its code."""
    texts: list[str] = []

    def noted(text: str) -> None:
        texts.append(text)

    Sentences(noted).visit(ast.parse(code))
    return texts


def translated(code: str | bytes, replace: Replace, filename: str = "<module>") -> ast.Module:
    """The module with other sentences in it; lines and columns are those of `code`."""
    tree = Sentences(replace).visit(ast.parse(code, filename))
    return ast.fix_missing_locations(tree)
