"""Wrong calls of networks' functions and layers: the class and the first line of what PyTorch answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from parity.same_source import disagreement

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

PRELUDE = """
nn, F = torch.nn, torch.nn.functional
one, learned = torch.ones, lambda *size: torch.ones(*size, requires_grad=True)
classes, whole = torch.tensor([0, 1]), torch.zeros(2, 3).long()
def both(*calls):
    for call in calls: attempt(call)
"""

PROGRAMS = {
    "what a loss has no gradient for": """
spatial = torch.zeros(2, 4, 5).long(); weight = learned(3)
both(lambda: F.nll_loss(one(2, 3), classes, weight), lambda: F.nll_loss(learned(2, 3, 4, 5), spatial, weight),
    lambda: F.cross_entropy(learned(2, 3), classes, weight),
    lambda: F.multi_margin_loss(one(2, 3), classes, weight=weight),
    lambda: F.binary_cross_entropy(one(2, 3), one(2, 3), weight), lambda: F.soft_margin_loss(one(2, 3), learned(2, 3)),
    lambda: F.binary_cross_entropy_with_logits(one(2, 3), one(2, 3), weight),
    lambda: F.binary_cross_entropy_with_logits(one(2, 3), one(2, 3), pos_weight=weight),
    lambda: F.batch_norm(one(2, 3), weight, one(3)), lambda: F.instance_norm(one(2, 3, 4), one(3), weight))
with torch.no_grad(): see(F.cross_entropy(one(2, 3), classes, weight))
""",
    "losses of integers": """
both(lambda: F.mse_loss(whole, whole), lambda: F.smooth_l1_loss(whole, whole), lambda: F.huber_loss(whole, whole),
    lambda: F.binary_cross_entropy(whole, whole), lambda: F.soft_margin_loss(whole, whole),
    lambda: F.multilabel_margin_loss(whole, whole), lambda: F.multi_margin_loss(whole, classes),
    lambda: F.nll_loss(whole, classes), lambda: F.kl_div(whole, whole, reduction="sum"))
see(F.mse_loss(one(2, 3), whole)); see(F.mse_loss(whole, one(2, 3)))
""",
    "targets of other sizes and values": """
image = one(2, 3, 4, 5)
both(lambda: F.nll_loss(image, torch.zeros(2, 4, 4).long()), lambda: F.nll_loss(image, torch.zeros(2, 4).long()),
    lambda: F.nll_loss(image, torch.zeros(2, 4, 5).long(), one(4)), lambda: F.nll_loss(one(2, 3, 4), classes),
    lambda: F.multilabel_margin_loss(one(3), torch.tensor([0, 9, -1])),
    lambda: F.cross_entropy(one(2, 3), classes, ignore_index="a"), lambda: F.cross_entropy(one(2, 3), classes, [1.0]),
    lambda: F.binary_cross_entropy(one(2, 3), one(2, 3), one(4)))
see(F.multilabel_margin_loss(learned(3), torch.tensor([0, 1, -1]), reduction="none"))
see(F.multi_margin_loss(learned(3), torch.tensor(1), reduction="none"))
""",
    "alignments": """
log_probs, targets = one(5, 2, 4).log_softmax(2), one(2, 3).long()
def of(targets=targets, inputs=(5, 5), lengths=(3, 3), log_probs=log_probs):
    return lambda: F.ctc_loss(log_probs, targets, inputs, lengths)
both(of(lengths=(3, 4)), of(one(5).long()), of(inputs=(5, -5)), of(lengths=(3, -3)), of(inputs=5, lengths=3),
    of(log_probs=log_probs[:, 0, 0]), of(inputs=torch.tensor([5, 5])), of(one(2, 3, 1).long()), of(inputs=(5, 6)),
    of(inputs=torch.tensor([5.0, 5.0]), lengths=torch.tensor([3, 3])), of(log_probs=log_probs.half()),
    of(one(3, 3).long()))
""",
    "attention": """
def of(query=one(1, 4, 3, 4), key=one(1, 4, 3, 4), value=None, **others):
    return lambda: F.scaled_dot_product_attention(query, key, key if value is None else value, **others)
both(of(one(1, 5, 3, 4), one(1, 2, 3, 4), enable_gqa=True), of("a"), of(value=3), of(one(1, 2, 3, 0), one(1, 2, 3, 0)))
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True); stack = nn.TransformerEncoder(layer, 2).eval()
for size in ((2, 4), (3, 5), (5,)): attempt(lambda: stack(one(2, 5, 8), src_key_padding_mask=torch.zeros(size) > 0))
attempt(lambda: nn.TransformerDecoderLayer(8, 2)(one(2, 3, 8), one(2, 3, 9)))
""",
    "sequences": """
pad = nn.utils.rnn.pad_sequence
both(lambda: pad("ab"), lambda: pad([one(2), 3]), lambda: pad([torch.tensor(1.0)]), lambda: pad(one(2)),
    lambda: pad([one(3), one(3, 2)]), lambda: pad([one(3, 4), one(3, 2)]), lambda: pad([one(2)], padding_value="x"))
for kind in (nn.RNN, nn.GRU, nn.LSTM):
    both(lambda: kind(3, 4)(one(0, 2, 3)), lambda: kind(3, 4, batch_first=True)(one(2, 0, 3)))
    see(kind(3, 4)(one(2, 0, 3))[0].shape)
