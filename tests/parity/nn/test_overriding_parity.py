"""A class that defines `__torch_function__` gets each function of layers as one call, with the arguments that PyTorch
hands over: a subclass of Tensor, an object that is no tensor, and a class that answers nothing.
"""

from __future__ import annotations

import io
import pickle

import pytest
from parity.same_source import disagreement

import tensorglass

PRELUDE = """
    import warnings
    F = torch.nn.functional
    warnings.simplefilter("ignore")

    def t(*sizes):
        return torch.ones(*sizes)

    ids = torch.tensor([0, 1])

    def told(value):
        if isinstance(value, (list, tuple)):
            return [told(item) for item in value]
        return type(value).__name__ if isinstance(value, (torch.Tensor, StandIn)) else repr(value)

    def note(func, args, kwargs):
        named = {name: told(value) for name, value in (kwargs or {}).items()}
        see(torch.overrides.resolve_name(func), told(args), named)

    class Derived(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            note(func, args, kwargs)
            see([kind.__name__ for kind in types])
            return super().__torch_function__(func, types, args, kwargs or {})

    class StandIn:
        def __init__(self, tensor):
            self.tensor = tensor

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            note(func, args, kwargs)
            see([kind.__name__ for kind in types])
            return "answered"

    class Silent:
        def __init__(self, tensor):
            self.tensor = tensor

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented
"""

