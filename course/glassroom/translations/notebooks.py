"""Translating notebooks: the texts in them that people read, and the same notebook with other texts. In Markdown each
paragraph is a text (and so is a list, a table or a listing); in code each comment, and each string that is a sentence.
Code itself is the same in every language. The line previous · contents · next does not count as text, and neither does
anything without words.
"""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from textwrap import dedent
from typing import Any

from glassroom.translations.catalogue import Message, Table
from glassroom.translations.templates import Sentences, is_code, is_prose, pieces, template

Notebook = dict[str, Any]
Say = Callable[[str], str | None]

ABOUT = "notebook"  # the context of a notebook's title and question
TOLD_OF_IT = ("title", "asks")
WAY = re.compile(r"(\[← [^\]]*\]\(\S*\) · )?\[[^\]]*\]\(\.\./contents\.ipynb\)( · \[[^\]]* →\]\(\S*\))?")
NEXT = re.compile(r"^Next: \[[^\]]*\]\([^)]*\)\.?$")
#: Comments for tools, not for people.
MARKS = re.compile(r"#\s*(###|type:|noqa|your code here|%%)|#{3}\s*(BEGIN|END) SOLUTION")
_ANSWER = re.compile(r"[a-z]\w+( \w+)*")
_LINE_OF_ITS_OWN = re.compile(r"\s*([|>#]|[-*+] |\d+[.)] |```|<|\$\$|:::)")


def messages(notebook: Notebook) -> list[Message]:
    """The texts of a notebook, in reading order."""
    about = notebook["metadata"].get("glassroom", {})
    messages_found = [Message(ABOUT, str(about[key]), f"the notebook's {key}") for key in TOLD_OF_IT if about.get(key)]
    for cell in notebook["cells"]:
        heard: list[str] = []

        def noted(text: str, heard: list[str] = heard) -> None:
            heard.append(text)

        said_of_cell(cell, noted)
        messages_found += [Message(str(cell.get("id", "")), text, _kind(cell, text)) for text in dict.fromkeys(heard)]
    return messages_found


def answers(notebook: Notebook) -> set[str]:
    """The words in a notebook's solutions: what learners type as answers."""
    typed: set[str] = set()
    for cell in notebook["cells"]:
        rows = "".join(cell["source"]).split("\n")
        solution = dedent("\n".join(rows[row] for row in sorted(_solutions(rows))))
        with suppress(SyntaxError):
            constants = [node.value for node in ast.walk(ast.parse(solution)) if isinstance(node, ast.Constant)]
            typed |= {value for value in constants if isinstance(value, str) and _ANSWER.fullmatch(value)}
    return typed


def translated(notebook: Notebook, table: Table) -> Notebook:
    """The notebook in another language; texts without a translation in the table stay English."""
    other = copy.deepcopy(notebook)
    about = other["metadata"].get("glassroom", {})
    for key in TOLD_OF_IT:
        if key in about:
            about[key] = table.get((ABOUT, str(about[key])), about[key])
    for cell in other["cells"]:
        identity = str(cell.get("id", ""))

        def say(text: str, identity: str = identity) -> str | None:
            return table.get((identity, text))

        cell["source"] = said_of_cell(cell, say).splitlines(keepends=True)
    return other