lstm, state = nn.LSTM(3, 4), one(1, 2, 4)
both(lambda: lstm(one(2, 2, 3), (state,)), lambda: lstm(one(2, 2, 3), (state, state, state)),
    lambda: lstm(one(2, 2, 3), (state, state[0])))
""",
    "bags": """
numbers, weight = torch.tensor([1, 2]), one(5, 3)
both(lambda: F.embedding_bag(numbers, weight, torch.tensor([0, 3])),
    lambda: F.embedding_bag(numbers + 7, weight, torch.tensor([0])),
    lambda: F.embedding_bag(numbers + 7, weight, torch.tensor([0]), mode="max"),
    lambda: F.embedding_bag(numbers, weight, torch.tensor([0.0])))
see(F.embedding_bag(numbers, weight, torch.tensor([0]), include_last_offset=True))
see(F.embedding_bag(numbers, weight, torch.tensor([]).long()))
""",
    "kernels and sizes": """
image = one(1, 3, 8, 8)
four, zeros = [1] * 4, [0] * 4
both(lambda: torch.convolution(one(1, 1, 2, 2, 2, 2), one(*four, 1, 1), None, four, zeros, four, False, zeros, 1),
    lambda: F.conv2d(image, one(4, 3, 3, 0)), lambda: F.conv1d(one(1, 3, 5), one(4, 3, 0)),
    lambda: F.conv3d(one(1, 3, 5, 5, 5), one(4, 3, 0, 1, 1)), lambda: F.conv_transpose2d(image, one(3, 4, 0, 0)),
    lambda: nn.Conv2d(3, 4, (3, 3, 3))(image), lambda: nn.Conv1d(3, 4, (3, 3))(one(1, 3, 9)),
    lambda: F.affine_grid(one(2, 2, 3), [1, 1, 2, 2]), lambda: F.max_unpool2d(image, image.long() * 999, 2),
    lambda: F.max_unpool1d(one(1, 3, 4), one(1, 3, 4).long() * -1, 2))
""",
    "numbers of activations": """
x = one(2)
both(lambda: F.leaky_relu(x, "a"), lambda: F.elu(x, "a"), lambda: F.celu(x, None), lambda: F.hardtanh(x, "a", 1),
    lambda: F.rrelu(x, "a"), lambda: F.relu6("a"), lambda: F.prelu(x.long(), x[:1]), lambda: F.dropout(x, "a"),
    lambda: F.dropout("a"), lambda: F.one_hot(classes, "a"))
see(F.leaky_relu(-x, torch.tensor(0.5))); see(F.hardtanh(x * 3, 0, 2))
""",
    "structures in the words of vmap": """
attempt(lambda: torch.func.vmap(torch.sin, in_dims=(0, 0))(one(2)))
try: torch.func.vmap(lambda d: d, in_dims=({"a": 0, "b": 0},))({"a": one(2), "c": one(2)})
except ValueError as error: see(str(error).splitlines()[1:])
""",
    "clipping where there is nothing to clip": """
attempt(lambda: nn.utils.clip_grads_with_norm_(nn.Linear(2, 2).parameters(), 1.0, 3.0))
attempt(lambda: nn.utils.clip_grad_norm_(nn.Linear(2, 2).parameters(), "a"))
""",
    "settings of optimizers": """
weights = [nn.Parameter(one(2))]
for kind in (torch.optim.Adam, torch.optim.NAdam, torch.optim.AdamW):
    both(lambda: kind(weights, betas=0.9), lambda: kind(weights, betas=(0.9,)), lambda: kind(weights, lr="a"))
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_wrong_calls_are_answered_as_by_pytorch(program: str) -> None:
    assert disagreement(PROGRAMS[program], PRELUDE) is None


#: Their `__init__` stands in another private class, or is that of the class whose older name they are.
SHARED = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "NLLLoss2d")


@pytest.mark.filterwarnings("ignore")
def test_python_names_the_layer_whose_arguments_are_wrong() -> None:
    compared = 0
    for name in set(torch.nn.modules.__all__) & set(dir(tensorglass.nn)) - set(SHARED):
        kinds = getattr(torch.nn, name), getattr(tensorglass.nn, name)
        for arguments, keywords in (((), {"nonsense": 1}), ((1,) * 20, {})):
            theirs, mine = (said_by(kind, *arguments, **keywords) for kind in kinds)
            assert mine == theirs
            compared += theirs is not None
    assert compared > 200


@pytest.mark.parametrize(
    "call",
    [
        lambda nn: nn.Conv2d(3, 4),
        lambda nn: nn.ConstantPad1d(1),
        lambda nn: nn.Conv2d(1, 1, 1)(),
        lambda nn: nn.LazyConv2d(1, 1).forward(1, 2),
        lambda nn: nn.MaxPool2d(2)(1, 2),
        lambda nn: nn.Linear(1, 1).state_dict(nonsense=1),
        lambda nn: nn.Linear(1, 1).named_parameters(1, 2, 3, 4),
        lambda nn: nn.Linear(1, 1).register_forward_hook(),
    ],
)
def test_python_names_the_method_whose_arguments_are_wrong(call: Callable[[Any], Any]) -> None:
    theirs, mine = (said_by(call, library.nn) for library in (torch, tensorglass))
    assert theirs is not None
    assert mine == theirs


def said_by(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> str | None:
    try:
        call(*arguments, **keywords)
    except Exception as error:
        return str(error)
    return None
