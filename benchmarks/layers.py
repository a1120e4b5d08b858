"""Single layers, losses, optimizers' steps and calls of modules beside PyTorch, forward and backward.

    python benchmarks/layers.py             # all; arguments select the cases that contain them: norm attention
    python benchmarks/layers.py --markdown  # for docs/performance.md

The libraries take turns on one thread, each in its own process; a figure is the median of the turns' ratios of
processor time. The result of a case is compared with PyTorch's before it is timed.
"""

from __future__ import annotations

import argparse
import os
import statistics

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when the libraries are loaded, so before any import of them

from contestant import Contestant  # noqa: E402  # as said above
from networks import agree  # noqa: E402  # as said above

TURNS = 11
SECONDS_A_TURN = 0.02  # for each library

_START = "nn, F = torch.nn, torch.nn.functional\ntorch.manual_seed(0)\n"
_THERE_AND_BACK = """
def step():
    inputs.grad = None
    {network}.zero_grad()
    output = function(inputs)
    output.backward(towards)
    return output, inputs.grad, *[each.grad for each in {network}.parameters()]
"""


def function(code: str, *size: int) -> str:
    """A case for a function of an input of this size whose result has the same size."""
    given = f"inputs, towards = torch.randn({size}, requires_grad=True), torch.randn({size})\nfunction = {code}\n"
    return _START + given + _THERE_AND_BACK.format(network="nn.Identity()")


def layer(code: str, *size: int) -> str:
    """The same for a module."""
    given = f"inputs, towards = torch.randn({size}, requires_grad=True), torch.randn({size})\nfunction = {code}\n"
    return _START + given + _THERE_AND_BACK.format(network="function")


def attention(masks: str, *size: int) -> str:
    """Self-attention of a sequence."""
    call = "network = nn.MultiheadAttention(128, 4, batch_first=True)\nfar = torch.ones(64, 64).triu(1).bool()\n"
    given = f"inputs, towards = torch.randn({size}, requires_grad=True), torch.randn({size})\n"
    run = f"function = lambda x: network(x, x, x, need_weights=False{masks})[0]\n"
    return _START + call + given + run + _THERE_AND_BACK.format(network="network")


def loss(*size: int) -> str:
    """Cross entropy of logits of this size."""
    return (
        _START
        + f"""
inputs = torch.randn({size}, requires_grad=True)
target = torch.randint({size[1]}, {(size[0], *size[2:])})

def step():
    inputs.grad = None
    found = F.cross_entropy(inputs, target)
    found.backward()
    return found, inputs.grad
"""
    )


def with_50_parameters(code: str, width: int = 16, start: str = "") -> str:
    """A call on a network of 25 linear layers."""
    return (
        _START
        + f"""
network = nn.Sequential(*[nn.Linear({width}, {width}) for _ in range(25)])
parameters = list(network.parameters())
for each in parameters:
    each.grad = torch.randn_like(each)
{start}

def step():
    {code}
    return parameters[0]
"""
    )


_DOT = "lambda x: F.scaled_dot_product_attention(x, x, x"
_SECOND = """
network, x = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)), torch.randn(8, 16, requires_grad=True)

def step():
    (first,) = torch.autograd.grad(network(x).sum(), x, create_graph=True)
    return torch.autograd.grad((first * first).sum(), x)[0]
"""
_EMBEDDING = """
network, places, towards = nn.Embedding(1000, 64), torch.randint(1000, (32, 20)), torch.randn(32, 20, 64)

def step():
    network.zero_grad()
    output = network(places)
    output.backward(towards)
    return output, network.weight.grad
"""

