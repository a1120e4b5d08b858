"""The errors of cells, as IPython shows them to a person."""

import sys
import traceback
from types import SimpleNamespace

import pytest

import tensorglass
from glassroom.exercises import tracebacks


@pytest.mark.parametrize("is_watched", [True, False])
def test_a_person_sees_their_own_frames_and_everybody_else_all(monkeypatch, is_watched):
    monkeypatch.setattr(tracebacks, "somebody_watches", lambda: is_watched)
    monkeypatch.setattr(sys, "last_traceback", None, raising=False)
    with pytest.raises(RuntimeError) as raised:
        tensorglass.ones(2) + tensorglass.ones(3)
    shown = []
    shell = SimpleNamespace(showtraceback=lambda error, tb_offset: shown.extend(traceback.extract_tb(error[2])))
    tracebacks.show(shell, RuntimeError, raised.value, raised.tb)
    files = {frame.filename.rpartition("/")[2] for frame in shown}
    assert (files == {"test_tracebacks.py"}) is is_watched
    assert "test_tracebacks.py" in files
    assert len(traceback.extract_tb(sys.last_traceback)) > 1  # %tb and %debug have them all


@pytest.mark.parametrize(
    ("notebook", "is_told"), [("1_memory/07_view_or_reshape.ipynb", False), ("2_tensors/07_broadcasting.ipynb", True)]
)
def test_a_note_does_not_refer_to_the_notebook_that_it_is_shown_in(monkeypatch, notebook, is_told):
    monkeypatch.setenv("JPY_SESSION_NAME", f"/home/ada/course/{notebook}")
    monkeypatch.setattr(sys, "last_traceback", None, raising=False)
    with pytest.raises(RuntimeError) as raised:
        tensorglass.zeros(3, 4).t().view(12)
    shown = []
    shell = SimpleNamespace(showtraceback=lambda error, tb_offset: shown.extend(error[1].__notes__))
    before = list(raised.value.__notes__)
    tracebacks.show(shell, RuntimeError, raised.value, raised.tb)
    told = "The course explains it: part 1, 07 View or reshape." in shown
    assert told is is_told
    assert any("reshape" in note for note in shown)
    assert raised.value.__notes__ == before  # whoever catches the error has all of them


def test_nothing_is_registered_where_somebody_else_shows_errors(monkeypatch):
    handler = (ValueError,)
    shell = SimpleNamespace(custom_exceptions=handler)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    tracebacks.shorten_tracebacks()
    assert shell.custom_exceptions is handler
