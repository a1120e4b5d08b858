"""Functions of `nn.functional` called wrongly: no error of Python's or NumPy's inside reaches the caller.

PyTorch's tables of samples tell how each function is called; then one argument after another becomes something else, is
left out, or stands beside one too many.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Iterator
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy
import pytest

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's tables of samples need it: pip install expecttest")

from parity.nn.test_functional_parity import INFOS  # noqa: E402  # after the oracle is known to be there

import tensorglass  # noqa: E402  # as above

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
MOST = 12  #: calls of each function

#: Functions of which some refusals differ in class or words (docs/differences-appendix.md tells the kinds). Nothing raw
#: comes from them either.
DIFFER = {
    "adaptive_avg_pool1d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "batch_norm",
    "bilinear", "conv1d", "conv3d", "conv_transpose3d", "cross_entropy", "embedding", "embedding_bag",
    "fractional_max_pool3d", "group_norm", "layer_norm", "max_pool1d", "max_pool2d", "max_pool3d", "rms_norm",
    "smooth_l1_loss", "soft_margin_loss", "upsample_bilinear", "upsample_nearest",
}  # fmt: skip

#: Words of Python and NumPy that speak of what is inside.
RAW = re.compile(
    r"zip\(\)|'NoneType'|broadcast together|axes don't|ufunc|truth value of an array|object has no attribute"
    r"|unpack \(|not iterable|unsupported operand|has no len|not subscriptable|already entered|list index"
    r"|setting an array|Maximum allowed|array is too big|unhashable|scalar index|interpreted as an integer"
    r"|not supported between|invalid literal|could not convert|out of bounds for axis"
)


def _made(library: Any, value: Any) -> Any:
    if isinstance(value, numpy.ndarray):
        return library.tensor(value)
    if callable(value) and not isinstance(value, type):
        return value(library)
    return value


def _data(value: Any) -> Any:
    return value.detach().resolve_conj().numpy().copy() if isinstance(value, torch.Tensor) else value


def _calls(name: str) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    info = INFOS[name]
    for sample in islice(info.sample_inputs("cpu", next(iter(info.dtypes & {torch.float32} or info.dtypes))), 2):
        arguments = [_data(each) for each in (sample.input, *sample.args)]
        keywords = {key: _data(each) for key, each in sample.kwargs.items()}
        if info.name.startswith("nn.functional.embedding"):
            arguments[:2] = arguments[1], arguments[0]
        if any(callable(each) for each in keywords.values()):
            continue
        for place in range(len(arguments)):
            yield from (([*arguments[:place], each, *arguments[place + 1 :]], keywords) for each in WRONG)
            yield arguments[:place], keywords
        yield from ((arguments, {**keywords, key: each}) for key in keywords for each in WRONG)
        yield from (([*arguments, 1], keywords), ([*arguments, None, None], keywords), (arguments, {"nonsense": 1}))


def _outcome(library: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> str:
    library.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attrgetter(name)(library)(
                *[_made(library, each) for each in arguments],
                **{key: _made(library, each) for key, each in keywords.items()},
            )
    except Exception as error:
        return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    return "a result"


@pytest.mark.parametrize("name", [name for name in INFOS if " " not in name])
def test_a_wrong_call_is_refused_as_pytorch_refuses_it(name: str) -> None:
    calls = list(_calls(name))
    random.Random(name).shuffle(calls)
    found = []
    for arguments, keywords in calls[:MOST]:
        ours, theirs = (_outcome(library, INFOS[name].name, arguments, keywords) for library in (tensorglass, torch))
        if ours != theirs and (name not in DIFFER or RAW.search(ours)):
            found.append(f"{arguments} {keywords}\n    {ours}\n    {theirs}")
    assert not found, "\n".join(found)
