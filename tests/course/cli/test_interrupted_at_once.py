"""Ctrl-C before a command has begun: one line, and no traceback."""

from __future__ import annotations

import pytest

from glassroom import cli
from glassroom.cli import app
from glassroom.workspace.problems import Exit


def interrupted() -> None:
    raise KeyboardInterrupt


def test_while_the_command_line_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(app, "parser", interrupted)
    assert app.run(["doctor"]) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "\nglassroom: interrupted\n"


def test_while_the_language_is_chosen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("glassroom.translations.language.speak", lambda _: interrupted())
    assert cli.main(["doctor"]) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "\nglassroom: interrupted\n"
