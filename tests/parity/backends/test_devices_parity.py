"""Devices: their names, what is made of them, and what is said about those that are not there."""

from __future__ import annotations

import pytest
from parity.steps import disagreement, lines

from tensorglass import backends
from tensorglass.core import devices

DEVICES = r"""
torch.device('cpu'), torch.device('cpu:0'), torch.device('cpu', 0), torch.device('cuda'), torch.device('cuda', 1)
torch.device(type='cuda', index=2), torch.device('xpu:3'), torch.device('privateuseone'), torch.device('mkldnn')
torch.device(torch.device('cuda:1')), torch.device(device='cpu'), torch.device('cpu', index=None)
str(torch.device('cpu')), str(torch.device('cuda:1')), f"{torch.device('cuda:1')}"
torch.device('cpu') == torch.device('cpu:0'), torch.device('cpu') == 'cpu', torch.device('cpu') != torch.device('cuda')
{torch.device('cpu'): 1}[torch.device('cpu')]
torch.device('cpu').type, torch.device('cpu').index, torch.device('cuda:3').index
copy.copy(torch.device('cuda:1')) ;; copy.deepcopy(torch.device('cuda:1'))
pickle.loads(pickle.dumps(torch.device('cuda:1')))
d = torch.device('cpu') ;; d.type = 'cuda' ;; d.index = 1 ;; d.foo = 1 ;; d.foo ;; d
torch.device(0)
torch.device(1)
torch.device(-1)
torch.device('cuda', -1)
torch.device('cuda:-1')
torch.device('cuda:01')
torch.device('cuda:')
torch.device('cuda:1:2')
torch.device('cuda:1', index=2)
torch.device('CPU')
torch.device('gpu')
torch.device('')
torch.device('float32')
torch.device('cpu:99999999999')
torch.device(None)
torch.device()
torch.device(1.5)
torch.device(True)
torch.device('cpu', bad=1)
torch.zeros(2, device='cpu:1').device, torch.tensor([1], device='cpu:0').device
torch.zeros(2, device=0)
torch.zeros(2, device=-1)
torch.zeros(2, device=True)
torch.zeros(2, device=1.5)
torch.zeros(2, device='xpu')
torch.zeros(2, device='gpu')
torch.rand(2, device='cuda')
torch.UntypedStorage(3, device='cuda')
torch.ones(2).to('gpu')
torch.ones(2).to(0)
torch.ones(2).cuda()
torch.ones(2).cuda(0)
x = torch.ones(2) ;; x.to('cpu') is x ;; x.to('cpu:0') is x ;; x.cpu() is x ;; x.to(torch.device('cpu')) is x
x = torch.ones(2) ;; torch.get_device(x), x.get_device(), x.is_cpu, x.is_cuda, x.is_pinned(), x.is_shared()
torch.ones(2).pin_memory()
torch.ones(2).untyped_storage().pin_memory()
torch.zeros(2, pin_memory=True)
torch.set_default_device('cpu:1') ;; torch.get_default_device(), torch.zeros(1).device ;; torch.set_default_device(None)
torch.set_default_device('gpu')
torch.set_default_device(3)
with torch.device('cuda'): torch.zeros(2)
torch.get_default_device()
"""


@pytest.fixture(autouse=True)
def no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle has none; other tests may have started the simulated one, which serves for the whole process."""
    monkeypatch.setattr(devices, "accelerator_type", lambda: None)
    monkeypatch.setattr(backends, "accelerator", lambda: None)


@pytest.mark.parametrize("program", lines(DEVICES))
def test_a_device_is_what_it_is_in_pytorch(program: str) -> None:
    assert disagreement(program) is None
