"""Fonts for figures in languages whose characters matplotlib's own font lacks."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from glassroom.drawing.canvas import said_by
from glassroom.translations.language import speaking
from glassroom.translations.templates import as_is

_NAMES = as_is(
    "Noto Sans CJK SC, Noto Sans SC, Source Han Sans SC, Source Han Sans CN, Microsoft YaHei, PingFang SC, "
    "Hiragino Sans GB, WenQuanYi Zen Hei, WenQuanYi Micro Hei, SimHei, Noto Sans CJK JP"
)
#: Fonts with Chinese characters that systems may have, those with simplified forms first.
CHINESE = tuple(_NAMES.split(", "))


def families(generic: str) -> list[str]:
    """The fonts of a text: matplotlib's own, and for characters that it lacks, one of this machine's."""
    return [generic, *_of_this_machine()]


def use() -> None:
    """Let all figures of this process use a font for its language; if no font has its characters, labels are English,
    with one warning.
    """
    import matplotlib

    if not speaking().startswith("zh"):
        return
    families = _of_this_machine()
    if families:
        matplotlib.rcParams["font.family"] = ["sans-serif", *families]
        return
    _label_in_english()


@contextmanager
def in_letters_of_fonts() -> Iterator[None]:
    """A context in which pictures are drawn only with words whose characters this machine's fonts have."""
    if not speaking().startswith("zh") or _of_this_machine():
        yield
        return
    from glassroom.translations.english import english

    with said_by(english):
        yield


@cache
def _label_in_english() -> None:
    """From now on matplotlib writes translated words in English."""
    warnings.warn(
        "No font with Chinese letters was found, so figures have English labels. Install one, such as "
        "Noto Sans CJK (on Debian and Ubuntu: apt install fonts-noto-cjk), and restart the kernel.",
        stacklevel=4,
    )
    from matplotlib.text import Text

    from glassroom.translations.english import english

    write = Text.set_text

    def set_text(self: Text, s: object) -> None:
        write(self, english(s) if isinstance(s, str) else s)

    Text.set_text = set_text  # type: ignore[method-assign]  # also for labels that programs set


@cache
def _of_this_machine() -> tuple[str, ...]:
    """The first of the fonts that is installed, if the language of this process needs one."""
    if not speaking().startswith("zh"):
        return ()
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    if installed.isdisjoint(CHINESE):  # it may have been installed after matplotlib listed the fonts
        for path in font_manager.findSystemFonts():
            if "CJK" in path or "Han" in path or "wqy" in path:
                font_manager.fontManager.addfont(path)
        installed = set(font_manager.get_font_names())
    return tuple(name for name in CHINESE if name in installed)[:1]
