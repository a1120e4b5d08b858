"""The list of PyTorch's names, which tells a learner whether a missing one is PyTorch's, is PyTorch's own."""

import pytest

from tensorglass.bootstrap.namespaces import pytorch_names

torch = pytest.importorskip("torch", reason="real PyTorch is not installed (extra: parity)")
LISTED = set(pytorch_names())


def test_every_public_name_of_pytorch_is_listed():
    assert set(torch.__all__) - LISTED == set()


def test_every_listed_name_is_one_of_pytorchs():
    modules = {name: getattr(torch, name.rpartition(".")[0], torch) for name in LISTED}
    assert {name for name in LISTED if not hasattr(modules[name], name.rpartition(".")[2])} == set()
