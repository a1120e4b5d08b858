"""The sentences of checks: what an exercise may expect of an answer.

Each function compares one property and raises `Misconception` with the difference in words. They take the answer's name
as the learner wrote it, and `mistakes`: common wrong answers, with what each shows. Check in the order in which a
learner thinks: is it a tensor, its shape, its values, then its memory.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from glassroom.drawing.words import in_a_row
from glassroom.exercises import facts
from glassroom.exercises.account import Account, off_the_record
from glassroom.exercises.engine import Misconception, Unanswered, Unexplained, words
from glassroom.live.audience import running_code
from glassroom.translations.templates import word

P = ParamSpec("P")
R = TypeVar("R")

MOST_COMPARED = 10_000  # values of a tensor that are compared before and after a call


def _named(expectation: Callable[..., R]) -> Callable[..., R]:
    """Decorate an expectation whose second argument, the answer's name, may be `words`."""

    @wraps(expectation)
    def told(answer: Any, name: str, *args: Any, **kwargs: Any) -> R:
        return expectation(answer, words(name), *args, **kwargs)

    return told


# --- several slots ---------------------------------------------------------------------------------------------------


@dataclass
class _Slots:
    """The slots of an exercise that have been checked, and the faults of some of them."""

    seen: int = 0
    wrong: dict[str, Misconception] = field(default_factory=dict)

    @contextmanager
    def slot(self, name: str) -> Iterator[None]:
        """The first misconception that is raised within the block is kept as this slot's."""
        self.seen += 1
        token = _open_slots.set(None)
        try:
            yield
        except Misconception as misconception:
            self.wrong.setdefault(name, misconception)
        finally:
            _open_slots.reset(token)


_open_slots: ContextVar[_Slots | None] = ContextVar("open_slots", default=None)


@contextmanager
def every_slot() -> Iterator[Callable[[str], AbstractContextManager[None]]]:
    """Each answer in the block is judged, and all wrong ones are named together, with what the first of them shows.

    `expect_equal`, `expect_word` and `expect_truths` are slots by themselves; what takes several expectations stands in
    a block of its own: ``with every_slot() as slot: with slot("first"): …``.
    """
    slots = _Slots()
    token = _open_slots.set(slots)
    try:
        yield slots.slot
    finally:
        _open_slots.reset(token)
    if not slots.wrong:
        return
    first, *further = slots.wrong.values()
    if not further:
        raise first
    all_open = all(isinstance(value, Unanswered) for value in slots.wrong.values())
    kind = Unanswered if all_open else Misconception if isinstance(first, Unanswered) else type(first)
    *most, last = (f"`{name}`" for name in slots.wrong)
    right = slots.seen - len(slots.wrong)
    raise kind(
        f"{right} of {slots.seen} {'is' if right == 1 else 'are'} right; {word(', ').join(most)} and {last} are not "
        f"yet. To begin with the first: {first}"
    )


def _slot(expectation: Callable[P, None]) -> Callable[P, None]:
    """Decorate an expectation that counts as a slot within `every_slot`; its second argument is the answer's name."""

    @wraps(expectation)
    def judged(*args: P.args, **kwargs: P.kwargs) -> None:
        slots = _open_slots.get()
        if slots is None:
            expectation(*args, **kwargs)
            return
        with slots.slot(str(args[1] if len(args) > 1 else kwargs["name"])):
            expectation(*args, **kwargs)

    return judged


# --- plain answers ---------------------------------------------------------------------------------------------------


def expect(condition: object, misconception: str) -> None:
    """Expect the condition to hold; otherwise the answer shows this misconception."""
    if not condition:
        raise Misconception(misconception)