def said_of_cell(cell: Notebook, say: Say) -> str:
    """A cell's source with each of its texts replaced by what `say` returns; None leaves a text as it is."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return "\n\n".join(_said_of(block, say) for block in blocks(source))
    return said_of_code(source, say) if cell["cell_type"] == "code" else source


def _kind(cell: Notebook, text: str) -> str:
    if cell["cell_type"] == "markdown":
        return ""
    return "comment" if text.startswith("#") else "in code"


# --- Markdown --------------------------------------------------------------------------------------------------------


def blocks(source: str) -> Iterator[str]:
    """Paragraphs, lists, tables and listings: the blocks between empty lines; a listing is not divided."""
    block: list[str] = []
    inside = False
    for line in source.split("\n"):
        if line.strip().startswith("```"):
            inside = not inside
        if line.strip() or inside:
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def _said_of(block: str, say: Say) -> str:
    text = unwrapped(block)
    if WAY.fullmatch(text) or NEXT.match(text) or not re.search(r"[A-Za-z]{2}", _without_code(text)):
        return block
    said = say(text)
    return block if said is None else said


def unwrapped(block: str) -> str:
    """A paragraph in one line, since its line breaks have no meaning; lists, tables and the like as they are."""
    lines = block.split("\n")
    if any(map(_LINE_OF_ITS_OWN.match, lines)) or any(line.endswith(("  ", "\\")) for line in lines):
        return block
    return " ".join(line.strip() for line in lines)


def _without_code(text: str) -> str:
    """Markdown without code and addresses; of a listing only the comments remain."""
    if text.startswith("```"):
        return "\n".join(re.findall(r"#.*", text))
    return re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>|\$[^$]*\$", "", text)


# --- code ------------------------------------------------------------------------------------------------------------

_MAGIC = re.compile(r"^(\s*)[%!?].*")
_LABEL = re.compile(r"[A-Za-z][a-z]+:\s*")
_WORDS = re.compile(r"[A-Za-z][a-z]+(,? [a-z]+)*")
#: Printed words; or code with words about it, such as "t.sort() returns:".
_PRINTED = re.compile(
    r"[·\s]*[A-Za-z][a-z]+( [\w.]+)*[:,]?\s*"
    r"|(?=.*\S \S).*(?<![\w.])(after|and|begins|in|is|returns|shares|with)(?![\w.(=]).*"
)
#: A prediction's question that is code and a few words, such as "y.sum().backward(): raises?".
_ASKED = re.compile(r"(?!.* for ).*(?<![\w.])(after|and|contiguous|in|or|pixels|raises)(?![\w.(=]).*")
_DRAWN = re.compile(r",? ?[A-Za-z][a-z]+( [\w.()]+)*\s*")
#: Functions and keyword arguments of matplotlib that take words to draw.
_DRAWING = {
    "title",
    "suptitle",
    "xlabel",
    "ylabel",
    "set_title",
    "set_xlabel",
    "set_ylabel",
    "set_xticks",
    "set_yticks",
}
_DRAWN_KEYWORDS = {"label", "title", "xlabel", "ylabel"}
#: A cell that pads values to columns: `{name:<30}`. Python counts characters there, and a full-width one takes two
#: columns, so each gets a character without a width beside it. (Fonts of figures have no such character.)
_PADDED = re.compile(r":[<>^]\d+\}")
_NO_WIDTH = "\u2060"

#: Where a text stands: the places of its first and of the one after its last character, each (row, column); and the
#: text that is to stand there.
Edit = tuple[tuple[int, int], tuple[int, int], str]


def said_of_code(source: str, say: Say) -> str:
    """A code cell with its comments and sentences replaced by what `say` returns. A cell that is not Python stays as it
    is."""
    plain = "\n".join(_MAGIC.sub(r"\1pass", row) for row in source.split("\n"))  # IPython's magics have no texts
    try:
        strings = _Strings(plain, say)
        comments = list(_comments(plain))
    except (SyntaxError, tokenize.TokenError):
        return source
    edits = strings.edits
    for first, last, text in comments:
        if (said := say(text)) is not None:
            lines = f"\n{' ' * first[1]}# ".join(said.split("\n"))
            edits.append((first, last, f"# {lines}"))
    rows = source.split("\n")
    for (row, column), (last_row, last_column), text in sorted(edits, reverse=True):
        whole = rows[row][:column] + text + rows[last_row][last_column:]
        rows[row : last_row + 1] = whole.split("\n")
    return "\n".join(rows)


def _comments(code: str) -> Iterator[Edit]:
    """The comments of a cell; comments on consecutive lines are one."""
    held: Edit | None = None
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type != tokenize.COMMENT:
            continue
        text = token.string[1:].strip()
        (row, column), alone = token.start, not token.line[: token.start[1]].strip()
        if MARKS.match(token.string):
            continue
        if held and alone and held[1][0] == row - 2 and held[0][1] == column and held[2]:
            held = (held[0], (row - 1, token.end[1]), f"{held[2]}\n{text}")
            continue
        if held and _is_said(held[2]):
            yield held
        held = ((row - 1, column), (row - 1, token.end[1]), text)
        if not alone:
            if _is_said(text):
                yield held
            held = None
    if held and _is_said(held[2]):
        yield held


def _is_said(comment: str) -> bool:
    """Whether a comment has words, and is not commented-out code."""
    return bool(re.search(r"[A-Za-z]{2}", comment)) and (" " not in comment or not is_code(comment))


class _Strings(Sentences):
    """The sentences among the strings of a cell, and their replacements.

    Docstrings are among them, labels such as "before:", single words that are printed or that matplotlib draws, and
    keys that are sentences where the cell has no other use of them. Answers of predictions and solutions are not.
    """

    def __init__(self, code: str, say: Say) -> None:
        super().__init__(say)
        self.code = code
        self.rows = code.split("\n")
        self.edits: list[Edit] = []
        self.solutions = _solutions(self.rows)
        tree = ast.parse(code)
        self.in_columns = bool(_PADDED.search(code)) and "plt." not in code
        self.texts = Counter(node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
        self.visit(tree)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and (is_prose(node.value) or _LABEL.fullmatch(node.value)):
            self._put(node, node.value)
        return node

    def _put(self, node: ast.Constant, text: str, is_value: bool = False) -> None:
        said = None if node.lineno - 1 in self.solutions else self.replace(text)
        if said is not None:
            said = self._evened(said) if is_value else said
            self._edit(node, _literal(said, '"""' if self._starts(node).startswith('"""') else '"'))

    def _put_if_new(self, node: ast.Constant, text: str) -> None:
        if not (is_prose(text) or _LABEL.fullmatch(text)):  # these are found wherever they stand
            self._put(node, text)

    def _evened(self, said: str) -> str:
        """A value that may be padded: with as many characters as it takes columns."""
        wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in said)
        return said + _NO_WIDTH * wide if self.in_columns else said

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        for element in node.elts:
            if isinstance(element, ast.Constant) and isinstance(element.value, str) and is_prose(element.value):
                self._put(element, element.value, is_value=True)
            else:
                self.visit(element)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Of two alternatives, a word whose alternative is a sentence counts as one too: `"fits" if small else "too
        much"`."""
        told = [part.value for part in (node.body, node.orelse) if isinstance(part, ast.Constant)]
        if len(told) == 2 and all(isinstance(string, str) for string in told) and any(map(is_prose, map(str, told))):
            for part in (node.body, node.orelse):
                if isinstance(part, ast.Constant) and re.search("[a-z]{2}", str(part.value)):
                    self._put(part, str(part.value), is_value=True)
            node.test = self.visit(node.test)
            return node
        return self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        for key in node.keys:
            text = key.value if isinstance(key, ast.Constant) else None
            if isinstance(key, ast.Constant) and isinstance(text, str) and is_prose(text) and self.texts[text] == 1:
                self._put(key, text, is_value=True)
        return super().visit_Dict(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        text, values = template(node)
        if node.lineno - 1 in self.solutions:
            return node
        said = self.replace(text) if is_prose(text) else None
        words = {word: told for word in _shown_in(node) if (told := self.replace(word)) is not None}
        if said is not None or words:
            first, last = self._place(node)
            segment = "\n".join(self.rows[first[0] : last[0] + 1])[first[1] :]
            segment = segment[: len(segment) - len(self.rows[last[0]]) + last[1]]
            if said is not None:
                written = dict(zip(values, _expressions(segment), strict=False))
                parts = (written[piece] if known else _escaped(piece) for known, piece in pieces(said, values))
                segment = f"f{_quoted(''.join(parts))}"
            for word, told in words.items():
                told = self._evened(told)
                segment = segment.replace(f"'{word}'", f"'{told}'").replace(f'"{word}"', f'"{told}"')
            self.edits.append((first, last, segment))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if getattr(node.func, "id", "") == "predict":
            for question in node.args[:1]:
                if isinstance(question, ast.Constant) and _ASKED.fullmatch(str(question.value)):
                    self._put_if_new(question, str(question.value))
            node.args = [self.visit(argument) for argument in node.args]
            return node
        if getattr(node.func, "attr", "") == "reveal":  # the truth is compared with the answer
            return node
        for part, kind in _shown_by(node):
            text = part.value if isinstance(part, ast.Constant) else None
            if isinstance(part, ast.Constant) and isinstance(text, str) and kind.fullmatch(text):
                self._put_if_new(part, text)
        return super().visit_Call(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return self.generic_visit(node)

    def _starts(self, node: ast.expr) -> str:
        return self.rows[node.lineno - 1].encode()[node.col_offset :].decode().lstrip("rR")

    def _edit(self, node: ast.expr, text: str) -> None:
        self.edits.append((*self._place(node), text))

    def _place(self, node: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
        """The positions at which a node begins and ends, in characters; Python counts bytes."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first = len(self.rows[node.lineno - 1].encode()[: node.col_offset].decode())
        last = len(self.rows[node.end_lineno - 1].encode()[: node.end_col_offset].decode())
        return (node.lineno - 1, first), (node.end_lineno - 1, last)


def _shown_by(call: ast.Call) -> Iterator[tuple[ast.AST, re.Pattern[str]]]:
    """The arguments that a call shows, if it prints or draws words, and the pattern of a word there."""
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if name == "print":
        yield from ((argument, _PRINTED) for argument in call.args)
    drawn = [argument for argument in call.args if name in _DRAWING]
    drawn += [keyword.value for keyword in call.keywords if keyword.arg in _DRAWN_KEYWORDS]
    for element in drawn:
        yield from (
            (word, _DRAWN) for word in (element.elts if isinstance(element, (ast.List, ast.Tuple)) else [element])
        )


def _shown_in(node: ast.JoinedStr) -> Iterator[str]:
    """The words among an f-string's values: `{'in all':<30}`, `{'fits' if small else 'too much'}`."""
    values = [value.value for value in node.values if isinstance(value, ast.FormattedValue)]
    while values:
        value = values.pop(0)
        if isinstance(value, ast.IfExp):
            values[:0] = [value.body, value.orelse]
        elif isinstance(value, ast.Constant) and isinstance(value.value, str) and _WORDS.fullmatch(value.value):
            yield value.value


def _expressions(literal: str) -> list[str]:
    """The expressions in an f-string's source, in order, each with its braces."""
    parts, depth, begin = [], 0, 0
    for place, sign in enumerate(literal.replace("{{", "  ").replace("}}", "  ")):
        if sign == "{":
            begin = begin if depth else place
            depth += 1
        elif sign == "}":
            depth -= 1
            if not depth:
                parts.append(literal[begin : place + 1])
    return parts


def _solutions(rows: list[str]) -> set[int]:
    """The rows that belong to solutions: texts there are answers."""
    numbers, inside = set(), False
    for number, row in enumerate(rows):
        if mark := re.fullmatch(r"\s*###\s*(BEGIN|END) SOLUTION\s*", row):
            inside = mark[1] == "BEGIN"
        elif inside:
            numbers.add(number)
    return numbers


def _literal(text: str, quote: str) -> str:
    if quote == '"':
        return _quoted(_escaped(text, braces=False))
    escaped = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return quote + escaped + quote


def _escaped(text: str, braces: bool = True) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace("{", "{{").replace("}", "}}") if braces else text


def _quoted(body: str) -> str:
    """A string literal for this source, in quotes that need no escape if possible."""
    if '"' in body and "'" not in body:
        return f"'{body}'"
    return '"' + re.sub(r'(?<!\\)"', r"\"", body) + '"'
