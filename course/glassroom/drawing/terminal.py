"""The text of a picture in a terminal's colours, by rich: they show which tensor a mark belongs to, and what happened.
Colours only repeat what the words say, so nothing is lost without them; they are the terminal's own, so they can be
read on any background.
"""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

HUES = ("blue", "yellow", "green", "magenta", "red", "cyan")
LANE = re.compile(r"^(?P<name>\S.*?)\s{2,}(?:(?:■|×\S+)\s*)+$", re.MULTILINE)  # a tensor's name, and its marks
WORDS = {
    r"\bS\d+\b": "bold",
    r"\braises \w+.*$": "bold red",
    r"\b(?:is freed|freed)\b": "red",
    r"\bnew storage\b|\ballocated\b": "green",
    r"\bcopied\b|\bcopy\b": "magenta",
    r"\bwrote\b": "yellow",
    r"\(leaf\)|\bcollects:": "green",
    r"^  (?:parameters|optimizer state|gradients|activations|temporaries|other)\b": "bold",
    r"\bshares\b|\bview of\b": "cyan",
    r"[├└│─]+|^\s*\[\d+\](?:\s+(?:\[\d+\]|⋯))*\s*$": "dim",
}


def escaped(text: str) -> str:
    """`text` with the escape sequences of its colours, for this terminal."""
    console = Console()
    with console.capture() as captured:
        console.print(coloured(text), soft_wrap=True)
    return captured.get().rstrip("\n")


def coloured(text: str) -> Text:
    """`text` with its colours; the words stay as they are."""
    styled = Text(text, no_wrap=False)
    for pattern, style in WORDS.items():
        styled.highlight_regex(re.compile(pattern, re.MULTILINE), style)
    names = list(dict.fromkeys(lane["name"] for lane in LANE.finditer(text)))
    hues = {name: HUES[at % len(HUES)] for at, name in enumerate(names)}
    for lane in LANE.finditer(text):
        styled.stylize(hues[lane["name"]], *lane.span())
    for name, hue in hues.items():
        for heading in re.finditer(rf"^{re.escape(name)}(?= · )", text, re.MULTILINE):
            styled.stylize(f"bold {hue}", *heading.span())
    return styled