@_named
@_slot
def expect_equal(answer: Any, name: str, expected: Any, mistakes: Mapping[Any, str] | None = None) -> None:
    """A plain answer (number, bool, string, or a tuple of them: a shape, a stride) is the expected one."""
    if facts.is_array(answer) and not facts.shape(answer):
        answer = answer.item()  # a number of NumPy's
    if facts.is_tensor(answer) and not facts.is_tensor(expected):
        raise Misconception(f"`{name}` is a tensor; it should be {_kind(expected)}.")
    if type(expected) is tuple and type(answer) is int:
        raise Misconception(f"`{name}` is one number; it should be a tuple of {len(expected)}.")
    if facts.same_value(answer, expected):
        return
    for mistake, shows in (mistakes or {}).items():
        if facts.same_value(answer, mistake):
            if isinstance(answer, (str, bool)):  # "`row` is 'copy'." would read as if it were so
                raise Misconception(f"`{name}` is {facts.text(answer)} in your answer. {shows}")
            raise Misconception(f"`{name}` is {facts.text(answer)}. {shows}")
    if slip := _slip(answer, expected):
        raise Misconception(f"`{name}` is {facts.text(answer)}: {slip}")
    if _are_numbers(answer, expected) or _kind(answer) == _kind(expected):
        kind = Unexplained if name.isidentifier() else Misconception
        raise kind(_other_answer(name, answer, expected))
    told = f"`{name}` is {facts.text(answer)}; it should be {_kind(expected)}."
    if isinstance(answer, str) and not _is_number_in_quotes(answer):  # "six" is not a number
        raise Unanswered(told)
    if isinstance(answer, str):
        told = f"`{name}` is {facts.text(answer)}; it should be {_kind(expected)}, without quotes."
    raise Misconception(told)


@_named
@_slot
def expect_word(answer: Any, name: str, expected: str, others: Mapping[str, str]) -> None:
    """Expect this word; `others` are the other choices, each with what it shows.

    Spelling does not matter: "Clone" and "clone()" are "clone".
    """
    words = {_bare(word): word for word in (expected, *others)}
    chosen = words.get(_bare(answer)) if isinstance(answer, str) else None
    if chosen is None:
        *most, last = (f'"{word}"' for word in sorted(words.values()))
        raise Misconception(f"`{name}` is {facts.text(answer)}; it should be {word(', ').join(most)} or {last}.")
    expect_equal(chosen, name, expected, others)


def _bare(word: str) -> str:
    """A word for comparison: without a call's parentheses, capitals, blanks, and the module's name."""
    bare = word.strip().casefold().replace("()", "").removeprefix("torch.").removeprefix("copy.")
    return re.sub(r"^(a|an|the) ", "", bare)


def expect_truths(table: Mapping[str, tuple[bool, str]], answers: Sequence[Any]) -> None:
    """Each answer is the truth that the table has by its name, beside what the opposite shows."""
    for name, answer in zip(table, answers, strict=True):
        is_bit = type(answer) in (int, float) and answer in (0, 1)
        expect(not is_bit, f"`{name}` is {answer}; it should be True or False, and 1 and 0 are numbers.")
        expect(type(answer) is not str, f"`{name}` is {answer!r}; it should be True or False, without quotes.")
    with every_slot():
        for (name, (truth, shows)), answer in zip(table.items(), answers, strict=True):
            expect_equal(answer, name, truth, mistakes={not truth: shows})


def expect_words(table: Mapping[str, tuple[str, Mapping[str, str]]], answers: Sequence[Any]) -> None:
    """Each answer is the word that the table has by its name, beside the other words and what each shows."""
    with every_slot():
        for (name, (word, others)), answer in zip(table.items(), answers, strict=True):
            expect_word(answer, name, word, others)


