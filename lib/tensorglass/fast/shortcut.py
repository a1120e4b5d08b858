"""What puts a shortcut before a form that is handed out."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

Form = Callable[..., Any]


def shortcut(function: Callable[..., Any], fewest: int, most: int | None = None) -> Callable[[Form], Form]:
    """What puts `function` before a form, for calls with `fewest` to `most` arguments, all of them given by place.

    Without `most`, for calls with just as many as `fewest`.
    """
    longest = fewest if most is None else most

    def put(form: Form) -> Form:
        @wraps(form)
        def function_first(*arguments: Any, **keywords: Any) -> Any:
            if fewest <= len(arguments) <= longest and not keywords:
                made = function(*arguments)
                if made is not None:
                    return made
            return form(*arguments, **keywords)

        return function_first

    return put