#: Calls in which `w` makes one argument one of such a class.
CALLS = (
    "F.softmax(w(t(2, 3)), 1)",
    "F.softmax(w(t(2, 3)), dim=1, dtype=torch.float64)",
    "F.log_softmax(w(t(2, 3)), 1)",
    "F.softmin(w(t(2, 3)), 1)",
    "F.relu(w(t(2, 3)))",
    "F.relu(w(t(2, 3)), inplace=True)",
    "F.gelu(w(t(2, 3)))",
    "F.elu(w(t(2, 3)))",
    "F.leaky_relu(w(t(2, 3)), 0.2)",
    "F.hardtanh(w(t(2, 3)))",
    "F.relu6(w(t(2, 3)))",
    "F.selu(w(t(2, 3)))",
    "F.celu(w(t(2, 3)))",
    "F.glu(w(t(2, 4)))",
    "F.silu(w(t(2, 3)))",
    "F.mish(w(t(2, 3)))",
    "F.softplus(w(t(2, 3)))",
    "F.prelu(w(t(2, 3)), t(1))",
    "F.sigmoid(w(t(2, 3)))",
    "F.tanh(w(t(2, 3)))",
    "F.tanhshrink(w(t(2, 3)))",
    "F.softsign(w(t(2, 3)))",
    "F.hardswish(w(t(2, 3)))",
    "F.hardsigmoid(w(t(2, 3)))",
    "F.linear(t(2, 3), w(t(4, 3)))",
    "F.linear(w(t(2, 3)), t(4, 3), t(4))",
    "F.bilinear(t(2, 3), t(2, 3), w(t(2, 3, 3)))",
    "F.conv1d(w(t(1, 1, 5)), t(1, 1, 2))",
    "F.conv2d(t(1, 1, 5, 5), w(t(1, 1, 2, 2)), padding=1)",
    "F.conv_transpose2d(w(t(1, 1, 3, 3)), t(1, 1, 2, 2))",
    "F.max_pool1d(w(t(1, 1, 4)), 2)",
    "F.max_pool2d(w(t(1, 1, 4, 4)), 2)",
    "F.avg_pool2d(w(t(1, 1, 4, 4)), 2)",
    "F.adaptive_avg_pool2d(w(t(1, 1, 4, 4)), 2)",
    "F.adaptive_max_pool2d(w(t(1, 1, 4, 4)), 2)",
    "F.lp_pool2d(w(t(1, 1, 4, 4)), 2.0, 2)",
    "F.dropout(w(t(2, 3)), 0.5, False)",
    "F.dropout2d(w(t(1, 2, 3, 3)), 0.5, False)",
    "F.alpha_dropout(w(t(2, 3)), 0.5, False)",
    "F.embedding(i, w(t(3, 2)))",
    "F.one_hot(w(i))",
    "F.batch_norm(w(t(2, 3)), t(3), t(3))",
    "F.layer_norm(w(t(2, 3)), (3,))",
    "F.group_norm(w(t(2, 4)), 2)",
    "F.instance_norm(w(t(2, 3, 4)))",
    "F.rms_norm(w(t(2, 3)), (3,))",
    "F.local_response_norm(w(t(2, 3, 4)), 2)",
    "F.normalize(w(t(2, 3)))",
    "F.mse_loss(w(t(2, 3)), t(2, 3))",
    "F.smooth_l1_loss(w(t(2, 3)), t(2, 3))",
    "F.huber_loss(w(t(2, 3)), t(2, 3))",
    "F.cross_entropy(w(t(2, 3)), i)",
    "F.nll_loss(w(t(2, 3)), i)",
    "F.binary_cross_entropy(w(t(2, 3)), t(2, 3))",
    "F.binary_cross_entropy_with_logits(w(t(2, 3)), t(2, 3))",
    "F.kl_div(w(t(2, 3)), t(2, 3), reduction='sum')",
    "F.poisson_nll_loss(w(t(2, 3)), t(2, 3))",
    "F.gaussian_nll_loss(w(t(2, 3)), t(2, 3), t(2, 3))",
    "F.cosine_embedding_loss(w(t(2, 3)), t(2, 3), i)",
    "F.margin_ranking_loss(w(t(2)), t(2), i)",
    "F.hinge_embedding_loss(w(t(2)), i)",
    "F.soft_margin_loss(w(t(2)), t(2))",
    "F.multi_margin_loss(w(t(2, 3)), i)",
    "F.multilabel_soft_margin_loss(w(t(2, 3)), t(2, 3))",
    "F.triplet_margin_loss(w(t(2, 3)), t(2, 3), t(2, 3))",
    "F.cosine_similarity(w(t(2, 3)), t(2, 3))",
    "F.pairwise_distance(w(t(2, 3)), t(2, 3))",
    "F.pdist(w(t(2, 3)))",
    "F.pad(w(t(2, 3)), (1, 1))",
    "F.interpolate(w(t(1, 1, 2, 2)), scale_factor=2)",
    "F.pixel_shuffle(w(t(1, 4, 2, 2)), 2)",
    "F.grid_sample(w(t(1, 1, 2, 2)), t(1, 2, 2, 2), align_corners=False)",
    "F.affine_grid(w(t(1, 2, 3)), (1, 1, 2, 2), align_corners=False)",
    "F.unfold(w(t(1, 1, 3, 3)), 2)",
    "F.fold(w(t(1, 4, 4)), 3, 2)",
    "F.scaled_dot_product_attention(w(t(1, 2, 3)), t(1, 2, 3), t(1, 2, 3))",
    "F.gumbel_softmax(w(t(2, 3)))",
    "F.logsigmoid(w(t(2, 3)))",
    "F.hardshrink(w(t(2, 3)))",
    "F.ctc_loss(w(t(4, 1, 3)), torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]))",
    "F.upsample(w(t(1, 1, 2, 2)), scale_factor=2)",
)


@pytest.mark.parametrize("call", CALLS)
def test_a_derived_class_gets_a_function_of_layers_as_one_call(call: str) -> None:
    source = f"w = lambda tensor: tensor.as_subclass(Derived)\nsee(type({call}).__name__)"
    assert disagreement(source, PRELUDE) is None


@pytest.mark.parametrize("call", CALLS)
def test_an_object_that_is_no_tensor_gets_it_too(call: str) -> None:
    assert disagreement(f"w = StandIn\nattempt(lambda: {call})", PRELUDE) is None


@pytest.mark.parametrize("call", CALLS)
def test_what_no_class_answers_is_refused_in_pytorchs_words(call: str) -> None:
    source = f"""
try:
    {call.replace("w(", "Silent(")}
except TypeError as error:
    see(str(error).replace("tensorglass", "torch"))
"""
    assert disagreement(source, PRELUDE) is None


def test_functions_of_layers_are_pickled_by_the_name_that_programs_have_for_them() -> None:
    functional = tensorglass.nn.functional
    for name in functional.__all__:
        function = getattr(functional, name)
        assert pickle.loads(pickle.dumps(function)) is function, name
    with io.BytesIO() as file:
        tensorglass.save({"activation": functional.relu}, file)
        file.seek(0)
        assert tensorglass.load(file, weights_only=False)["activation"] is functional.relu
