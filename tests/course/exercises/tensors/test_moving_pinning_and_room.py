"""What people answer on transfers, pinned memory and the allocator, and what the checks tell them."""

from exercise_answers import verdict_on, wrong_answers

from tensorglass.allocator import CachingAllocator

PIN = "one_line, buffer, made_there, loader = "
FIGURES = "allocated_small, reserved_small, reserved_both = "

WRONG = [
    ("t16-send", "def send(tensors, device): return [each.to(device) for each in tensors]", "a storage of its own"),
    ("t16-send", "def send(tensors, device): return torch.stack(tensors).to(device)", "should return a list"),
    ("t16-send", "def send(tensors, device): return list(torch.cat(tensors).to(device))", "is 12; it should be 3"),
    ("t16-send", "def send(tensors, device): torch.stack(tensors).to(device)", "returned nothing"),
    ("t16-pin", PIN + "True, True, False, True", "as slow as what it avoids"),
    ("t16-pin", PIN + "False, False, False, True", "pinned once"),
    ("t16-pin", PIN + "False, True, True, True", "Nothing is transferred"),
    ("t16-pin", PIN + "False, True, False, False", "overlaps"),
    ("t17-figures", FIGURES + "10_000, 2 * 2**20, 18 * 2**20", "units of 512 bytes"),
    ("t17-figures", FIGURES + "10240, 10240, 18 * 2**20", "whole segments"),
    ("t17-figures", FIGURES + "10240, 20 * 2**20, 36 * 2**20", "share a segment"),
    ("t17-figures", FIGURES + "10240, 2 * 2**20, 22 * 2**20", "below 10 MiB"),
    ("t17-figures", FIGURES + "10240, 2 * 2**20, 16 * 2**20", "still reserved"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)


def test_what_stays_on_the_host_is_told_so():
    import tensorglass  # PyTorch without a GPU has no other device

    verdict = verdict_on(tensorglass, "t16-send", "def send(tensors, device): return list(torch.stack(tensors))")
    assert "`send(tensors, device)[0]` is on cpu; it should be on sim" in verdict.message


def test_transfers_are_counted_where_the_tensors_are_put_together_afterwards():
    import tensorglass  # it counts its transfers

    afterwards = "def send(tensors, device): return list(torch.stack([each.to(device) for each in tensors]))"
    assert "there were 3 transfers" in verdict_on(tensorglass, "t16-send", afterwards).message


def test_the_figures_are_the_allocators():
    allocator = CachingAllocator(2**30)  # a device of its own, since tensors of other tests may be on the simulated one
    held = [allocator.allocate(1000) for _ in range(10)]
    assert allocator.allocated == 10 * 1024
    assert allocator.reserved == 2 * 2**20
    held.append(allocator.allocate(15_000_000))
    assert allocator.reserved == 18 * 2**20
