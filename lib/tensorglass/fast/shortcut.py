"""What puts a shortcut before a form that is handed out."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tensorglass.ops.declare.autocast import by_list, state, watched

Form = Callable[..., Any]


def shortcut(function: Callable[..., Any], fewest: int, most: int | None = None) -> Callable[[Form], Form]:
    """What puts `function` before a form, for calls with `fewest` to `most` arguments, all of them given by place.

    Without `most`, for calls with just as many as `fewest`. An operator that autocast casts the arguments of has no
    shortcut where autocast is on.
    """
    longest = fewest if most is None else most

    def put(form: Form) -> Form:
        behind = by_list(form.__name__, form)
        is_cast = hasattr(behind, "casts")

        @wraps(behind)
        def function_first(*arguments: Any, **keywords: Any) -> Any:
            is_short = fewest <= len(arguments) <= longest and not keywords
            if is_short and not (is_cast and watched.was_on and state.dtypes):
                made = function(*arguments)
                if made is not None:
                    return made
            return behind(*arguments, **keywords)

        return function_first

    return put
