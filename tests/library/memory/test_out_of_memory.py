"""Asking for more memory than there is: PyTorch's error, nothing half-made, and a process that lives on.

The requests are made in a process of its own whose address space is limited, so that they fail on every machine, at
once, and whatever the system promises to processes that ask for more than there is.
"""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's address space")

PROGRAM = """
import gc, json, resource, sys
import tensorglass as torch

REQUESTS = json.loads(sys.argv[1])
a, b = torch.zeros(10**7), torch.ones(10**7)
square, mask, even = torch.zeros(3000, 3000), a == 0, torch.arange(0, 10**7, 2)
rest = a == 1  # fills what is left of the segment that the mask lies in
torch.memory.empty_cache()
wide = torch.zeros(1).expand(25 * 10**9)
here = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (here + 5 * 10**6, here + 5 * 10**6))

outcomes = {}
for request in REQUESTS:
    before = torch.memory.allocated(), len(torch.memory.live()), a.shape, a._version
    try:
        eval(request)
        said = ["nothing", "", []]
    except Exception as error:
        said = [type(error).__name__, str(error), getattr(error, "__notes__", [])]
    gc.collect()
    unchanged = before == (torch.memory.allocated(), len(torch.memory.live()), a.shape, a._version)
    outcomes[request] = [*said, unchanged]
print(json.dumps([outcomes, torch.arange(3).add(1).tolist()]))
"""

ONE_HUNDRED_GIGABYTES = (
    "torch.zeros(25 * 10**9)",
    "torch.ones(25 * 10**9)",
    "torch.empty(25 * 10**9)",
    "torch.full((25 * 10**9,), 2.5)",
    "torch.rand(25 * 10**9)",
    "torch.arange(25 * 10**9, dtype=torch.float32)",
    "wide.clone()",
    "wide.contiguous()",
    "-wide",
    "wide + 1",
    "wide == 0",
    "torch.cat([wide, wide])",
    "torch.tensor([0.0]).repeat(25 * 10**9)",
    "torch.zeros(1).resize_(25 * 10**9)",
    "torch.zeros(1).untyped_storage().resize_(10**11)",
)
MORE_THAN_THERE_IS = (
    "-a",
    "a.exp()",
    "a + b",
    "a * 2",
    "a < b",
    "a.double()",
    "a.flip(0)",
    "a[even]",
    "a[mask]",
    "a.masked_fill(mask, 1)",
    "torch.where(mask, a, b)",
    "torch.stack([a, b])",
    "square.t() + square",
    "square @ square",
    "torch.add(a, b, out=torch.empty(0))",
)


@pytest.fixture(scope="module")
def outcomes():
    requests = json.dumps([*ONE_HUNDRED_GIGABYTES, *MORE_THAN_THERE_IS])
    said = subprocess.run([sys.executable, "-c", PROGRAM, requests], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    results, afterwards = json.loads(said.stdout)
    assert afterwards == [1, 2, 3], "the library works on"
    return results


@pytest.mark.parametrize("request_", [*ONE_HUNDRED_GIGABYTES, *MORE_THAN_THERE_IS])
def test_a_request_without_room_is_refused_in_pytorchs_words_and_leaves_nothing_behind(outcomes, request_):
    kind, message, notes, unchanged = outcomes[request_]
    assert kind == "RuntimeError"
    assert "DefaultCPUAllocator: can't allocate memory: you tried to allocate" in message
    assert any("GiB" in note for note in notes)
    assert unchanged


@pytest.mark.parametrize("request_", ["torch.zeros(25 * 10**9)", "torch.zeros(1).untyped_storage().resize_(10**11)"])
def test_the_message_names_the_bytes_that_were_asked_for(outcomes, request_):
    assert "you tried to allocate 100000000000 bytes." in outcomes[request_][1]