CASES = {
    "LayerNorm, 16×64×128": layer("nn.LayerNorm(128)", 16, 64, 128),
    "LayerNorm, 4×16": layer("nn.LayerNorm(16)", 4, 16),
    "BatchNorm2d, 64×16×14×14": layer("nn.BatchNorm2d(16)", 64, 16, 14, 14),
    "BatchNorm1d, 32×64": layer("nn.BatchNorm1d(64)", 32, 64),
    "Embedding, 32×20 of 1000×64": _START + _EMBEDDING,
    "softmax, 16×64×128": function("lambda x: F.softmax(x, -1)", 16, 64, 128),
    "softmax, 4×16": function("lambda x: F.softmax(x, -1)", 4, 16),
    "relu, 16×64×128": function("F.relu", 16, 64, 128),
    "gelu, 16×64×128": function("F.gelu", 16, 64, 128),
    "gelu, 4×16": function("F.gelu", 4, 16),
    "silu, 16×64×128": function("F.silu", 16, 64, 128),
    "dropout, 16×64×128": function("lambda x: (torch.manual_seed(0), F.dropout(x, 0.1))[1]", 16, 64, 128),
    "MultiheadAttention, 16×64×128": attention("", 16, 64, 128),
    "MultiheadAttention with a mask": attention(", attn_mask=far", 16, 64, 128),
    "MultiheadAttention with padding": attention(", key_padding_mask=far[:16]", 16, 64, 128),
    "scaled_dot_product_attention, 16×4×64×32": function(_DOT + ")", 16, 4, 64, 32),
    "the same, causal": function(_DOT + ", is_causal=True)", 16, 4, 64, 32),
    "the same with a mask": function(_DOT + ", torch.ones(64, 64).tril().bool())", 16, 4, 64, 32),
    "the same with a mask, 4×4×256×32": function(_DOT + ", torch.ones(256, 256).tril().bool())", 4, 4, 256, 32),
    "the same with a mask, 1×2×8×8": function(_DOT + ", torch.ones(8, 8).tril().bool())", 1, 2, 8, 8),
    "cross_entropy, 128×10": loss(128, 10),
    "cross_entropy, 1024×1000": loss(1024, 1000),
    "cross_entropy, 16×20×30": loss(16, 20, 30),
    "GRU, 20×8×32": layer("lambda x: network(x)[0]", 20, 8, 32).replace(
        "function =", "network = nn.GRU(32, 32)\nfunction ="
    ).replace("function.", "network."),
    "Adam's step, 50 parameters of 16×16": with_50_parameters(
        "optimizer.step()", start="optimizer = torch.optim.Adam(parameters, lr=1e-6)"
    ),
    "the same, of 256×256": with_50_parameters(
        "optimizer.step()", 256, "optimizer = torch.optim.Adam(parameters, lr=1e-6)"
    ),
    "SGD's step with momentum, 50 parameters": with_50_parameters(
        "optimizer.step()", start="optimizer = torch.optim.SGD(parameters, lr=1e-6, momentum=0.9)"
    ),
    "zero_grad, 50 parameters": with_50_parameters("network.zero_grad()"),
    "clip_grad_norm_, 50 parameters": with_50_parameters("nn.utils.clip_grad_norm_(parameters, 1e9)"),
    "state_dict, 50 parameters": with_50_parameters("network.state_dict()"),
    "load_state_dict, 50 parameters": with_50_parameters(
        "network.load_state_dict(kept)", start="kept = {k: v.clone() for k, v in network.state_dict().items()}"
    ),
    "nn.Identity, 20 calls": with_50_parameters("[one(parameters) for _ in range(20)]", start="one = nn.Identity()"),
    "gradient of a gradient, a small network": _START + _SECOND,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="words of the cases to run; all if there are none")
    parser.add_argument("--markdown", action="store_true", help="the table for docs/performance.md")
    given = parser.parse_args()
    libraries = {library: Contestant(library) for library in ("tensorglass", "torch")}
    libraries["torch"].set_threads(1)
    for title, code in CASES.items():
        if given.words and not any(word.lower() in title.lower() for word in given.words):
            continue
        agree(*[library.prepare(code, "answer = step()") for library in libraries.values()])
        times = max(1, int(SECONDS_A_TURN / max(library.seconds(3) for library in libraries.values())))
        turns = [[library.seconds(times) for library in libraries.values()] for _ in range(TURNS)]
        ratio = statistics.median(ours / theirs for ours, theirs in turns)
        theirs = statistics.median(theirs for _, theirs in turns) * 1e6
        row = (f"{ratio:.2f}", f"{theirs:,.0f} µs")
        print(f"| {title} | {' | '.join(row)} |" if given.markdown else f"{row[0]}  {row[1]:>10}  {title}", flush=True)
    for library in libraries.values():
        library.close()


if __name__ == "__main__":
    main()
