"""Methods of layers that PyTorch does not document, and that programs call and override, do what PyTorch's do."""

from __future__ import annotations

import textwrap

import pytest
from parity.same_source import disagreement, seen_by_ours

PROGRAMS = {
    "instance norms of one's own": """
        class Norm(torch.nn.modules.instancenorm._InstanceNorm):
            def _get_no_batch_dim(self):
                return 3
            def _check_input_dim(self, input):
                see("dims", input.dim())
        x = torch.arange(24.0).reshape(1, 2, 3, 4) ** 2
        see(Norm(2)(x), Norm(2)(x[0]))
        norm = torch.nn.InstanceNorm2d(2, affine=True)
        see(norm._get_no_batch_dim(), norm._apply_instance_norm(x), norm._handle_no_batch_input(x[0]))
        class Nothing(torch.nn.modules.instancenorm._InstanceNorm): pass
        attempt(lambda: Nothing(2)(x))
    """,
    "circular padding asks for its input": """
        class Pad(torch.nn.CircularPad1d):
            def _check_input_dim(self, input):
                see("asked")
        see(Pad(1)(torch.arange(6.0).reshape(1, 2, 3)))
        attempt(lambda: torch.nn.CircularPad1d(1)._check_input_dim(torch.zeros(3)))
    """,
    "containers' places": """
        layers = torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.Tanh()])
        see(layers._get_abs_string_index(-1), torch.nn.ParameterList([torch.zeros(2)])._get_abs_string_index(0))
        attempt(lambda: layers._get_abs_string_index(2))
        net = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
        see(net._get_item_by_idx(net._modules.keys(), -1))
        attempt(lambda: net._get_item_by_idx(iter("ab"), 5))
    """,
    "calls of modules": """
        net = torch.nn.Linear(2, 1)
        torch.nn.init.ones_(net.weight), torch.nn.init.ones_(net.bias)
        x = torch.ones(1, 2)
        see(net._slow_forward(x), net._wrapped_call_impl(x), net._call_impl(x), net._get_backward_pre_hooks())
        hook = lambda module, grad: None
        net.register_full_backward_pre_hook(hook)
        see(net._get_backward_pre_hooks() == [hook], net._get_backward_hooks())
    """,
    "masks of attention": """
        layer = torch.nn.MultiheadAttention(4, 2, batch_first=True)
        query = torch.zeros(2, 3, 4)
        causal = torch.nn.Transformer.generate_square_subsequent_mask(3)
        padding = torch.tensor([[0.0, 0.0, float("-inf")], [0.0, 0.0, 0.0]])
        see(layer.merge_masks(None, None, query), layer.merge_masks(None, padding, query))
        see(*layer.merge_masks(causal, None, query), *layer.merge_masks(causal, padding, query))
        see(*layer.merge_masks(causal.expand(4, 3, 3).contiguous(), padding, query))
    """,
    "which activation an encoder layer has": """
        nn = torch.nn
        for kind in ("relu", "gelu", nn.ReLU(), nn.GELU(), torch.tanh, torch.nn.functional.gelu):
            see(nn.TransformerEncoderLayer(4, 2, 4, activation=kind).activation_relu_or_gelu)
        see(hasattr(nn.TransformerDecoderLayer(4, 2, 4), "activation_relu_or_gelu"))
    """,
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_inner_methods_of_layers(source: str) -> None:
    assert seen_by_ours(textwrap.dedent(source))
    assert disagreement(source) is None, disagreement(source)