@_named
def expect_tensor(
    answer: Any,
    name: str,
    *,
    shape: Sequence[int] | None = None,
    dtype: str | None = None,
    value: Any = None,
    stride: Sequence[int] | None = None,
    offset: int | None = None,
) -> None:
    """The answer is a tensor of this shape, dtype (`"int64"`), value (nested lists), stride and offset."""
    if facts.is_array(answer):
        raise Misconception(f"`{name}` is a NumPy array; it should be a tensor.")
    if not facts.is_tensor(answer):
        raise Misconception(f"`{name}` is {facts.text(answer)}; it should be a tensor.")
    if shape is not None and facts.shape(answer) != tuple(shape):
        raise Misconception(f"`{name}` has shape {facts.shape(answer)}; it should be {tuple(shape)}.")
    if dtype is not None and facts.dtype_name(answer) != dtype:
        raise Misconception(f"`{name}` has dtype torch.{facts.dtype_name(answer)}; it should be torch.{dtype}.")
    if value is not None:
        expect_value(answer, name, value)
    if stride is not None and facts.stride(answer) != tuple(stride):
        raise Misconception(f"`{name}` has stride {facts.stride(answer)}; it should be {tuple(stride)}.")
    if offset is not None and facts.offset(answer) != offset:
        raise Misconception(f"`{name}` begins at offset {facts.offset(answer)}; it should begin at {offset}.")


@_named
def expect_device(answer: Any, name: str, device: str) -> None:
    """The tensor is on a device of this type."""
    own_device = facts.device(answer)
    if own_device != device:
        raise Misconception(f"`{name}` is on {own_device}; it should be on {device}.")


@_named
def expect_value(answer: Any, name: str, expected: Any) -> None:
    """The tensor holds these values; `expected` is a tensor or (nested) lists."""
    wanted = facts.values(expected)
    if facts.shape(answer) != _shape_of_lists(wanted):  # before tolist: an answer may have a billion elements
        raise Misconception(f"`{name}` has shape {facts.shape(answer)}; it should be {_shape_of_lists(wanted)}.")
    own = facts.values(answer)
    # Where large numbers cancel, the difference has the absolute error of their last places.
    if not facts.same_value(own, wanted, max(1e-8, 1e-7 * facts.largest(wanted))):
        raise Misconception(_other_values(name, own, wanted))
    if facts.is_tensor(expected) and facts.dtype_name(answer) != facts.dtype_name(expected):
        raise Misconception(
            f"the values are right, but `{name}` has dtype torch.{facts.dtype_name(answer)}; "
            f"it should be torch.{facts.dtype_name(expected)}."
        )


@_named
def expect_near(answer: Any, name: str, expected: Any, distance: float, misconception: str) -> None:
    """The numbers of a tensor are no further than this from those of another of its shape, times the largest if they
    are floats; otherwise it shows the misconception, and where they are furthest."""
    own, wanted = answer.detach().double().flatten(), expected.detach().double().flatten()
    apart = (own - wanted).abs()
    largest = float(wanted.abs().max()) if expected.is_floating_point() else 1.0
    if float(apart.max()) < distance * max(largest, 1.0):
        return
    place = at = int(apart.argmax())
    index: list[int] = []
    for length in reversed(facts.shape(answer)):
        index.insert(0, at % length)
        at //= length
    where = f"{name}[{', '.join(map(str, index))}]" if index else name
    mine, right = facts.told_apart(float(own[place]), float(wanted[place]), 4)
    raise Misconception(f"{misconception} `{where}` is {mine}; it should be {right}.")


@_named
def expect_view(answer: Any, name: str, of: Any, of_name: str, because: str = "") -> None:
    """The answer shares its memory with `of`; `because` says which operation would."""
    expect_tensor(answer, name)
    if not facts.share_memory(answer, of):
        told = f"`{name}` looks at another storage, not at `{of_name}`'s."
        if _hold_the_same(answer, of):
            told = f"`{name}` is a copy: it has a storage of its own, not `{of_name}`'s."
        raise Misconception(_sentences(told, because))


def _hold_the_same(answer: Any, of: Any) -> bool:
    """Whether one of two tensors holds no number that the other does not hold, as a copy does of a part or of all."""
    pair = answer, of
    if any(facts.is_tensor(each) and facts.device(each) == "meta" for each in pair):
        return True
    if max(facts.elements(each) for each in pair) > MOST_COMPARED:
        return True
    own, others = ({*facts.values(each.reshape(-1))} for each in pair)
    return own <= others or others <= own


