"""How the site's search finds words in Chinese, which has no blanks between them: any two characters side by side are a
word. Words in Latin letters are found as in English."""

from __future__ import annotations

import re
from typing import Any

from sphinx.search.en import SearchEnglish

HAN = "\u3400-\u9fff"
RUNS = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")
IN_A_BROWSER = rf"""
var splitQuery = (query) =>
  (query.match(/[{HAN}]+|(?:(?![{HAN}])[\p{{Letter}}\p{{Number}}_])+/gu) ?? []).flatMap((run) =>
    /^[{HAN}]{{2,}}$/.test(run) ? [...run].slice(1).map((sign, at) => run[at] + sign) : [run],
  );
"""


class ChineseWords(SearchEnglish):
    """Sphinx's index of words for pages in Chinese."""

    lang = "zh"
    js_splitter_code = IN_A_BROWSER

    def split(self, input: str) -> list[str]:
        """The words of a text, with repetitions."""
        return [word for run in RUNS.findall(input) for word in _words(run)]


def _words(run: str) -> list[str]:
    is_chinese = len(run) > 1 and re.match(f"[{HAN}]", run)
    return [run[at : at + 2] for at in range(len(run) - 1)] if is_chinese else [run]


def setup(app: Any) -> dict[str, bool]:
    """Give Sphinx this index."""
    app.add_search_language(ChineseWords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
