"""What the predictions of one cell share: one widget that takes their answers, and one card that tells the truth."""

from __future__ import annotations

from typing import Any, Protocol

from glassroom.exercises.cards.card import Asked, Card, Revealed, asleep_question, message_card, revealed_card
from glassroom.exercises.lines import in_lines
from glassroom.live.audience import running_request, somebody_watches


class Question(Protocol):
    """What a sheet needs of a prediction."""

    question: str

    @property
    def is_answered(self) -> bool:
        """Whether there is nothing more to say."""

    def asked(self) -> Asked:
        """The question, and what has been said."""

    def typed(self) -> dict[str, str]:
        """The answers as they would be typed, by kind; "" where there is none."""

    def take(self, kind: str, answer: object) -> tuple[str, str]:
        """Take an answer; returns what to say about all answers, and what is wrong with this one."""


class Sheet:
    """The widget of the predictions that one run of a cell makes, and the card that stands for it without a kernel."""

    def __init__(self) -> None:
        self._questions: list[Question] = []
        self._open: list[Question] = []  # those that have not been revealed
        self._widget: Any = None
        self._asleep: Any = None  # the handle of the card's display
        self.is_closed = False

    def ask(self, question: Question) -> None:
        """Display buttons and fields for the answers, below those of the cell's other predictions."""
        from IPython.display import display

        from glassroom.exercises.cards.widgets import Asking  # needs anywidget

        self._questions.append(question)
        self._open.append(question)
        if self._widget is not None:
            self._widget.ask(question.asked(), question.typed())
            self._asleep.update(self._asleep_card())
            return
        self._widget = Asking(self._take, question.asked(), question.typed())
        self._asleep = display(self._asleep_card(), display_id=True)
        display(self._widget)

    def revealed(self, question: Question) -> None:
        """Once all are answered and revealed, the widget makes way for the card.

        It empties itself: JupyterLab trips over a widget that is replaced before it is drawn.
        """
        self._open = [open_question for open_question in self._open if open_question is not question]
        if self.is_closed or self._open or not all(question.is_answered for question in self._questions):
            return
        self.is_closed = True
        self._asleep.update(self._asleep_card())
        self._widget.closed = True

    def _take(self, place: int, kind: str, answer: object) -> tuple[str, str]:
        noted = self._questions[place].take(kind, answer)
        self._asleep.update(self._asleep_card())
        return noted

    def _asleep_card(self) -> Card:
        text = "\n".join(map(repr, self._questions))
        return asleep_question([question.asked() for question in self._questions], text, self.is_closed)


class _Cell:
    """The run of a cell, known by its request, and what it has asked and revealed."""

    def __init__(self, request: str) -> None:
        self.request = request
        self.sheet = Sheet()
        self.revealed: list[Revealed] = []
        self.texts: list[str] = []
        self.display: Any = None  # the handle of the card that tells what was revealed


_last = _Cell("")


def _this_cell() -> _Cell:
    """Where no request is known, every prediction has a cell of its own."""
    global _last
    request = running_request()
    if not request or request != _last.request:
        _last = _Cell(request)
    return _last


def sheet_of_this_cell() -> Sheet:
    """The sheet for predictions that the running cell makes."""
    cell = _this_cell()
    if cell.sheet.is_closed:
        cell.sheet = Sheet()
    return cell.sheet


def say(message: str) -> None:
    """Print a message; to a person at a notebook, display it, so that its lines fit every width."""
    text = in_lines(message)
    if not somebody_watches():
        print(text)
        return
    from IPython.display import display  # where somebody watches, it is there

    display(message_card(message, text))


def tell(revealed: Revealed, text: str) -> None:
    """Display a prediction beside the truth; all that the running cell reveals stand in one table."""
    from IPython.display import display

    cell = _this_cell()
    cell.revealed.append(revealed)
    cell.texts.append(text)
    card = revealed_card(cell.revealed, "\n".join(cell.texts))
    if cell.display is None:
        cell.display = display(card, display_id=True)
    else:
        cell.display.update(card)
