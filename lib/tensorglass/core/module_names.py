"""Where to find PyTorch's modules in this library, if not under the same name."""

from __future__ import annotations

#: PyTorch's modules whose names live in another module here; this holds for their submodules, too.
ELSEWHERE = {
    "_dynamo.eval_frame": "compiler.optimized_module",
    "_dynamo.exc": "compiler",
    "_dynamo.external_utils": "compiler",
    "_ops": "ops.declare.inner_names",
    "_tensor": "tensor.tensor",
    "autograd.profiler": "profiler.autograd_profiler",
    "backends.cudnn.rnn": "backends.cudnn",
    "autograd.profiler_util": "profiler.profiler_util",
    "cuda.amp": "amp.cuda",
    "cuda.memory": "cuda",
    "cuda.random": "cuda",
    "compiler.config": "_dynamo.config",
    "distributed._composable.fsdp": "distributed.fsdp",
    "distributed._tensor": "distributed.tensor",
    "distributed._tensor.experimental": "distributed.tensor.experimental",
    "distributed.constants": "distributed.groups",
    "distributed.distributed_c10d": "distributed",
    "distributed.elastic.multiprocessing": "distributed.elastic",
    "distributed.elastic.utils": "distributed.elastic",
    "distributed.tensor.device_mesh": "distributed.device_mesh",
    "jit._script": "jit",
    "jit._trace": "jit",
    "jit.annotations": "_jit_internal",
    "mps.event": "mps",
    "nn.modules.utils": "nn.modules.lengths",
    "optim.adamw": "optim.adam",
    "quantization": "ao.quantization",
    "xpu.memory": "xpu",
    "xpu.random": "xpu",
    "xpu.streams": "xpu",
    "utils.data._utils": "utils.data",
    "utils.tensorboard.writer": "utils.tensorboard",
    "utils.data._utils.collate": "utils.data.collate",
    "utils.data._utils.fetch": "utils.data.fetch",
    "utils.data._utils.pin_memory": "utils.data.dataloader",
    "utils.data._utils.worker": "utils.data.workers",
    **{
        f"distributions.{name}": "distributions"
        for name in (
            "bernoulli", "beta", "binomial", "categorical", "cauchy", "chi2", "continuous_bernoulli", "dirichlet",
            "exp_family", "exponential", "fishersnedecor", "gamma", "generalized_pareto", "geometric", "gumbel",
            "half_cauchy", "half_normal", "independent", "inverse_gamma", "kumaraswamy", "laplace", "lkj_cholesky",
            "log_normal", "logistic_normal", "lowrank_multivariate_normal", "mixture_same_family", "multinomial",
            "multivariate_normal", "negative_binomial", "normal", "one_hot_categorical", "pareto", "poisson",
            "studentT", "transformed_distribution", "uniform", "von_mises", "weibull",
        )
    },
    **{f"distributions.relaxed_{name}": "distributions.relaxed" for name in ("bernoulli", "categorical")},
}  # fmt: skip

#: Names that PyTorch's modules have since they import them, so that programs import them from there: where they are.
PASSED_ON = {
    "NonDynamicallyQuantizableLinear": "tensorglass.nn.modules.linear",
    "_group_tensors_by_device_and_dtype": "tensorglass.utils._foreach_utils",
    "_IncompatibleKeys": "tensorglass.nn.modules.module.state_dict",
    "Optimizer": "tensorglass.optim.optimizer", "Parameter": "tensorglass.nn.parameter",
    "RemovableHandle": "tensorglass.utils.hooks", "Tensor": "tensorglass",
    "UninitializedBuffer": "tensorglass.nn.parameter", "UninitializedParameter": "tensorglass.nn.parameter",
    "Variable": "tensorglass.autograd.variable",
    **dict.fromkeys(
        ("_load_from_bytes", "_rebuild_from_type_v2", "_rebuild_meta_tensor_no_storage", "_rebuild_parameter",
         "_rebuild_parameter_with_state", "_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3"),
        "tensorglass.serialization.plain_pickles",
    ),
    **dict.fromkeys(("_pair", "_quadruple", "_single", "_triple"), "tensorglass.nn.modules.lengths"),
    **dict.fromkeys(("handle_torch_function", "has_torch_function"), "tensorglass.overrides"),
    **dict.fromkeys(
        ("DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"), "tensorglass.utils.data.datapipes.datapipe"
    ),
    "functional_datapipe": "tensorglass.utils.data.datapipes._decorator",
    **dict.fromkeys(
        ("_default_to_fused_or_foreach", "_get_scalar_dtype", "_get_value", "_stack_if_compiling",
         "_use_grad_for_differentiable", "_view_as_real"),
        "tensorglass.optim.for_subclasses",
    ),
    **dict.fromkeys(
        ("adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop", "rprop", "sgd"),
        "tensorglass.optim._functional",
    ),
    **dict.fromkeys(("constant_", "xavier_normal_", "xavier_uniform_"), "tensorglass.nn.init"),
}  # fmt: skip
PASSING_ON = (
    "_utils",
    "autograd.",
    "nn.",
    "optim.",
    "storage",
    "tensor.tensor",
    "utils.",
)  #: the modules that have them begin so


def ours(fullname: str) -> str:
    """The module of this library that has the names of the given PyTorch module."""
    if fullname == "torch":
        return "tensorglass"
    name = above = fullname.removeprefix("torch.")
    while above and above not in ELSEWHERE:
        above = above.rpartition(".")[0]
    return f"tensorglass.{ELSEWHERE.get(above, name)}"
