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
    "projections of attention": """
        F = torch.nn.functional
        q, k, v = (torch.arange(24.0).reshape(3, 2, 4) / number for number in (7, 8, 9))
        w, b = torch.arange(48.0).reshape(12, 4) / 50, torch.arange(12.0)
        for x in ((q, q, q), (q, k, k), (q, k, v), (q[0], q[0], q[0]), (q[0, 0], k[0, 0], k[0, 0])):
            see(*[part + 0 for part in (*F._in_projection_packed(*x, w, b), *F._in_projection_packed(*x, w))])
        see(*F._in_projection(q, k, v, *w.chunk(3), *b.chunk(3)), *F._in_projection(q, k, v, *w.chunk(3)))
        attempt(lambda: F._in_projection(q, k, v, w, w, w))
    """,
    "which activation an encoder layer has": """
        nn = torch.nn
        for kind in ("relu", "gelu", nn.ReLU(), nn.GELU(), torch.tanh, torch.nn.functional.gelu):
            see(nn.TransformerEncoderLayer(4, 2, 4, activation=kind).activation_relu_or_gelu)
        see(hasattr(nn.TransformerDecoderLayer(4, 2, 4), "activation_relu_or_gelu"))
    """,
    "a transposed convolution of one's own": """
        class Up(torch.nn.modules.conv._ConvTransposeNd):
            def __init__(self, *sizes, bias=True):
                super().__init__(*sizes, (3, 3), (2, 2), (1, 1), (1, 1), True, (0, 0), 1, bias, "zeros")
            def forward(self, x, output_size=None):
                more = self._output_padding(x, output_size, self.stride, self.padding, self.kernel_size, 2)
                return torch.nn.functional.conv_transpose2d(x, self.weight, self.bias, self.stride, self.padding, more)
        torch.manual_seed(0)
        up = Up(2, 3)
        see([tuple(weight.shape) for weight in up.parameters()], up.transposed, up.output_padding)
        torch.nn.init.constant_(up.weight, 0.5), torch.nn.init.constant_(up.bias, 0.25)
        x = torch.arange(18.0).reshape(1, 2, 3, 3)
        see(up(x), up(x, [6, 6]), isinstance(torch.nn.ConvTranspose2d(1, 1, 1), torch.nn.modules.conv._ConvTransposeNd))
        class Odd(torch.nn.modules.conv._ConvTransposeNd):
            def __init__(self):
                super().__init__(1, 1, (1,), (1,), (0,), (1,), True, (0,), 1, True, "circular")
        attempt(Odd)
    """,
    "layers and their batch norms as one": """
        nn, fusion = torch.nn, torch.nn.utils.fusion
        def filled(layer):
            for number, tensor in enumerate([*layer.parameters(), *layer.buffers()]):
                if tensor.is_floating_point():
                    tensor.data = torch.arange(1.0, tensor.numel() + 1).reshape(tensor.shape) / (number + 2)
            return layer.eval()
        x = torch.arange(32.0).reshape(1, 2, 4, 4) / 7
        for kind, options in ((nn.Conv2d, {}), (nn.Conv2d, {"bias": False}), (nn.ConvTranspose2d, {})):
            conv, norm = filled(kind(2, 3, 2, **options)), filled(nn.BatchNorm2d(3))
            one = nn.utils.fuse_conv_bn_eval(conv, norm, kind is nn.ConvTranspose2d)
            see(one(x), one.weight.requires_grad, one.bias.requires_grad)
        linear, norm = filled(nn.Linear(4, 3)), filled(nn.BatchNorm1d(3))
        see(fusion.fuse_linear_bn_eval(linear, norm)(x[0, 0]))
        attempt(lambda: fusion.fuse_linear_bn_eval(linear, nn.BatchNorm1d(2).eval()))
        attempt(lambda: fusion.fuse_conv_bn_eval(conv, nn.BatchNorm2d(3)))
        attempt(lambda: fusion.fuse_conv_bn_eval(conv, nn.BatchNorm2d(3, track_running_stats=False).eval()))
        net = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Conv3d(2, 3, 2))
        see(nn.utils.convert_conv2d_weight_memory_format(net, torch.channels_last) is net)
        nn.utils.convert_conv3d_weight_memory_format(net, torch.channels_last_3d)
        see([layer.weight.stride() for layer in net])
    """,
    "small functions that programs import": """
        modules = torch.nn.modules
        see(modules.utils._reverse_repeat_tuple((1, 2, 3), 2), modules.utils._list_with_default([None, 4], [7, 8, 9]))
        see(modules.utils._list_with_default(3, [1]))
        attempt(lambda: modules.utils._list_with_default([1, 2], [3, 4]))
        told(lambda: modules.rnn.apply_permutation(torch.arange(6).reshape(2, 3), torch.tensor([2, 0, 1])))
        causal = modules.transformer._generate_square_subsequent_mask(3)
        detect = modules.transformer._detect_is_causal_mask
        see(causal, detect(causal), detect(causal, None, 4), detect(causal * 2), detect(causal, False), detect(None))
        see(modules.transformer._get_seq_len(torch.zeros(2, 3, 4), True))
        see(modules.transformer._get_seq_len(torch.zeros(2, 3, 4), False))
        checkpoint = torch.utils.checkpoint
        x, y = torch.ones(2, requires_grad=True), torch.ones(2)
        parts = checkpoint.detach_variable((x * 2, y, "text"))
        see(*parts, parts[0].is_leaf)
        attempt(lambda: checkpoint.detach_variable([x]))
        told(lambda: checkpoint.check_backward_validity([y, 3]))
        told(lambda: checkpoint.check_backward_validity([x, 3]))
    """,
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_inner_methods_of_layers(source: str) -> None:
    assert seen_by_ours(textwrap.dedent(source))
    assert disagreement(source) is None, disagreement(source)
