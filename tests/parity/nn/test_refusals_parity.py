"""Wrong calls of networks' functions and layers: the class and the first line of what PyTorch answers."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

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
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_wrong_calls_are_answered_as_by_pytorch(program: str) -> None:
    assert disagreement(PROGRAMS[program], PRELUDE) is None
