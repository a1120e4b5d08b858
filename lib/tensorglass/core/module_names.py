"""Where the modules of PyTorch are here, as far as that is elsewhere than under the same name."""

from __future__ import annotations

#: Modules of PyTorch whose names are in another module here; what is below them, too.
ELSEWHERE = {
    "_dynamo.eval_frame": "compiler.optimized_module",
    "_dynamo.exc": "compiler",
    "_dynamo.external_utils": "compiler",
    "_tensor": "tensor.tensor",
    "cuda.amp": "amp.cuda",
    "compiler.config": "_dynamo.config",
    "distributions.utils": "distributions.distribution",
    "jit._script": "jit",
    "jit._trace": "jit",
    "jit.annotations": "_jit_internal",
    "nn.modules.utils": "nn.modules.lengths",
    "optim.adamw": "optim.adam",
    "utils.data._utils": "utils.data",
    "utils.data._utils.collate": "utils.data.collate",
    **{
        f"distributions.{name}": "distributions"
        for name in (
            "bernoulli", "beta", "binomial", "categorical", "cauchy", "chi2", "dirichlet", "exp_family", "exponential",
            "gamma", "geometric", "gumbel", "half_cauchy", "half_normal", "independent", "laplace", "log_normal",
            "mixture_same_family", "multinomial", "multivariate_normal", "negative_binomial", "normal",
            "one_hot_categorical", "pareto", "poisson", "studentT", "transformed_distribution", "uniform", "weibull",
        )
    },
    **{f"distributions.relaxed_{name}": "distributions.relaxed" for name in ("bernoulli", "categorical")},
}  # fmt: skip


def ours(fullname: str) -> str:
    """The module of this library that has the names of PyTorch's."""
    if fullname == "torch":
        return "tensorglass"
    name = above = fullname.removeprefix("torch.")
    while above and above not in ELSEWHERE:
        above = above.rpartition(".")[0]
    return f"tensorglass.{ELSEWHERE.get(above, name)}"
