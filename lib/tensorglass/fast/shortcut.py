"""The usual call of an operator: a short way that is put before the form which `calls` has made.

The one idea to keep in mind: a short way gives the result of a call in which there is nothing to work out, or None, and
then the form is called as if nothing had been asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

Form = Callable[..., Any]


def short_way(function: Callable[..., Any], fewest: int, most: int | None = None) -> Callable[[Form], Form]:
    """What puts `function` before a form, for calls with `fewest` to `most` arguments, all of them given by place.

    Without `most`, for calls with just as many as `fewest`.
    """
    longest = fewest if most is None else most

    def enter(form: Form) -> Form:
        @wraps(form)
        def usual(*arguments: Any, **keywords: Any) -> Any:
            if fewest <= len(arguments) <= longest and not keywords:
                made = function(*arguments)
                if made is not None:
                    return made
            return form(*arguments, **keywords)

        return usual

    return enter
