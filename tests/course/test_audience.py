"""Each front end in use gets the live form, and a program that runs a notebook does not."""

from __future__ import annotations

import builtins
from types import SimpleNamespace
from typing import Any

import pytest

import tensorglass as torch
from glassroom import show


def in_the_shell(watched: bool) -> SimpleNamespace:
    """ipykernel's shell has the whole request: so in JupyterLab, VS Code and Colab."""
    request = {"header": {"msg_type": "execute_request"}, "content": {"code": "", "allow_stdin": watched}}
    return SimpleNamespace(get_parent=lambda: request, kernel=None)


def in_the_kernel(watched: bool) -> SimpleNamespace:
    """pyodide-kernel's shell has none, and its kernel has it: so in JupyterLite."""
    return SimpleNamespace(kernel=in_the_shell(watched))


def of_a_header_alone(watched: bool) -> SimpleNamespace:
    """xeus-python's kernel has the request's header alone."""
    return SimpleNamespace(kernel=SimpleNamespace(get_parent=lambda: {"header": {"msg_type": "execute_request"}}))


def answered(*arguments: str) -> None: ...


answered.__doc__ = "(prompt: str = '') -> str\n"


def refused(*arguments: str) -> None: ...


refused.__doc__ = "(prompt: str = '') -> None\n"


@pytest.mark.parametrize("shell", [in_the_shell, in_the_kernel, of_a_header_alone])
@pytest.mark.parametrize("watched", [True, False])
def test_a_picture_is_live_if_a_person_is_at_the_front_end(monkeypatch, shell, watched):
    monkeypatch.setattr("IPython.get_ipython", lambda: shell(watched))
    monkeypatch.setattr(builtins, "input", answered if watched else refused)
    bundle: Any = show(torch.arange(2))._repr_mimebundle_()
    assert ("text/html" in bundle) is watched
    assert {"text/plain", "image/svg+xml"} <= set(bundle)


def test_a_script_and_ipython_on_a_terminal_show_text_and_pictures(monkeypatch):
    for shell in (None, SimpleNamespace(), SimpleNamespace(kernel=None)):
        monkeypatch.setattr("IPython.get_ipython", lambda shell=shell: shell)
        assert "text/html" not in show(torch.arange(2))._repr_mimebundle_()
