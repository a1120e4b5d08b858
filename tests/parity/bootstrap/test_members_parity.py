"""What PyTorch's classes have, documented or not, ours have too, but for what is listed: programs derive from them."""

from __future__ import annotations

import inspect
from operator import attrgetter
from typing import Any

import pytest

import tensorglass
from tensorglass.core.left_out import is_left_out

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

PLACES = [
    "nn", "nn.modules.activation", "nn.modules.batchnorm", "nn.modules.conv", "nn.modules.instancenorm",
    "nn.modules.rnn", "nn.modules.padding", "nn.modules.pooling", "nn.modules.lazy", "nn.utils.parametrize", "optim",
    "optim.lr_scheduler", "optim.swa_utils", "utils.data", "utils.data.dataloader", "utils.data.sampler",
    "distributions", "distributions.transforms", "distributions.constraints", "amp",
]  # fmt: skip

#: Members that only PyTorch's own code asks for: of its compilers, devices, graphs and workers, and figures in between.
LEFT = frozenset((
    "T_destination", "ipu", "mtia", "_maybe_warn_non_full_backward_hook", "_is_protocol",
    "cummulative_sizes", "OptimizerPostHook", "OptimizerPreHook", "_accelerator_graph_capture_health_check",
    "_cuda_graph_capture_health_check", "_group_tensors_by_device_and_dtype", "_optimizer_step_code",
    "_patch_step_function", "_process_value_according_to_param_policy", "_init_scale_fn", "_get_in_channels",
    "_get_num_spatial_dims", "_conv_forward", "_check_non_zero_input_channels", "_require_tuple_int",
    "_clean_up_persistent_workers_atexit", "_get_data", "_mark_worker_as_unavailable", "_process_data",
    "_register_persistent_workers_atexit", "_try_get_data", "_try_put_index", "_cont_bern_log_norm",
    "_cut_probs", "_outside_unstable_region", "_z", "_slice", "_proposal_r", "_loc", "_concentration",
    "_bartlett_sampling", "support",
))  # fmt: skip

#: Attributes of objects, likewise.
OF_OBJECTS = frozenset((
    "_zero_grad_profile_name", "_warned_capturable_if_run_uncaptured", "_scale_fn_ref",
    "_gamma1", "_gamma2", "_binomial",
))  # fmt: skip

OBJECTS = [
    "nn.Linear(2, 3)", "nn.Conv2d(1, 2, 3)", "nn.ConvTranspose2d(1, 2, 3)", "nn.BatchNorm2d(3)", "nn.InstanceNorm1d(2)",
    "nn.LSTM(2, 3)", "nn.GRU(2, 3)", "nn.LSTMCell(2, 3)", "nn.MultiheadAttention(4, 2)", "nn.Embedding(3, 2)",
    "nn.TransformerEncoderLayer(4, 2)", "nn.TransformerDecoderLayer(4, 2)", "nn.Transformer(4, 2, 1, 1, 4)",
    "nn.Sequential(nn.ReLU())", "nn.ModuleList([nn.ReLU()])", "nn.ParameterList([p])", "nn.CrossEntropyLoss()",
    "nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2])", "nn.Upsample(2)", "nn.LayerNorm(2)", "nn.MaxPool2d(2)",
    "optim.SGD([p])", "optim.Adam([p])", "optim.LBFGS([p])", "optim.Adagrad([p])", "optim.lr_scheduler.StepLR(o, 2)",
    "optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=4)", "optim.lr_scheduler.CyclicLR(o, 0.1, 0.2)",
    "optim.lr_scheduler.ReduceLROnPlateau(o)", "optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 3)",
    "optim.lr_scheduler.SequentialLR(o, [optim.lr_scheduler.StepLR(o, 2)], [])", "optim.swa_utils.SWALR(o, 0.1)",
    "optim.swa_utils.AveragedModel(nn.Linear(2, 3))", "amp.GradScaler('cpu')",
    "utils.data.DataLoader([1, 2])", "iter(utils.data.DataLoader([1, 2]))._dataset_fetcher",
    "utils.data.RandomSampler([1])", "utils.data.BatchSampler([1], 2, True)", "utils.data.TensorDataset(torch.ones(2))",
    "distributions.Normal(0.0, 1.0)", "distributions.Categorical(torch.ones(3))", "distributions.Beta(1.0, 2.0)",
    "distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))", "distributions.Multinomial(2, torch.ones(3))",
    "distributions.MixtureSameFamily(distributions.Categorical(torch.ones(2)), distributions.Normal(torch.ones(2), 1))",
    "distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))",
    "distributions.LogNormal(0.0, 1.0)", "distributions.Gamma(1.0, 2.0)", "distributions.FisherSnedecor(1.0, 2.0)",
]  # fmt: skip


def inner(names: Any) -> set[str]:
    return {name for name in names if not name.startswith("__")}


@pytest.mark.parametrize("place", PLACES)
def test_a_class_has_the_members_of_pytorchs(place: str) -> None:
    theirs, ours = attrgetter(place)(torch), attrgetter(place)(tensorglass)
    missing: dict[str, set[str]] = {}
    compared = 0
    for name, kind in vars(theirs).items():
        same = getattr(ours, name, None)
        is_of_place = inspect.isclass(kind) and kind.__module__.startswith(f"torch.{place.partition('.')[0]}.")
        if is_left_out(same):
            continue
        if not is_of_place or not inspect.isclass(same) or issubclass(kind, (torch.Tensor, BaseException)):
            continue
        if ".datapipes." in kind.__module__:  # which are names alone
            continue
        compared += 1
        if left := inner(dir(kind)) - inner(dir(same)) - LEFT:
            missing[name] = left
    assert missing == {}
    assert compared


@pytest.mark.parametrize("source", OBJECTS)
def test_an_object_has_the_attributes_of_pytorchs(source: str) -> None:
    made = []
    for library in (torch, tensorglass):
        p = library.nn.Parameter(library.zeros(2))
        o = library.optim.SGD([p], lr=0.1, momentum=0.9)
        places = {name: getattr(library, name) for name in ("nn", "optim", "utils", "distributions", "amp")}
        made.append(eval(source, {"torch": library, "p": p, "o": o, **places}))
    theirs, ours = made
    # attributes of two underscores are mangled: programs that reach for a loader's write the name of its class
    wanted = {name for name in vars(theirs) if not name.startswith("__")}
    assert wanted - set(dir(ours)) - OF_OBJECTS == set()
