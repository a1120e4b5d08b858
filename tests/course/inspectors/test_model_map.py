"""model_map: what networks hold, module by module, for PyTorch's modules and for classes built like them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from every_inspector import Network

import tensorglass
from glassroom import aliases, graph, holders, memory_timeline, model_map, show

torch = pytest.importorskip("torch", reason="networks and optimizers are PyTorch's here")


def tied(count: int = 3) -> Any:
    blocks = [torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()) for _ in range(count)]
    model = torch.nn.ModuleDict(
        {"embed": torch.nn.Embedding(10, 8), "blocks": torch.nn.ModuleList(blocks), "norm": torch.nn.BatchNorm1d(8),
         "head": torch.nn.Linear(8, 10, bias=False)}
    )  # fmt: skip
    model["head"].weight = model["embed"].weight
    return model


def forward(model: Any) -> Any:
    x = model["embed"](torch.arange(4))
    for block in model["blocks"]:
        x = block(x)
    return model["head"](model["norm"](x))


def test_bytes_are_those_of_parameters_gradients_state_and_buffers_and_tied_ones_count_once() -> None:
    model = tied()
    optimizer = torch.optim.Adam(model.parameters())
    forward(model).sum().backward()
    optimizer.step()
    data = model_map(model, optimizer).data
    size = lambda tensors: sum(tensor.nbytes for tensor in tensors)  # noqa: E731  # it is a word, used four times
    assert data.parameters == size(model.parameters())
    assert data.gradients == size(parameter.grad for parameter in model.parameters())
    assert data.buffers == size(model.buffers())
    assert data.state == size(tensor for state in optimizer.state.values() for tensor in state.values())
    assert data.elements == sum(parameter.numel() for parameter in model.parameters())
    assert len(data.modules) == len(list(model.modules()))


def test_tied_weights_say_with_what_and_are_on_one_storage() -> None:
    modules = {module.path: module for module in model_map(net=tied()).data.modules}
    [one], [other] = modules["net.embed"].tensors, modules["net.head"].tensors
    assert (one.tied, other.tied) == (("net.head.weight",), ("net.embed.weight",))
    assert one.storage == other.storage


def test_what_no_backward_has_reached_is_said_to_have_no_gradient_where_the_rest_has() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2), torch.nn.Linear(2, 2, bias=False))
    assert "no gradient" not in model_map(net=net).text
    net[2](net[0](torch.ones(1, 2))).sum().backward()
    net[0].bias.grad = None
    lines = [line.strip() for line in model_map(net=net).text.splitlines() if "no gradient" in line]
    assert [line.split()[0] for line in lines] == ["bias", "1:", "weight", "bias"]
    net[1].requires_grad_(False)
    assert model_map(net=net).text.count("no gradient") == 1


def test_siblings_that_are_alike_are_one_row_and_all_are_in_the_data() -> None:
    picture = model_map(net=tied(40))
    assert "0–39: Sequential · 40 alike" in picture.text
    assert len(picture.text.splitlines()) < 25
    assert len(picture.as_dict()["modules"]) == 40 * 3 + 5
    assert picture.svg.count('class="module"') == len(picture.state()["words"])


def test_siblings_that_differ_in_what_is_told_of_them_are_two_rows() -> None:
    def pair() -> Any:
        return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))

    frozen, with_gradient, half_tied = pair(), pair(), pair()
    frozen[0].bias.requires_grad_(False)
    with_gradient[1].weight.grad = torch.ones(4, 4)
    other = torch.nn.Linear(4, 4)
    half_tied[0].weight = other.weight
    assert "0–1: Linear · 2 alike" in model_map(net=pair()).text
    for picture in (model_map(frozen), model_map(with_gradient), model_map(half_tied, other)):
        assert "alike" not in picture.text
        assert "0: Linear" in picture.text
        assert "1: Linear" in picture.text


def test_what_has_no_memory_yet_is_reported_and_nothing_is_made_of_it() -> None:
    lazy = torch.nn.LazyLinear(3)
    text = model_map(lazy, meta=torch.nn.Linear(2, 2, device="meta")).text
    assert "weight  [] unknown · no memory yet" in text
    assert "weight  [2, 2] float32 · on meta: no data, 16 bytes needed" in text
    assert lazy.has_uninitialized_params()


@pytest.mark.parametrize("library", [torch, tensorglass], ids=["pytorch", "tensorglass"])
def test_a_network_on_meta_is_counted_with_the_bytes_that_it_would_need(library) -> None:
    net = library.nn.Sequential(library.nn.Linear(8, 4, device="meta"), library.nn.Linear(4, 8, dtype=library.float64))
    net.append(library.nn.Linear(8, 4, device="meta"))
    net[2].weight = net[0].weight  # tied: needed once
    picture = model_map(net)
    assert (picture.data.elements, picture.data.parameters, picture.data.needed) == (80, 40 * 8, 40 * 4)
    assert [module.needed for module in picture.data.modules] == [160, 144, 0, 144]
    for said in (picture.label, picture.svg):
        assert "80 parameters, parameters 320 bytes, on meta: no data, 160 bytes needed" in said
    assert "weight  [4, 8] float32 · on meta: no data, 128 bytes needed · tied with net.2.weight" in picture.text
    with pytest.raises(TypeError, match="a meta tensor, on meta: no data, 128 bytes needed"):
        show(net[0].weight)


def test_what_a_network_on_meta_would_need_is_an_outlined_bar_beside_the_bytes_that_there_are() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(8, 8, bias=False, device="meta"), torch.nn.Linear(8, 4, bias=False))
    svg = model_map(net).svg
    bars = [  # of the key, of both, of the first layer, of the second
        [(kind, float(width)) for kind, width in re.findall(r'class="(parameters|needed)"[^>]*width="([\d.]+)"', row)]
        for row in svg.split('class="module"')
    ]
    assert [[kind for kind, _ in row] for row in bars] == [
        ["parameters", "needed"], ["parameters", "needed"], ["needed"], ["parameters"]
    ]  # fmt: skip
    assert bars[1] == [*bars[3], *bars[2]]
    assert bars[2][0][1] == pytest.approx(2 * bars[3][0][1], abs=0.2)
    assert "needed for tensors on meta" in svg
    assert "needed" not in model_map(net[1]).svg.partition("</style>")[2]


def test_a_layer_on_meta_is_not_alike_to_one_with_elements() -> None:
    net = torch.nn.Sequential(*[torch.nn.Linear(8, 8, device=device) for device in ("meta", "meta", "cpu")])
    rows = model_map(net).text.splitlines()
    assert "  0–1: Linear · 2 alike · 288 bytes needed each" in rows
    assert "  2: Linear · 288 bytes" in rows


def test_state_of_other_parameters_is_told_apart() -> None:
    model, other = torch.nn.Linear(2, 2), torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1, momentum=0.9)
    other(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    picture = model_map(model, optimizer)
    assert picture.data.state == 0
    assert "optimizer state for parameters of no module here: 48 bytes" in picture.text


def test_whatever_is_made_like_a_module_is_one_and_no_code_of_it_runs() -> None:
    class Odd(Network):
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

        def parameters(self) -> Any:
            raise RuntimeError("asked")

    weight = tensorglass.ones(3, requires_grad=True)
    weight.sum().backward()
    picture = model_map(net=Odd({"weight": weight}, inner=Odd({"bias": tensorglass.zeros(2)})))
    assert picture.data.parameters == 20
    assert picture.data.gradients == 12
    assert "bias  [2] float32" in picture.text


def test_what_is_neither_a_network_nor_an_optimizer_is_refused() -> None:
    with pytest.raises(TypeError, match="but x is a Tensor"):
        model_map(x=torch.ones(2))
    with pytest.raises(TypeError, match="needs a network"):
        model_map(torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1))


def test_show_and_aliases_take_networks_and_optimizers() -> None:
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    assert "model.weight" in show(model).text
    text = aliases(model, optimizer).text
    assert "model.bias" in text
    assert "optimizer.state" in text
    before = copy.deepcopy(model.state_dict())
    model_map(model, optimizer)
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())


def looks(lib: Any) -> Iterator[str]:
    """What inspectors say of a network and its optimizer after a step, without the numbers of storages."""
    net = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.ReLU(), lib.nn.Linear(4, 2))
    with lib.no_grad():
        for parameter in net.parameters():
            parameter.fill_(0.5)
    optimizer = lib.optim.Adam(net.parameters(), lr=0.25)
    x = lib.ones(5, 3)

    def step() -> None:
        net(x).sum().backward()
        optimizer.step()

    step()
    del parameter
    loss = net(x).sum()
    pictures = [show(net), aliases(net, optimizer), model_map(net, optimizer), graph(loss), holders(net[0].weight)]
    yield from (re.sub(r"\bS\d+", "S", picture.text) for picture in pictures)
    [cpu] = memory_timeline(step).as_dict()["bands"]
    yield str({role: max(cpu["levels"][role]) for role in ("parameters", "gradients", "optimizer state")})
    yield str(sorted((share["label"], share["by_role"].get("parameters", 0)) for share in cpu["by_module"]))


def test_our_networks_and_optimizers_are_shown_as_those_of_pytorch_are() -> None:
    ours, theirs = list(looks(tensorglass)), list(looks(torch))
    assert ours == theirs
    assert "net.0.weight" in ours[0]
    assert "('net.0', 64)" in ours[-1]
