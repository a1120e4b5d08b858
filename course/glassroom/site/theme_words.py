"""The words of the site's theme, which has them in English only, in the language of the site."""

from __future__ import annotations

import re

from glassroom.translations.language import ENGLISH, speaking
from glassroom.translations.templates import as_is, word

#: What the theme writes, as a whole text or attribute, with what it means.
SAID = {
    as_is("Next"): word("Next"),
    as_is("Previous"): word("Previous"),
    as_is("Home"): word("Home"),
    as_is("Made with"): word("Made with"),
    as_is("On this page"): word("On this page"),
    as_is("Back to top"): word("Back to top"),
    as_is("Skip to content"): word("Skip to content"),
    as_is("Toggle site navigation sidebar"): word("Toggle site navigation sidebar"),
    as_is("Toggle table of contents sidebar"): word("Toggle table of contents sidebar"),
    as_is("Toggle Light / Dark / Auto color theme"): word("Toggle Light / Dark / Auto color theme"),
    as_is("Light mode"): "Light mode",
    as_is("Dark mode"): "Dark mode",
    as_is("Auto light/dark, in light mode"): "Auto light/dark, in light mode",
    as_is("Auto light/dark, in dark mode"): "Auto light/dark, in dark mode",
    as_is("Menu"): word("Menu"),
    as_is("Search"): word("Search"),
    as_is("Expand"): word("Expand"),
    as_is("Please activate JavaScript to enable the search functionality."): word(
        "Please activate JavaScript to enable the search functionality."
    ),
}
PAGES_UNDER = word("Pages under ")
WHOLE = re.compile(rf'(?<=[>"])(\s*)({"|".join(map(re.escape, SAID))})(\s*)(?=[<"])')
BEGINNINGS = re.compile(r'(?<=aria-label=")Toggle navigation of (?=[^"]*")|Copyright &#169;')


def in_the_language(page: str) -> str:
    """A page of HTML with the theme's words in the language of this process."""
    if speaking() == ENGLISH:
        return page
    page = WHOLE.sub(_said, page)
    return BEGINNINGS.sub(_begun, page)


def _said(match: re.Match[str]) -> str:
    return f"{match[1]}{SAID[match[2]]}{match[3]}"


def _begun(match: re.Match[str]) -> str:
    return "&#169;" if "169" in match[0] else PAGES_UNDER