@_named
def expect_copy(answer: Any, name: str, of: Any, of_name: str, because: str = "") -> None:
    """The answer has memory of its own, apart from that of `of`."""
    expect_tensor(answer, name)
    if answer is of:
        raise Misconception(_sentences(f"`{name}` is `{of_name}` itself under a second name.", because))
    if facts.share_memory(answer, of):
        text = f"`{name}` is a view: it looks at `{of_name}`'s storage, so a write to one shows in the other."
        raise Misconception(_sentences(text, because))


@_named
def expect_as_given(given: Any, name: str, expected: Any) -> None:
    """What the notebook gave is as it was; otherwise an answer could be compared with what it has overwritten."""
    expect(
        facts.is_tensor(given) and facts.same_value(facts.values(given), expected),
        f"`{name}` is not as it was given: it has been written to. An operator that ends in _, or one such as -=, "
        "writes into its tensor. Run the cell that makes it again, and make a new tensor.",
    )


@_named
def call(function: Any, name: str, *arguments: Any, written: str = "") -> Any:
    """What the learner's function returns for these arguments; what it raises becomes a sentence.

    It reads the tensors among them, and writes into none; of one that does, `written` is told.
    """
    with off_the_record():
        before = [(tensor, _as_it_is(tensor)) for tensor in _tensors_in(arguments)]
    result = call_writing(function, name, *arguments)
    with off_the_record():
        is_as_it_was = all(facts.same_value(_as_it_is(tensor), as_it_was) for tensor, as_it_was in before)
    expect(
        is_as_it_was,
        written
        or f"`{name}` writes into the tensor that it is given, which its caller may still need. Methods that end in _ "
        "do that, and so do -= and assigning to an index. Make a new tensor.",
    )
    return result


@_named
def call_writing(function: Any, name: str, *arguments: Any) -> Any:
    """Like `call`, of a function that may write into what it is given."""
    result = run(function, name, *arguments)
    if result is ...:
        raise Misconception(f"`{name}` returned the dots that stand for what is still to be written.")
    if result is None:
        raise Misconception(f"`{name}` returned nothing. Does it end with `return`?")
    return result


@_named
def run(function: Any, name: str, *arguments: Any) -> Any:
    """Like `call_writing`, of a function that need not return anything."""
    if not callable(function) or facts.is_tensor(function):
        raise Misconception(f"`{name}` is {facts.text(function)}; it should be a function.")
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:
        told = facts.of_a_backward(error) or f"{_given(arguments)}`{name}` raised {facts.explained_sentence(error)}"
        if "One of the differentiated Tensors does not require grad" in str(error):
            told = (
                f"{_given(arguments)}`{name}` raised RuntimeError: One of the differentiated Tensors does not require "
                "grad. Compute from a tensor of your own that does: x = x.detach().requires_grad_()."
            )
        if isinstance(error, UnboundLocalError):
            told = (
                f"{told} A function that assigns to a name has a variable of its own, which has no value there yet; "
                "`nonlocal` lets it take the outer one."
            )
        raise Misconception(told) from None


def _tensors_in(arguments: Sequence[Any]) -> Iterator[Any]:
    """The tensors among arguments, and in lists and tuples of them."""
    for argument in arguments:
        if type(argument) in (list, tuple):
            yield from _tensors_in(argument)
        elif facts.is_tensor(argument):
            yield argument


def _as_it_is(tensor: Any) -> tuple[Any, ...]:
    """The version, the dtype, and the values if they are few, since writes through .data do not change the version."""
    few = facts.device(tensor) != "meta" and facts.elements(tensor) <= MOST_COMPARED
    return facts.version(tensor), facts.dtype_name(tensor), facts.values(tensor) if few else None


# --- attributes ------------------------------------------------------------------------------------------------------


