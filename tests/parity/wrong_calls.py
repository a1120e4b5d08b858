"""Wrong calls: a right one, of which one argument after another becomes something else, is left out or is one too many.

`wrong` makes them, `outcome` makes a call in one of the libraries, and `RAW` knows the words of Python and NumPy that
speak of what is inside.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy
import torch

Call = tuple[list[Any], dict[str, Any]]

#: What an argument becomes. Functions make tensors of both libraries, and NumPy's values.
WRONG: list[Any] = [
    None, "abc", 3, -1, 0, 2.5, True, 1j, [], (), [1, 2], (2, 3, 4, 5, 6, 7), [1.5], ["a"], [None], {},
    10**20, -7, float("nan"),
    *[
        lambda library, text=text: eval(text, {"torch": library, "np": numpy})
        for text in (
            "torch.tensor(2)", "torch.tensor([])", "torch.zeros(0, 3)", "torch.ones(2, 3, dtype=torch.int64)",
            "torch.ones(2, 2, dtype=torch.bool)", "torch.ones(7)", "torch.ones(2, 3, 4, 5, 6)", "torch.ones(3, 2).t()",
            "torch.ones(2, 3).half()", "torch.ones(2, 3, dtype=torch.complex64)", "np.int64(1)", "np.float32(1)",
            "np.ones(3)", "torch.float32", "torch.tensor(2.5)", "torch.tensor([0, 5, -1])",
        )
    ],
]  # fmt: skip

#: Words of Python's and NumPy's errors that reveal the implementation.
RAW = re.compile(
    r"zip\(\)|'NoneType'|broadcast together|axes don't|ufunc|truth value of an array|object has no attribute"
    r"|unpack \(|not iterable|unsupported operand|has no len|not subscriptable|already entered|list index"
    r"|setting an array|Maximum allowed|array is too big|unhashable|scalar index|interpreted as an integer"
    r"|not supported between|invalid literal|could not convert|out of bounds for axis|tuple index|cannot reshape"
    r"|Numerical result|is handled$"
)


def data(value: Any) -> Any:
    """An argument of PyTorch as both libraries can be given it."""
    if isinstance(value, torch.Tensor):
        return value.detach().resolve_conj().resolve_neg().numpy().copy()
    return type(value)(map(data, value)) if type(value) in (list, tuple) else value


def _made(library: Any, value: Any) -> Any:
    if isinstance(value, numpy.ndarray):
        return library.tensor(value)
    if type(value) in (list, tuple):
        return type(value)(_made(library, item) for item in value)
    if callable(value) and not isinstance(value, type):
        return value(library)
    if isinstance(value, torch.dtype):
        return getattr(library, str(value)[6:])
    return value


def wrong(arguments: list[Any], keywords: dict[str, Any]) -> Iterator[Call]:
    """Calls that differ from this one in one argument."""
    for place in range(len(arguments)):
        yield from (([*arguments[:place], keyword, *arguments[place + 1 :]], keywords) for keyword in WRONG)
        yield arguments[:place], keywords
    yield from ((arguments, {**keywords, key: keyword}) for key in keywords for keyword in WRONG)
    yield from (([*arguments, 1], keywords), ([*arguments, None, None], keywords), (arguments, {"nonsense": 1}))


def outcome(library: Any, name: str, call: Call, shown: Callable[[Any], str] = lambda result: "a result") -> str:
    """The class and the first line of the error; of a result what `shown` tells. Methods are called by their class."""
    library.manual_seed(0)
    arguments, keywords = call
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return shown(
                attrgetter(name)(library)(
                    *[_made(library, argument) for argument in arguments],
                    **{key: _made(library, keyword) for key, keyword in keywords.items()},
                )
            )
    except Exception as error:
        inside = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        first = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        return first if inside is None or library is torch else f"{first}, while {inside!r} is handled"
