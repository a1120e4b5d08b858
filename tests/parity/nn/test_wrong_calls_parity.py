"""Functions of `nn.functional` called wrongly: no error of Python's or NumPy's inside reaches the caller.

PyTorch's tables of samples tell how each function is called; then one argument after another becomes something else, is
left out, or stands beside one too many.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

import pytest

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's tables of samples need it: pip install expecttest")

from parity.nn.test_functional_parity import INFOS  # noqa: E402  # after the oracle is known to be there
from parity.steps import disagreement, lines  # noqa: E402  # as above
from parity.wrong_calls import RAW, Call, data, outcome, wrong  # noqa: E402  # as above

import tensorglass  # noqa: E402  # as above

MOST = 50  #: calls of each function, none of which may end in an error of Python's or NumPy's inside
COMPARED = 12  #: the first of them, whose refusals are compared

#: Functions of which some refusals differ in class or words (docs/differences-appendix.md tells the kinds). Nothing raw
#: comes from them either.
DIFFER = {
    "adaptive_max_pool1d", "adaptive_max_pool2d", "batch_norm", "fractional_max_pool3d", "max_pool1d", "max_pool3d",
    "smooth_l1_loss", "upsample_bilinear", "upsample_nearest",
}  # fmt: skip


def _calls(name: str) -> Iterator[Call]:
    info = INFOS[name]
    dtype = next(iter(info.dtypes & {torch.float32} or info.dtypes))
    for sample in islice(info.sample_inputs_func(info, "cpu", dtype, False), 2):
        arguments = [data(argument) for argument in (sample.input, *sample.args)]
        keywords = {key: data(value) for key, value in sample.kwargs.items()}
        if info.name.startswith("nn.functional.embedding"):
            arguments[:2] = arguments[1], arguments[0]
        if any(callable(keyword) for keyword in keywords.values()):
            continue
        yield from wrong(arguments, keywords)


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in INFOS if " " not in name])
def test_a_wrong_call_is_refused_as_pytorch_refuses_it(name: str) -> None:
    calls = list(_calls(name))
    random.Random(name).shuffle(calls)
    differing = []
    for number, call in enumerate(calls[:MOST]):
        ours, theirs = (outcome(library, INFOS[name].name, call) for library in (tensorglass, torch))
        if ours != theirs and (RAW.search(ours) or (number < COMPARED and name not in DIFFER)):
            differing.append(f"{call}\n    {ours}\n    {theirs}")
    assert not differing, "\n".join(differing)


CORNERS = r"""
F.gaussian_nll_loss(torch.ones(3), torch.zeros(3), np.ones(3)) ;; F.gaussian_nll_loss(torch.ones(3), torch.zeros(3), 2)
F.gaussian_nll_loss(torch.ones(3), torch.zeros(3), 2.5) ;; F.gaussian_nll_loss(torch.ones(3), torch.zeros(3), -1.0)
F.softshrink(torch.ones(3), 1j) ;; F.rrelu(torch.ones(3), 0.0, 1j) ;; F.rrelu(torch.ones(3), 1j, training=True)
F.fractional_max_pool2d(torch.ones(1, 3, 5, 5), 2, -7) ;; F.fractional_max_pool2d(torch.ones(3, 5, 5), 2, (2, -1))
F.fractional_max_pool3d(torch.ones(1, 3, 5, 5, 5), 2, -7) ;; F.fractional_max_pool2d(torch.ones(3, 5, 5), 2, 0)
x, w = torch.ones(2, 1, 4), torch.ones(12, 4) ;; F.multi_head_attention_forward(x, x, x, 4, 1, w, None, None, None, \
False, 0.0, torch.ones(4, 4), None, use_separate_proj_weight=True)
"""

ORDER = """
x, w, b = torch.ones(2, 3), torch.ones(5, 3, 4), torch.ones(3) ;; F.bilinear(x, torch.ones(2, 4).half(), w, b)
x, y, w = torch.ones(2, 3), torch.ones(2, 4), torch.ones(5, 3, 4) ;; F.bilinear(x, y, w, torch.ones(3))
x, y, w = torch.ones(2, 3), torch.ones(2, 4), torch.ones(5, 3, 4) ;; F.bilinear(x, y, w, torch.tensor(1.0))
x, y, w = torch.ones(2, 3), torch.ones(4), torch.ones(5, 3, 7) ;; F.bilinear(x, y, w)
x, w, b = torch.ones(5), torch.ones(3, 2, 3), torch.ones(5).double() ;; F.conv1d(x, w, b)
x, w, b = torch.ones(5), torch.ones(3, 2, 3), torch.ones(5).double() ;; F.conv1d(x, w, b, padding="same")
x, w, b = torch.ones(5), torch.ones(3, 2, 3), torch.ones(5).double() ;; F.conv_transpose1d(x, w, b)
x = torch.ones(2, 5) ;; F.layer_norm(x, (4,), torch.ones(5).double(), torch.ones(5).double())
x = torch.ones(2, 5).to(torch.int64) ;; F.layer_norm(x, (4,), torch.ones(3))
x = torch.ones(0, 2, 5).to(torch.int64) ;; F.layer_norm(x, (5,)) ;; F.group_norm(x, 2)
x = torch.ones(0, 2, 5).to(torch.int64) ;; F.group_norm(x, 2)
F.group_norm(torch.ones(1, 2, 5), 2, torch.ones(2), torch.ones(3))
torch.group_norm(torch.ones(1, 2, 5), 2, None, torch.ones(3))
x, y = torch.ones(2, 3), torch.ones(3) ;; F.batch_norm(x, y, None, training=True) ;; F.batch_norm(x, None, y)
x, y = torch.ones(2, 3), torch.ones(3) ;; torch.batch_norm(x, None, None, None, y, True, 0.1, 1e-5, False)
F.dropout(torch.ones(2), math.nan) ;; F.alpha_dropout(torch.ones(2), math.nan) ;; F.dropout(torch.ones(2), 2.5)
torch.dropout(torch.ones(2), math.nan, False) ;; torch.dropout(torch.ones(2), -1.5, True)
F.rrelu(torch.ones(2), math.nan, 0.5) ;; F.rrelu(torch.ones(2), 0.1, math.inf) ;; F.rrelu(torch.ones(2), 0.5, 0.1)
x = torch.ones(2, 1, 4) ;; F.multi_head_attention_forward(x, x, x, 4, 1, None, None, None, None, False, 0.0, x, None)
F.unfold(torch.ones(()), 2) ;; F.unfold(torch.ones(3), 2) ;; F.unfold(torch.ones(3, 3), 2)
F.rms_norm(torch.ones(2, 5), (1, 2, 5)) ;; F.rms_norm(torch.ones(2, 5), (1, 2, 5), torch.ones(3))
F.rms_norm(torch.ones(2, 5), (1, 2, 5), torch.ones(1, 2, 5)) ;; F.rms_norm(torch.ones(2, 5), (2, 4))
F.nll_loss(torch.ones(2, 3), torch.tensor(0)) ;; F.nll_loss(torch.ones(0, 3), torch.tensor(0))
F.nll_loss(torch.ones(0, 3), torch.tensor(0)) ;; F.cross_entropy(torch.ones(2, 3), torch.tensor(0))
F.nll_loss(torch.ones(2, 3), torch.tensor([0, 1]), torch.ones(2).double())
F.soft_margin_loss(torch.tensor(1.0), torch.ones(2)) ;; F.soft_margin_loss(torch.ones(2), torch.ones(2, 1))
F.soft_margin_loss(torch.ones(2).to(torch.int64), torch.ones(2)) ;; F.soft_margin_loss(torch.ones(2) > 0, torch.ones(5))
F.soft_margin_loss(torch.ones(2), torch.ones(2).double()).dtype
F.grid_sample(torch.ones(2, 3, 5, 5), torch.ones(2, 2), align_corners=False)
F.grid_sample(torch.ones(2, 3, 5, 5, 5), torch.ones(2, 3), align_corners=False)
F.avg_pool3d(torch.ones(1, 4, 4, 4), (1, 1)) ;; F.avg_pool2d(torch.ones(1, 4, 4), (1, 1, 1))
F.avg_pool3d(torch.ones(1, 4, 4, 4), 2, (1, 1)) ;; F.max_pool3d(torch.ones(1, 4, 4, 4), 2, (1, 1))
F.max_pool3d(torch.ones(2, 2), 2) ;; F.max_pool3d(torch.ones(3), 2, return_indices=True)
F.adaptive_avg_pool2d(torch.ones(1, 1, 4, 0), 1) ;; F.adaptive_avg_pool2d(torch.ones(1, 1, 4, 0), 2)
F.adaptive_avg_pool3d(torch.ones(1, 0, 4, 4, 4), 2) ;; F.adaptive_avg_pool3d(torch.ones(1, 1, 4, 4, 0), 1)
F.max_pool1d(torch.ones(1, 1, 4), 2, (1, 1)) ;; F.max_pool1d(torch.ones(1, 1, 4), 2, 1, (1, 1))
F.max_pool1d(torch.ones(1, 1, 4), 2, 1, (1, 1)) ;; F.max_pool1d(torch.ones(1, 1, 4), (2, 2))
x = torch.ones(2, 2) ;; x.index_put(3) ;; x.index_put_(None, None) ;; x.index_put(indices=3, values=x) ;; x.index_put()
x = torch.ones(2, 2) ;; torch.index_put(x, 3) ;; torch.index_put_(x, x, x) ;; x.index_put((1,), x)
"""


@pytest.mark.parametrize("program", lines(ORDER))
def test_of_two_reasons_for_refusal_the_one_that_pytorch_tells_is_told(program: str) -> None:
    assert disagreement(f"F = torch.nn.functional ;; {program}") is None


@pytest.mark.parametrize("program", lines(CORNERS.replace("\\\n", "")))
def test_what_was_refused_in_words_of_the_inside_is_refused_as_in_pytorch(program: str) -> None:
    assert disagreement(f"F = torch.nn.functional ;; {program}") is None