@_named
def expect_own_attributes(answer: Any, name: str) -> None:
    """Nobody has set an attribute of a tensor that no tensor has (`x.require_grad = True`), or in place of a method
    (`x.requires_grad_ = False`): Python lets both pass, and neither changes the tensor."""
    for attribute in getattr(answer, "__dict__", {}):
        expect(
            not hasattr(type(answer), attribute),
            f"`{name}.{attribute} = …` puts a value in the place of a method, which is then gone. A method is called: "
            f"{attribute}(…). Run the cell that makes the tensor again.",
        )
        for meant in get_close_matches(attribute, dir(type(answer)), n=1, cutoff=0.8):
            expect(
                False,
                f"`{name}.{attribute} = …` gives the tensor an attribute of a new name, which nothing reads. Did you "
                f"mean {meant}?",
            )


# --- an account ------------------------------------------------------------------------------------------------------


def expect_nothing_moved(kept: Account, name: str, because: str = "") -> None:
    """No bytes went from one device to another."""
    if kept.transfers:
        times = "" if len(kept.transfers) == 1 else f", {len(kept.transfers)} times"
        expect(False, f"the values are right, but `{name}` moved bytes {kept.transfers[0]}{times}. {because}".rstrip())


def expect_no_copies(kept: Account, name: str, because: str = "") -> None:
    """No elements were copied."""
    copied = sum(kept.copies)
    expect(not copied, f"the values are right, but `{name}` copied {copied:,} bytes on the way. {because}".rstrip())


def expect_without(kept: Account, name: str, operators: Iterable[str], because: str = "") -> None:
    """None of these operators was called on the answer's arguments, or on results computed from them."""
    for used in sorted(kept.names & {operator.strip("_") for operator in operators}):
        expect(False, f"`{name}` calls `{used}`. {because}".rstrip())


def expect_saved_by_context(node: Any, name: str) -> None:
    """A `Function` keeps its tensors by save_for_backward, and none as an attribute of ctx."""
    for attribute, kept in vars(node).items():
        inside = kept.values() if isinstance(kept, dict) else kept if isinstance(kept, (tuple, list)) else [kept]
        if any(map(facts.is_tensor, inside)):
            expect(
                False,
                f"`{name}` keeps a tensor as `ctx.{attribute}`. Its version is not watched there, and backward does "
                "not free it: give it to ctx.save_for_backward, and take it out of ctx.saved_tensors.",
            )


# --- the code of the cell --------------------------------------------------------------------------------------------


def expect_without_data(name: str) -> None:
    """The cell that makes this answer does not read `.data`, which no tensor shows afterwards."""
    expect(
        not any(isinstance(node, ast.Attribute) and node.attr == "data" for node in _cell_of(name)),
        f"`{name}` is right, but made through `.data`, where no write is counted. Which other header has no history?",
    )


def expect_in_its_cell(name: str, is_it: Callable[[ast.AST], bool], misconception: str) -> None:
    """The cell that makes this answer has such a piece of code. It is not looked for outside of a kernel."""
    nodes = _cell_of(name)
    expect(not nodes or any(map(is_it, nodes)), misconception)


def names_read(name: str) -> Counter[str]:
    """How often the cell that makes this answer reads each name; nothing outside of a kernel."""
    names = (node for node in _cell_of(name) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return Counter(node.id for node in names)


def _cell_of(name: str) -> list[ast.AST]:
    """What the running cell is made of, if it assigns this name; nothing outside of a kernel."""
    try:
        nodes = list(ast.walk(ast.parse(running_code())))
    except (SyntaxError, ValueError):  # of IPython's own syntax
        return []
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return nodes if name in stored else []


# --- words -----------------------------------------------------------------------------------------------------------


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, int):
        return "a plain integer"
    if isinstance(value, (float, complex)):
        return "a plain number"
    if isinstance(value, str):
        return word("a string")
    if isinstance(value, list):
        of_lists = bool(value) and all(isinstance(part, list) for part in value)
        return f"a list of {len(value)} lists" if of_lists else f"a list of {len(value)}"
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else facts.text(value)


def _is_number_in_quotes(answer: str) -> bool:
    try:
        complex(answer)
    except ValueError:
        return False
    return True


