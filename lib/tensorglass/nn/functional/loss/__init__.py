"""Loss functions: how far `input` is from `target`.

`reduction` says how the losses of elements or samples are combined: "none" returns all of them, "mean" their mean,
"sum" their sum. `size_average` and `reduce` are its deprecated forms.
"""

from tensorglass.nn.functional.loss.classification import (
    cross_entropy,
    linear_cross_entropy,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
)
from tensorglass.nn.functional.loss.distribution import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    gaussian_nll_loss,
    kl_div,
    poisson_nll_loss,
)
from tensorglass.nn.functional.loss.ranking import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from tensorglass.nn.functional.loss.reduction import legacy_reduction
from tensorglass.nn.functional.loss.regression import huber_loss, l1_loss, mse_loss, smooth_l1_loss, soft_margin_loss
from tensorglass.nn.functional.loss.sequence import ctc_loss
