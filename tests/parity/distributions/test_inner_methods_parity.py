"""What distributions have for their own use, and programs that derive from them read, is what PyTorch's have."""

from __future__ import annotations

import textwrap

from parity.same_source import disagreement, seen_by_ours

PROGRAM = """
    d = torch.distributions
    half = torch.tensor([0.25, 0.75])
    for one in (d.Bernoulli(half), d.Binomial(3, half), d.Categorical(half), d.OneHotCategorical(half),
                d.NegativeBinomial(2, half), d.Multinomial(2, half), d.ContinuousBernoulli(half)):
        see(one._new((2,)).shape, one._new((2,)).dtype)
    normal = d.MultivariateNormal(torch.zeros(2), torch.eye(2) * 4)
    see(normal._unbroadcasted_scale_tril, normal.expand((4, 3))._unbroadcasted_scale_tril.shape[-2:])
    low = d.LowRankMultivariateNormal(torch.zeros(3, 2), torch.ones(2, 1), torch.ones(2))
    see(low._unbroadcasted_cov_factor, low._unbroadcasted_cov_diag)
    see(d.Wishart(torch.tensor(3.0), torch.eye(2))._unbroadcasted_scale_tril)
    mixture = d.MixtureSameFamily(d.Categorical(half), d.Independent(d.Normal(torch.zeros(2, 3), 1.0), 1))
    see(mixture._num_component, mixture._event_ndims, mixture._pad(torch.zeros(3)).shape)
    see(mixture._pad_mixture_dimensions(half))
    falling = d.TransformedDistribution(d.Normal(0.0, 1.0), [d.AffineTransform(1.0, -2.0)])
    see(falling._monotonize_cdf(half), d.LogNormal(0.0, 1.0)._monotonize_cdf(half))
"""


def test_inner_members_of_distributions() -> None:
    assert len(seen_by_ours(textwrap.dedent(PROGRAM))) > 20
    assert disagreement(PROGRAM) is None, disagreement(PROGRAM)