def _slip(answer: Any, expected: Any) -> str:
    """A common slip by which a wrong answer differs from the right one."""
    if isinstance(expected, bool) or isinstance(answer, bool):
        return ""
    if isinstance(expected, (int, float)) and isinstance(answer, (int, float)):
        return "only the sign is wrong." if expected and facts.same_value(-answer, expected) else ""
    if not isinstance(expected, tuple) or not isinstance(answer, (tuple, list)):
        return ""
    if len(answer) != len(expected):
        return f"{len(answer)} number{'' if len(answer) == 1 else 's'}; there should be {len(expected)}."
    if sorted(map(str, answer)) == sorted(map(str, expected)):
        return "the right numbers, in another order."
    return ""


def _are_numbers(*plain: Any) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in plain)


def _other_answer(name: str, answer: Any, expected: Any) -> str:
    """What is wrong with an answer of the right kind: what a function should have returned for the arguments in its
    name; of what the learner worked out by hand, where it differs, and in which direction."""
    told, place = _told(name, answer), name
    if not name.isidentifier() and facts.is_shown_whole(expected):
        mine, right = facts.both_told(answer, expected)
        return f"`{name}` is {mine}; it should be {right}."
    while isinstance(expected, (tuple, list)) and isinstance(answer, (tuple, list)) and len(answer) == len(expected):
        at = next(at for at, pair in enumerate(zip(answer, expected, strict=True)) if not facts.same_value(*pair))
        answer, expected, place = answer[at], expected[at], f"{place}[{at}]"
    if not name.isidentifier():
        mine, right = facts.both_told(answer, expected)
        return f"`{place}` is {mine}; it should be {right}."
    if not _are_numbers(answer, expected):
        kinds = _kind(answer), _kind(expected)
        return f"{told}, which is not right." if len({*kinds}) == 1 else f"{told}: `{place}` should be {kinds[1]}."
    what = "" if place == name else f"`{place}` is "
    return f"{told}: {what}{_direction(answer, expected)}"


def _told(name: str, answer: Any) -> str:
    return f"`{name}` is {facts.text(answer)}"


def _direction(number: float, wanted: float) -> str:
    """On which side of the right number this one is."""
    if abs(number - wanted) == 1 and 3 < wanted < 1000:
        return "off by one. Is the first counted, and is the last?"
    return "too large." if number > wanted else "too small."


def _given(arguments: Sequence[Any]) -> str:
    """The tensors and arrays among the arguments, as the beginning of a sentence."""
    given = [facts.text(argument) for argument in arguments if facts.is_tensor(argument) or facts.is_array(argument)]
    return f"given {in_a_row(given, word(' and '))}, " if given else ""


def _other_values(name: str, own: Any, wanted: Any) -> str:
    """Both values, if they are short enough to be shown; otherwise the first place where they differ."""
    if facts.same_value(_negated(own), wanted):
        return f"`{name}` holds {facts.text(facts.rounded(own))}: the right numbers with the wrong sign."
    if facts.is_shown_whole(facts.rounded(own)) and facts.is_shown_whole(facts.rounded(wanted)):
        mine, right = facts.both_told(own, wanted)
        return f"`{name}` holds {mine}; it should hold {right}."
    place = []
    while isinstance(wanted, list):
        at = next(at for at, pair in enumerate(zip(own, wanted, strict=True)) if not facts.same_value(*pair))
        place.append(at)
        own, wanted = own[at], wanted[at]
    if isinstance(own, float) and isinstance(wanted, float):
        mine, right = facts.told_apart(own, wanted, 7)
    else:
        mine, right = (f"{n:.7g}" if isinstance(n, float) else facts.text(n) for n in (own, wanted))
    return f"`{name}[{', '.join(map(str, place))}]` is {mine}; it should be {right}."


def _negated(values: Any) -> Any:
    if isinstance(values, list):
        return [_negated(value) for value in values]
    return -values if isinstance(values, (int, float, complex)) and not isinstance(values, bool) else values


def _shape_of_lists(nested: Any) -> tuple[int, ...]:
    if not isinstance(nested, list):
        return ()
    return (len(nested), *(_shape_of_lists(nested[0]) if nested else ()))


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)
